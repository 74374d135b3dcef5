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

#include "mca/coll/symm/host_copy/call.h"

static bool is_root(struct ompi_communicator_t *comm, int root)
{
    return root == (OMPI_COMM_IS_INTER(comm) ? MPI_ROOT : ompi_comm_rank(comm));
}

/* Whether this rank sends data to the root, or receives data from it. */
static bool is_at_leaf(struct ompi_communicator_t *comm, int root)
{
    return !OMPI_COMM_IS_INTER(comm) || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

/* In place, the call reads the root's own piece from the root's receive buffer. */
static void own_is_read(struct symm_host_copy *copy, struct ompi_communicator_t *comm)
{
    size_t rank = (size_t)ompi_comm_rank(comm);
    copy->read = (struct symm_pieces){rank, rank + 1};
}

/* What this rank sends to the root, or receives from it.  In place the root does neither. */
static void leaf_sends(struct symm_host_copy_call *call, const void *sbuf, symm_count_t count,
                       struct ompi_datatype_t *dtype, int root)
{
    call->send.buffer = sbuf;
    if (is_at_leaf(call->comm, root) && sbuf != MPI_IN_PLACE) {
        mca_coll_symm_host_copy_sent(&call->send, sbuf, 1, (size_t)count, dtype);
    }
}

static void leaf_receives(struct symm_host_copy_call *call, void *rbuf, symm_count_t count,
                          struct ompi_datatype_t *dtype, int root)
{
    call->receive.buffer = rbuf;
    if (is_at_leaf(call->comm, root) && rbuf != MPI_IN_PLACE) {
        mca_coll_symm_host_copy_received(&call->receive, rbuf, 1, (size_t)count, dtype);
    }
}

int mca_coll_symm_host_copy_bcast(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype,
                                  int root, struct ompi_communicator_t *comm,
                                  mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_bcast, comm, module);
    call.receive.buffer = buffer;
    if (is_root(comm, root) || is_at_leaf(comm, root)) {
        mca_coll_symm_host_copy_even(&call.receive, buffer, 1, (size_t)count, dtype);
        if (is_root(comm, root)) {
            mca_coll_symm_host_copy_all_read(&call.receive);
        } else {
            mca_coll_symm_host_copy_all_written(&call.receive);
        }
    }
    return SYMM_HOST_COPY_CALL_BELOW(&call, bcast, call.receive.address, count, dtype, root, comm);
}

int mca_coll_symm_host_copy_gather(const void *sbuf, symm_count_t scount,
                                   struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                   struct ompi_datatype_t *rdtype, int root,
                                   struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_gather, comm, module);
    call.receive.buffer = rbuf;
    if (is_root(comm, root)) {
        mca_coll_symm_host_copy_received(&call.receive, rbuf, mca_coll_symm_others(comm),
                                         (size_t)rcount, rdtype);
        if (sbuf == MPI_IN_PLACE) {
            own_is_read(&call.receive, comm);
        }
    }
    leaf_sends(&call, sbuf, scount, sdtype, root);
    return SYMM_HOST_COPY_CALL_BELOW(&call, gather, call.send.address, scount, sdtype,
                                     call.receive.address, rcount, rdtype, root, comm);
}

int mca_coll_symm_host_copy_gatherv(const void *sbuf, symm_count_t scount,
                                    struct ompi_datatype_t *sdtype, void *rbuf,
                                    symm_counts_t rcounts, symm_disps_t disps,
                                    struct ompi_datatype_t *rdtype, int root,
                                    struct ompi_communicator_t *comm,
                                    mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_gatherv, comm, module);
    call.receive.buffer = rbuf;
    if (is_root(comm, root)) {
        mca_coll_symm_host_copy_spread(&call.receive, rbuf, mca_coll_symm_others(comm), rcounts,
                                       disps, rdtype);
        mca_coll_symm_host_copy_all_written(&call.receive);
        if (sbuf == MPI_IN_PLACE) {
            own_is_read(&call.receive, comm);
        }
    }
    leaf_sends(&call, sbuf, scount, sdtype, root);
    return SYMM_HOST_COPY_CALL_BELOW(&call, gatherv, call.send.address, scount, sdtype,
                                     call.receive.address, rcounts, disps, rdtype, root, comm);
}

int mca_coll_symm_host_copy_scatter(const void *sbuf, symm_count_t scount,
                                    struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                    struct ompi_datatype_t *rdtype, int root,
                                    struct ompi_communicator_t *comm,
                                    mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_scatter, comm, module);
    call.send.buffer = sbuf;
    if (is_root(comm, root)) {
        mca_coll_symm_host_copy_sent(&call.send, sbuf, mca_coll_symm_others(comm), (size_t)scount,
                                     sdtype);
    }
    leaf_receives(&call, rbuf, rcount, rdtype, root);
    return SYMM_HOST_COPY_CALL_BELOW(&call, scatter, call.send.address, scount, sdtype,
                                     call.receive.address, rcount, rdtype, root, comm);
}

int mca_coll_symm_host_copy_scatterv(const void *sbuf, symm_counts_t scounts, symm_disps_t disps,
                                     struct ompi_datatype_t *sdtype, void *rbuf,
                                     symm_count_t rcount, struct ompi_datatype_t *rdtype, int root,
                                     struct ompi_communicator_t *comm,
                                     mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_scatterv, comm, module);
    call.send.buffer = sbuf;
    if (is_root(comm, root)) {
        mca_coll_symm_host_copy_spread(&call.send, sbuf, mca_coll_symm_others(comm), scounts, disps,
                                       sdtype);
        mca_coll_symm_host_copy_all_read(&call.send);
    }
    leaf_receives(&call, rbuf, rcount, rdtype, root);
    return SYMM_HOST_COPY_CALL_BELOW(&call, scatterv, call.send.address, scounts, disps, sdtype,
                                     call.receive.address, rcount, rdtype, root, comm);
}

int mca_coll_symm_host_copy_reduce(const void *sbuf, void *rbuf, symm_count_t count,
                                   struct ompi_datatype_t *dtype, struct ompi_op_t *op, int root,
                                   struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_reduce, comm, module);
    call.receive.buffer = rbuf;
    if (is_root(comm, root)) {
        mca_coll_symm_host_copy_received(&call.receive, rbuf, 1, (size_t)count, dtype);
        if (sbuf == MPI_IN_PLACE) {
            mca_coll_symm_host_copy_all_read(&call.receive);
        }
    }
    leaf_sends(&call, sbuf, count, dtype, root);
    return SYMM_HOST_COPY_CALL_BELOW(&call, reduce, call.send.address, call.receive.address, count,
                                     dtype, op, root, comm);
}
