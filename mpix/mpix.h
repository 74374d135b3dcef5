/*
 * mpix.h - what the files of libsymm_mpix share.
 *
 * The library is public MPI and libsymm: it needs no component, and no header of Open MPI's own.
 * MPI is called by its PMPI names, so a profiler sees the calls of the program alone.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MPIX_MPIX_H
#define SYMM_MPIX_MPIX_H

#include <stdatomic.h>
#include <stdbool.h>

#include "kernels/cuda/stream/member.h"
#include "mpix/symm_mpix.h"

/* ---- streams (stream.c) ---------------------------------------------------------------------- */

/* Who makes the calls: kernels, also on GPUs that ranks share; the host; the better of them. */
enum symm_mpix_path { SYMM_MPIX_AUTO, SYMM_MPIX_KERNELS, SYMM_MPIX_HOST };

struct symm_mpix_stream {
    _Atomic uint32_t users; /* the program's handle, and communicators */
    bool has_gpu;
    enum symm_mpix_path path;
    size_t bytes; /* of device memory for a communicator, at most; 0: as many as are of use */
    size_t blocks; /* of a kernel, at most; 0: likewise */
    void *cuda_stream;
};

void symm_mpix_stream_hold(struct symm_mpix_stream *stream);
void symm_mpix_stream_release(struct symm_mpix_stream *stream);

/* ---- communicators (comm.c, lanes.c) --------------------------------------------------------- */

/* What a communicator with a stream has: its attribute. */
struct symm_mpix_comm {
    struct symm_mpix_stream *stream; /* NULL: none, as for MPIX_STREAM_NULL */
    void *cuda_stream;               /* now */
    int rank, size;
    struct symm_stream_member *member; /* NULL: kernels do not meet, or not begun, or no GPU */
    struct symm_mpix_host *host;       /* NULL: the host has had nothing to do */
};

/* NULL: it has no stream.  An error of MPI, for a communicator that is none. */
int symm_mpix_comm_get(MPI_Comm comm, struct symm_mpix_comm **state);

/* Whether calls can be queued: a duplicate begins with its first one. */
static inline bool symm_mpix_comm_has_begun(const struct symm_mpix_comm *state)
{
    return state->member != NULL || state->host != NULL;
}

/*
 * Begin the lane of a communicator, by kernels or by the host.  Collective.  The error is returned,
 * and is alike everywhere.
 */
int symm_mpix_lane_begin(MPI_Comm comm, struct symm_mpix_comm *state, const char *call);

/* Whether it can still be used: MPIX_ERR_STREAM, with what has failed. */
int symm_mpix_lane_check(const struct symm_stream_member *member, const char *call);

/* ---- the process (process.c) ----------------------------------------------------------------- */

/* From the first communicator on, until MPI ends.  An error of MPI, with its sentence. */
int symm_mpix_process_get(struct symm_process **process);

/*
 * Have MPI_Finalize() end lanes of another sort before anything else, which may wait for so many
 * seconds.  The function returns how many have work that was not done.  An error of MPI.
 */
typedef int symm_mpix_end(double seconds);
int symm_mpix_end_prepare(symm_mpix_end *end);

/* ---- lines for users (tell.c) ---------------------------------------------------------------- */

/* Tell of a failure, or of something else; a fatal failure ends the program.  In any thread. */
void symm_mpix_tell(const char *text, bool is_failure, bool is_fatal);

/* The rank in MPI_COMM_WORLD, which lines begin with. */
void symm_mpix_tell_as(int rank);

/* Whether failures on the communicator are to end the program. */
bool symm_mpix_is_fatal(MPI_Comm comm);

/* Seconds that a call has waited when it is told of; 0: never. */
double symm_mpix_notice(void);

/* ---- calls ----------------------------------------------------------------------------------- */

