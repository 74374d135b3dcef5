/*
 * host_copy/rooted.c - the buffers of collectives with a root, for host_copy/describe.h.
 *
 * In an inter-communicator `root` is MPI_ROOT at the root, and MPI_PROC_NULL on the other ranks of
 * its group, which take no part.  The root exchanges data with the ranks of the other group.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/describe.h"

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
static void leaf_sends(struct symm_host_copy_buffers *buffers, const struct symm_arguments *a,
                       symm_count_t count, struct ompi_datatype_t *dtype)
{
    buffers->send.side.buffer = a->sbuf;
    if (is_at_leaf(buffers->comm, a->root) && a->sbuf != MPI_IN_PLACE) {
        mca_coll_symm_host_copy_sent(&buffers->send, a->sbuf, 1, (size_t)count, dtype);
    }
}

static void leaf_receives(struct symm_host_copy_buffers *buffers, const struct symm_arguments *a)
{
    buffers->receive.side.buffer = a->rbuf;
    if (is_at_leaf(buffers->comm, a->root) && a->rbuf != MPI_IN_PLACE) {
        mca_coll_symm_host_copy_received(&buffers->receive, a->rbuf, 1, (size_t)a->rcount,
                                         a->rdtype);
    }
}

void mca_coll_symm_host_copy_describe_bcast(struct symm_host_copy_buffers *buffers,
                                            const struct symm_arguments *a)
{
    buffers->receive.side.buffer = a->rbuf;
    if (is_root(buffers->comm, a->root) || is_at_leaf(buffers->comm, a->root)) {
        mca_coll_symm_host_copy_even(&buffers->receive, a->rbuf, 1, (size_t)a->rcount, a->rdtype);
        if (is_root(buffers->comm, a->root)) {
            mca_coll_symm_host_copy_all_read(&buffers->receive);
        } else {
            mca_coll_symm_host_copy_all_written(&buffers->receive);
        }
    }
    mca_coll_symm_host_copy_moves(buffers, a);
    buffers->is_one_block = true;
}

void mca_coll_symm_host_copy_describe_gather(struct symm_host_copy_buffers *buffers,
                                             const struct symm_arguments *a)
{
    buffers->receive.side.buffer = a->rbuf;
    if (is_root(buffers->comm, a->root)) {
        mca_coll_symm_host_copy_received(&buffers->receive, a->rbuf,
                                         mca_coll_symm_others(buffers->comm), (size_t)a->rcount,
                                         a->rdtype);
        if (a->sbuf == MPI_IN_PLACE) {
            own_is_read(&buffers->receive, buffers->comm);
        }
    }
    leaf_sends(buffers, a, a->scount, a->sdtype);
    mca_coll_symm_host_copy_moves(buffers, a);
}

void mca_coll_symm_host_copy_describe_gatherv(struct symm_host_copy_buffers *buffers,
                                              const struct symm_arguments *a)
{
    buffers->receive.side.buffer = a->rbuf;
    if (is_root(buffers->comm, a->root)) {
        mca_coll_symm_host_copy_spread(&buffers->receive, a->rbuf,
                                       mca_coll_symm_others(buffers->comm), a->rcounts, a->rdisps,
                                       a->rdtype);
        mca_coll_symm_host_copy_all_written(&buffers->receive);
        if (a->sbuf == MPI_IN_PLACE) {
            own_is_read(&buffers->receive, buffers->comm);
        }
    }
    leaf_sends(buffers, a, a->scount, a->sdtype);
}

void mca_coll_symm_host_copy_describe_scatter(struct symm_host_copy_buffers *buffers,
                                              const struct symm_arguments *a)
{
    buffers->send.side.buffer = a->sbuf;
    if (is_root(buffers->comm, a->root)) {
        mca_coll_symm_host_copy_sent(&buffers->send, a->sbuf, mca_coll_symm_others(buffers->comm),
                                     (size_t)a->scount, a->sdtype);
    }
    leaf_receives(buffers, a);
    mca_coll_symm_host_copy_moves(buffers, a);
}

void mca_coll_symm_host_copy_describe_scatterv(struct symm_host_copy_buffers *buffers,
                                               const struct symm_arguments *a)
{
    buffers->send.side.buffer = a->sbuf;
    if (is_root(buffers->comm, a->root)) {
        mca_coll_symm_host_copy_spread(&buffers->send, a->sbuf, mca_coll_symm_others(buffers->comm),
                                       a->scounts, a->sdisps, a->sdtype);
        mca_coll_symm_host_copy_all_read(&buffers->send);
    }
    leaf_receives(buffers, a);
}

void mca_coll_symm_host_copy_describe_reduce(struct symm_host_copy_buffers *buffers,
                                             const struct symm_arguments *a)
{
    buffers->op = a->op;
    buffers->receive.side.buffer = a->rbuf;
    if (is_root(buffers->comm, a->root)) {
        mca_coll_symm_host_copy_received(&buffers->receive, a->rbuf, 1, (size_t)a->rcount,
                                         a->rdtype);
        if (a->sbuf == MPI_IN_PLACE) {
            mca_coll_symm_host_copy_all_read(&buffers->receive);
        }
    }
    leaf_sends(buffers, a, a->rcount, a->rdtype);
}
