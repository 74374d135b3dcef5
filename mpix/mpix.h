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

struct symm_mpix_stream {
    _Atomic uint32_t users; /* the program's handle, and communicators */
    bool has_gpu;
    bool shares_devices;
    size_t bytes; /* of device memory for a communicator, at most; 0: as many as are of use */
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
    struct symm_stream_member *member; /* NULL: not begun, of a duplicate or without a GPU */
};

/* NULL: it has no stream.  An error of MPI, for a communicator that is none. */
int symm_mpix_comm_get(MPI_Comm comm, struct symm_mpix_comm **state);

/*
 * Begin the lane of a communicator.  Collective.  The error is returned, and is alike everywhere.
 */
int symm_mpix_lane_begin(MPI_Comm comm, struct symm_mpix_comm *state, const char *call);

/* Whether it can still be used: MPIX_ERR_STREAM, with what has failed. */
int symm_mpix_lane_check(const struct symm_stream_member *member, const char *call);

/* libsymm's part in this process, from the first communicator on until MPI ends. */
int symm_mpix_process_get(struct symm_process **process);

/* ---- types (types.c) ------------------------------------------------------------------------- */

/* Of a reduction.  An error of MPI, with its sentence. */
int symm_mpix_reduction(const char *call, MPI_Datatype datatype, MPI_Op op,
                        struct symm_stream_call *reduction);

/* The bytes from one element to the next, of a type that is copied as it is. */
int symm_mpix_extent(const char *call, MPI_Datatype datatype, size_t *extent);

/* ---- errors (errors.c) ----------------------------------------------------------------------- */

/* A code of this class with a sentence, for MPI_Error_string().  The class, if there is no room. */
int symm_mpix_error(int error_class, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The class for what symm_stream_member_state() says. */
int symm_mpix_failure_class(enum symm_status status);

/* Have the communicator's handler deal with an error, and return it.  MPI_SUCCESS: nothing. */
int symm_mpix_raise(MPI_Comm comm, int error);

#endif /* SYMM_MPIX_MPIX_H */
