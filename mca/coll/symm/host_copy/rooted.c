/*
 * host_copy/rooted.c - see host_copy/rooted.h.
 *
 * In an inter-communicator `root` is MPI_ROOT at the root, and MPI_PROC_NULL on the other ranks of
 * its group, which take no part.  The root exchanges data with the ranks of the other group.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/rooted.h"

static inline bool is_root(struct ompi_communicator_t *comm, int root)
{
    return root == (OMPI_COMM_IS_INTER(comm) ? MPI_ROOT : ompi_comm_rank(comm));
}

/* Whether this rank sends data to the root, or receives data from it. */
static inline bool is_at_leaf(struct ompi_communicator_t *comm, int root)
{
    return !OMPI_COMM_IS_INTER(comm) || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

/* In place, the call reads the root's own piece from the root's receive buffer. */
static inline void own_is_read(struct symm_host_copy *copy, struct ompi_communicator_t *comm)
{
    size_t rank = (size_t)ompi_comm_rank(comm);
    copy->read = (struct symm_pieces){rank, rank + 1};
}

/* What this rank sends to the root, or receives from it.  In place the root does neither. */
static inline void leaf_sends(struct symm_host_copy_buffers *buffers, const void *sbuf,
                              symm_count_t count, struct ompi_datatype_t *dtype, int root)
{
    buffers->send.buffer = sbuf;
    if (is_at_leaf(buffers->comm, root) && sbuf != MPI_IN_PLACE) {
        mca_coll_symm_host_copy_sent(&buffers->send, sbuf, 1, (size_t)count, dtype);
    }
}

static inline void leaf_receives(struct symm_host_copy_buffers *buffers, void *rbuf,
                                 symm_count_t count, struct ompi_datatype_t *dtype, int root)
{
    buffers->receive.buffer = rbuf;
    if (is_at_leaf(buffers->comm, root) && rbuf != MPI_IN_PLACE) {
        mca_coll_symm_host_copy_received(&buffers->receive, rbuf, 1, (size_t)count, dtype);
    }
}

static inline void bcast_describe(struct symm_host_copy_buffers *buffers, void *buffer,
                                  symm_count_t count, struct ompi_datatype_t *dtype, int root)
{
    buffers->receive.buffer = buffer;
    if (is_root(buffers->comm, root) || is_at_leaf(buffers->comm, root)) {
        mca_coll_symm_host_copy_even(&buffers->receive, buffer, 1, (size_t)count, dtype);
        if (is_root(buffers->comm, root)) {
            mca_coll_symm_host_copy_all_read(&buffers->receive);
        } else {
            mca_coll_symm_host_copy_all_written(&buffers->receive);
        }
    }
    mca_coll_symm_host_copy_moves(buffers, 0, dtype, count, dtype);
    buffers->is_one_block = true;
}
SYMM_HOST_COPY_DEFINE(bcast, bcast_describe(buffers, buffer, count, dtype, root),
                      received->address, received->count, received->dtype, root)

static inline void gather_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                   symm_count_t scount, struct ompi_datatype_t *sdtype, void *rbuf,
                                   symm_count_t rcount, struct ompi_datatype_t *rdtype, int root)
{
    buffers->receive.buffer = rbuf;
    if (is_root(buffers->comm, root)) {
        mca_coll_symm_host_copy_received(&buffers->receive, rbuf,
                                         mca_coll_symm_others(buffers->comm), (size_t)rcount,
                                         rdtype);
        if (sbuf == MPI_IN_PLACE) {
            own_is_read(&buffers->receive, buffers->comm);
        }
    }
    leaf_sends(buffers, sbuf, scount, sdtype, root);
    mca_coll_symm_host_copy_moves(buffers, scount, sdtype, rcount, rdtype);
}
SYMM_HOST_COPY_DEFINE(gather,
                      gather_describe(buffers, sbuf, scount, sdtype, rbuf, rcount, rdtype, root),
                      sent->address, sent->count, sent->dtype, received->address, received->count,
                      received->dtype, root)

