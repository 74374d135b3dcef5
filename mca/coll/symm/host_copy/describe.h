/*
 * host_copy/describe.h - describing the buffers of a call, and what the call reads and writes.
 *
 * Each collective is described once, for its blocking, nonblocking and persistent calls: in all.c,
 * neighbor.c, reduce.c or rooted.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_DESCRIBE_H
#define MCA_COLL_SYMM_HOST_COPY_DESCRIBE_H

#include "mca/coll/symm/base/layer.h"
#include "mca/coll/symm/device/bounce.h"
#include "mca/coll/symm/host_copy/bytes.h"

struct symm_host_copy_buffers {
    struct ompi_communicator_t *comm;
    struct ompi_op_t *op; /* of a reduction */
    struct symm_host_copy send, receive;
    bool need_host;  /* copies are made in any case (base/layer.h) */
    bool are_served; /* the communicator is: all its ranks make the call here */
    bool moves;      /* `sent` and `received` are handed over instead of both buffers */
    bool is_one_block; /* all ranks' data are the same block: a broadcast's */
    struct symm_bytes sent, received;
};

static inline void mca_coll_symm_host_copy_buffers_begin(struct symm_host_copy_buffers *buffers,
                                                         struct ompi_communicator_t *comm,
                                                         enum symm_kinds kinds, bool are_served)
{
    buffers->comm = comm;
    buffers->op = NULL;
    buffers->need_host = false;
    buffers->are_served = are_served;
    buffers->moves = buffers->is_one_block = false;
    buffers->send.side.shape = SYMM_SIDE_NONE;
    buffers->send.side.buffer = NULL;
    buffers->send.kinds = kinds;
    buffers->receive.side.shape = SYMM_SIDE_NONE;
    buffers->receive.side.buffer = NULL;
    buffers->receive.kinds = kinds;
}

/* Whether one of them is on a device, and has a copy. */
static inline bool mca_coll_symm_host_copy_is_made(const struct symm_host_copy_buffers *buffers)
{
    return buffers->send.device >= 0 || buffers->receive.device >= 0;
}

/* Both are known to be in host memory. */
static inline bool mca_coll_symm_host_copy_buffers_are_needless(
    struct symm_host_copy_buffers *buffers)
{
    return mca_coll_symm_host_copy_is_needless(&buffers->send) &&
           mca_coll_symm_host_copy_is_needless(&buffers->receive);
}

/* Why a call with device buffers is made on host copies. */
static inline enum symm_host_copy_why mca_coll_symm_host_copy_why_of(
    enum symm_mpi_function function, const mca_coll_base_module_t *module)
{
    bool may_be_served = mca_coll_symm_function_row(function) != NULL &&
                         mca_coll_symm_function_form(function) == SYMM_CALL_BLOCKING;
    return may_be_served ? ((const mca_coll_symm_layer_t *)module)->why : SYMM_HOST_COPY_KIND;
}

/* Whether the module is one of a communicator that is served. */
static inline bool mca_coll_symm_host_copy_is_served(const mca_coll_base_module_t *module)
{
    return ((const mca_coll_symm_layer_t *)module)->why == SYMM_HOST_COPY_FELL_BACK;
}

/* Describe the buffers of a call, which have been begun. */
void mca_coll_symm_host_copy_describe(enum symm_mpi_function function,
                                      struct symm_host_copy_buffers *buffers,
                                      const struct symm_arguments *a);

/* ---- for describe.c -------------------------------------------------------------------------- */

/* A function for each collective: mca_coll_symm_host_copy_describe_bcast() and so on. */
typedef void mca_coll_symm_host_copy_describe_t(struct symm_host_copy_buffers *buffers,
                                                const struct symm_arguments *a);
#define SYMM_DESCRIBE_DECLARE(NUMBER, name, ...) \
    mca_coll_symm_host_copy_describe_t mca_coll_symm_host_copy_describe_##name;
