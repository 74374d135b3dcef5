/*
 * host_copy/reduce.c - the buffers of reductions without a root, for host_copy/describe.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/describe.h"

/* The operand is in the send buffer or, in place, in the receive buffer. */
static void operand_describe(struct symm_host_copy_buffers *buffers, const struct symm_arguments *a,
                             size_t pieces, size_t count)
{
    buffers->op = a->op;
    if (a->sbuf == MPI_IN_PLACE) {
        buffers->send.side.buffer = a->sbuf;
        mca_coll_symm_host_copy_all_read(&buffers->receive);
    } else {
        mca_coll_symm_host_copy_sent(&buffers->send, a->sbuf, pieces, count, a->rdtype);
    }
}

void mca_coll_symm_host_copy_describe_allreduce(struct symm_host_copy_buffers *buffers,
                                                const struct symm_arguments *a)
{
    mca_coll_symm_host_copy_received(&buffers->receive, a->rbuf, 1, (size_t)a->rcount, a->rdtype);
    operand_describe(buffers, a, 1, (size_t)a->rcount);
}

void mca_coll_symm_host_copy_describe_scan(struct symm_host_copy_buffers *buffers,
                                           const struct symm_arguments *a)
{
    mca_coll_symm_host_copy_describe_allreduce(buffers, a);
}

/* MPI defines no result for rank 0. */
void mca_coll_symm_host_copy_describe_exscan(struct symm_host_copy_buffers *buffers,
                                             const struct symm_arguments *a)
{
    mca_coll_symm_host_copy_describe_allreduce(buffers, a);
    if (ompi_comm_rank(buffers->comm) == 0) {
        buffers->receive.written.end = 0;
    }
}

void mca_coll_symm_host_copy_describe_reduce_scatter(struct symm_host_copy_buffers *buffers,
                                                     const struct symm_arguments *a)
{
    size_t total = 0, own = symm_count_at(a->rcounts, (size_t)ompi_comm_rank(buffers->comm));
    for (int rank = 0; rank < ompi_comm_size(buffers->comm); rank++) {
        total += symm_count_at(a->rcounts, (size_t)rank);
    }
    mca_coll_symm_host_copy_even(&buffers->receive, a->rbuf,
                                 a->sbuf == MPI_IN_PLACE ? total : own, 1, a->rdtype);
    buffers->receive.written.end = own;
    operand_describe(buffers, a, total, 1);
}

void mca_coll_symm_host_copy_describe_reduce_scatter_block(struct symm_host_copy_buffers *buffers,
                                                           const struct symm_arguments *a)
{
    size_t ranks = (size_t)ompi_comm_size(buffers->comm);
    mca_coll_symm_host_copy_even(&buffers->receive, a->rbuf, a->sbuf == MPI_IN_PLACE ? ranks : 1,
                                 (size_t)a->rcount, a->rdtype);
    buffers->receive.written.end = 1;
    operand_describe(buffers, a, ranks, (size_t)a->rcount);
}

void mca_coll_symm_host_copy_describe_reduce_local(struct symm_host_copy_buffers *buffers,
                                                   const struct symm_arguments *a)
{
    mca_coll_symm_host_copy_received(&buffers->receive, a->rbuf, 1, (size_t)a->rcount, a->rdtype);
    mca_coll_symm_host_copy_all_read(&buffers->receive);
    mca_coll_symm_host_copy_sent(&buffers->send, a->sbuf, 1, (size_t)a->rcount, a->rdtype);
}