static inline void gatherv_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                    symm_count_t scount, struct ompi_datatype_t *sdtype,
                                    void *rbuf, symm_counts_t rcounts, symm_disps_t disps,
                                    struct ompi_datatype_t *rdtype, int root)
{
    buffers->receive.buffer = rbuf;
    if (is_root(buffers->comm, root)) {
        mca_coll_symm_host_copy_spread(&buffers->receive, rbuf,
                                       mca_coll_symm_others(buffers->comm), rcounts, disps,
                                       rdtype);
        mca_coll_symm_host_copy_all_written(&buffers->receive);
        if (sbuf == MPI_IN_PLACE) {
            own_is_read(&buffers->receive, buffers->comm);
        }
    }
    leaf_sends(buffers, sbuf, scount, sdtype, root);
}
SYMM_HOST_COPY_DEFINE(gatherv,
                      gatherv_describe(buffers, sbuf, scount, sdtype, rbuf, rcounts, disps, rdtype,
                                       root),
                      send->address, scount, sdtype, receive->address, rcounts, disps, rdtype,
                      root)

static inline void scatter_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                    symm_count_t scount, struct ompi_datatype_t *sdtype,
                                    void *rbuf, symm_count_t rcount,
                                    struct ompi_datatype_t *rdtype, int root)
{
    buffers->send.buffer = sbuf;
    if (is_root(buffers->comm, root)) {
        mca_coll_symm_host_copy_sent(&buffers->send, sbuf, mca_coll_symm_others(buffers->comm),
                                     (size_t)scount, sdtype);
    }
    leaf_receives(buffers, rbuf, rcount, rdtype, root);
    mca_coll_symm_host_copy_moves(buffers, scount, sdtype, rcount, rdtype);
}
SYMM_HOST_COPY_DEFINE(scatter,
                      scatter_describe(buffers, sbuf, scount, sdtype, rbuf, rcount, rdtype, root),
                      sent->address, sent->count, sent->dtype, received->address, received->count,
                      received->dtype, root)

static inline void scatterv_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                     symm_counts_t scounts, symm_disps_t disps,
                                     struct ompi_datatype_t *sdtype, void *rbuf,
                                     symm_count_t rcount, struct ompi_datatype_t *rdtype, int root)
{
    buffers->send.buffer = sbuf;
    if (is_root(buffers->comm, root)) {
        mca_coll_symm_host_copy_spread(&buffers->send, sbuf, mca_coll_symm_others(buffers->comm),
                                       scounts, disps, sdtype);
        mca_coll_symm_host_copy_all_read(&buffers->send);
    }
    leaf_receives(buffers, rbuf, rcount, rdtype, root);
}
SYMM_HOST_COPY_DEFINE(scatterv,
                      scatterv_describe(buffers, sbuf, scounts, disps, sdtype, rbuf, rcount,
                                        rdtype, root),
                      send->address, scounts, disps, sdtype, receive->address, rcount, rdtype,
                      root)

static inline void reduce_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                   void *rbuf, symm_count_t count, struct ompi_datatype_t *dtype,
                                   struct ompi_op_t *op, int root)
{
    buffers->op = op;
    buffers->receive.buffer = rbuf;
    if (is_root(buffers->comm, root)) {
        mca_coll_symm_host_copy_received(&buffers->receive, rbuf, 1, (size_t)count, dtype);
        if (sbuf == MPI_IN_PLACE) {
            mca_coll_symm_host_copy_all_read(&buffers->receive);
        }
    }
    leaf_sends(buffers, sbuf, count, dtype, root);
}
SYMM_HOST_COPY_DEFINE(reduce, reduce_describe(buffers, sbuf, rbuf, count, dtype, op, root),
                      send->address, receive->address, count, dtype, op, root)