SYMM_ALL_COLLECTIVES(SYMM_DESCRIBE_DECLARE)
#undef SYMM_DESCRIBE_DECLARE
mca_coll_symm_host_copy_describe_t mca_coll_symm_host_copy_describe_reduce_local;

/* ---- for these functions --------------------------------------------------------------------- */

/* The call has bytes (host_copy/bytes.h).  These are the arguments that the program has made. */
static inline void mca_coll_symm_host_copy_moves(struct symm_host_copy_buffers *buffers,
                                                 const struct symm_arguments *a)
{
    buffers->moves = true;
    buffers->sent = (struct symm_bytes){.count = a->scount, .dtype = a->sdtype};
    buffers->received = (struct symm_bytes){
        .count = a->rcount, .counts = a->rcounts, .disps = a->rdisps, .dtype = a->rdtype};
}

/* The number of ranks that this one exchanges data with. */
static inline size_t mca_coll_symm_others(struct ompi_communicator_t *comm)
{
    return (size_t)(OMPI_COMM_IS_INTER(comm) ? ompi_comm_remote_size(comm) : ompi_comm_size(comm));
}

/* The call reads all pieces, or writes them. */
static inline void mca_coll_symm_host_copy_all_read(struct symm_host_copy *copy)
{
    copy->read = (struct symm_pieces){0, copy->pieces};
}

static inline void mca_coll_symm_host_copy_all_written(struct symm_host_copy *copy)
{
    copy->written = (struct symm_pieces){0, copy->pieces};
}

/*
 * A buffer of `pieces` pieces with `count` elements each.  The call neither reads nor writes it
 * yet.
 */
static inline void mca_coll_symm_host_copy_even(struct symm_host_copy *copy, const void *buffer,
                                                size_t pieces, size_t count,
                                                struct ompi_datatype_t *dtype)
{
    copy->side.shape = SYMM_SIDE_EVEN;
    copy->side.buffer = buffer;
    copy->pieces = pieces;
    copy->side.count = count;
    copy->side.dtype = dtype;
    copy->side.plain = false;
    copy->read = copy->written = (struct symm_pieces){0, 0};
}

/* A buffer of `pieces` pieces with counts[i] elements each, disps[i] extents from its start. */
static inline void mca_coll_symm_host_copy_spread(struct symm_host_copy *copy, const void *buffer,
                                                  size_t pieces, symm_counts_t counts,
                                                  symm_disps_t disps, struct ompi_datatype_t *dtype)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, 0, dtype);
    copy->side.shape = SYMM_SIDE_SPREAD;
    copy->side.counts = counts;
    copy->side.disps = disps;
}

/* A buffer of pieces with counts[i] elements of dtypes[i] each, disps[i] bytes from its start. */
static inline void mca_coll_symm_host_copy_typed(struct symm_host_copy *copy, const void *buffer,
                                                 size_t pieces, symm_counts_t counts,
                                                 symm_disps_t disps,
                                                 struct ompi_datatype_t *const *dtypes)
{
    mca_coll_symm_host_copy_spread(copy, buffer, pieces, counts, disps, MPI_DATATYPE_NULL);
    copy->side.shape = SYMM_SIDE_TYPED;
    copy->side.dtypes = dtypes;
}

/* A buffer that the call reads as a whole; it may be MPI_IN_PLACE. */
static inline void mca_coll_symm_host_copy_sent(struct symm_host_copy *copy, const void *buffer,
                                                size_t pieces, size_t count,
                                                struct ompi_datatype_t *dtype)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, count, dtype);
    mca_coll_symm_host_copy_all_read(copy);
}

/* A buffer that the call writes as a whole. */
static inline void mca_coll_symm_host_copy_received(struct symm_host_copy *copy, void *buffer,
                                                    size_t pieces, size_t count,
                                                    struct ompi_datatype_t *dtype)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, count, dtype);
    mca_coll_symm_host_copy_all_written(copy);
}

#endif /* MCA_COLL_SYMM_HOST_COPY_DESCRIBE_H */