/* An array as MPI has it. */
struct symm_mpix_array {
    void *at;                /* NULL: this rank has none; MPI_IN_PLACE */
    MPI_Count count, blocks; /* elements of a block */
    MPI_Datatype datatype;
    bool is_packed; /* for kernels: elements have gaps, or another order than their addresses */
};

/* A call as the program makes it.  A broadcast has `received` on all ranks. */
struct symm_mpix_call {
    enum symm_collective collective;
    struct symm_mpix_array sent, received;
    MPI_Op op;
    int root;
    double factor;              /* of the result; 0: it has none */
    enum symm_cuda_type scaled; /* if it has: what kernels take the datatype for */
};

/* ---- calls that the host makes, and packing (host_path.c) ------------------------------------ */

struct symm_mpix_host;

/*
 * Begin it for a communicator, whose kernels do not meet for the reason `why`; empty: they do, and
 * have no such operation.  Collective.  The error is returned, and is alike everywhere.
 */
int symm_mpix_host_begin(MPI_Comm comm, struct symm_mpix_comm *state, const char *call,
                         const char *why);

/* Queue a call; the first one begins it.  The error is returned. */
int symm_mpix_host_call(MPI_Comm comm, struct symm_mpix_comm *state, const char *name,
                        const struct symm_mpix_call *call);

/*
 * Memory that kernels use instead of an array of elements with gaps, and its packing behind what
 * the stream holds; and unpacking from there.  Local.  The error is returned.
 */
int symm_mpix_host_room(MPI_Comm comm, struct symm_mpix_comm *state, const char *name,
                        const struct symm_mpix_array *array, bool is_output, void **packed);
int symm_mpix_host_pack(struct symm_mpix_comm *state, const char *name,
                        const struct symm_mpix_array *array, bool is_output, void *packed);
int symm_mpix_host_unpack(struct symm_mpix_comm *state, const char *name,
                          const struct symm_mpix_array *array, void *packed);

/* Whether streams copy from and to this memory. */
bool symm_mpix_host_reaches(const struct symm_mpix_host *host, const void *address);

/* Later calls go to another stream, behind what the one before holds. */
enum symm_status symm_mpix_host_order(const struct symm_mpix_host *host, void *first, void *then);

/* As for a lane of kernels.  The second function says whether it can still be used, and why. */
int symm_mpix_host_check(struct symm_mpix_host *host, const char *call);
bool symm_mpix_host_state(struct symm_mpix_host *host, char *text, size_t size);
void symm_mpix_host_abort(struct symm_mpix_host *host);
void symm_mpix_host_release(struct symm_mpix_host *host);

/* ---- types (types.c) ------------------------------------------------------------------------- */

/* Whether it is one of MPI's own, which no program frees. */
bool symm_mpix_is_named(MPI_Datatype datatype);

/* Of a reduction.  *has_kernel: kernels know it.  An error of MPI, with its sentence. */
int symm_mpix_reduction(const char *call, MPI_Datatype datatype, MPI_Op op,
                        struct symm_stream_call *reduction, bool *has_kernel);

/*
 * The bytes of an element that kernels copy.  *is_whole: it is copied as it is; otherwise it has to
 * be packed.
 */
int symm_mpix_bytes(const char *call, MPI_Datatype datatype, size_t *bytes, bool *is_whole);

/* ---- errors (errors.c) ----------------------------------------------------------------------- */

/* A code of this class with a sentence, for MPI_Error_string().  The class, if there is no room. */
int symm_mpix_error(int error_class, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What libsymm has refused, in the driver's words if it is known that they are about this. */
int symm_mpix_refused(int error_class, const char *call, enum symm_status status);

/* The class for what symm_stream_member_state() says. */
int symm_mpix_failure_class(enum symm_status status);

/* Have the communicator's handler deal with an error, and return it.  MPI_SUCCESS: nothing. */
int symm_mpix_raise(MPI_Comm comm, int error);

#endif /* SYMM_MPIX_MPIX_H */
