/*
 * host_copy/all.c - the buffers of collectives in which all ranks send to all, for
 * host_copy/describe.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/describe.h"

void mca_coll_symm_host_copy_describe_barrier(struct symm_host_copy_buffers *buffers,
                                              const struct symm_arguments *a)
{
    (void)buffers; /* there are none */
    (void)a;
}

/* All-gathers.  In place, the call reads this rank's own block from the receive buffer. */
static void block_describe(struct symm_host_copy_buffers *buffers, const struct symm_arguments *a)
{
    mca_coll_symm_host_copy_all_written(&buffers->receive);
    if (a->sbuf == MPI_IN_PLACE) {
        size_t rank = (size_t)ompi_comm_rank(buffers->comm);
        buffers->send.side.buffer = a->sbuf;
        buffers->receive.read = (struct symm_pieces){rank, rank + 1};
    } else {
        mca_coll_symm_host_copy_sent(&buffers->send, a->sbuf, 1, (size_t)a->scount, a->sdtype);
    }
    mca_coll_symm_host_copy_moves(buffers, a);
}

void mca_coll_symm_host_copy_describe_allgather(struct symm_host_copy_buffers *buffers,
                                                const struct symm_arguments *a)
{
    mca_coll_symm_host_copy_even(&buffers->receive, a->rbuf, mca_coll_symm_others(buffers->comm),
                                 (size_t)a->rcount, a->rdtype);
    block_describe(buffers, a);
}

void mca_coll_symm_host_copy_describe_allgatherv(struct symm_host_copy_buffers *buffers,
                                                 const struct symm_arguments *a)
{
    mca_coll_symm_host_copy_spread(&buffers->receive, a->rbuf, mca_coll_symm_others(buffers->comm),
                                   a->rcounts, a->rdisps, a->rdtype);
    block_describe(buffers, a);
}

/* All-to-all.  The shapes of both buffers have been described; in place there is no send buffer. */
static void exchange_describe(struct symm_host_copy_buffers *buffers,
                              const struct symm_arguments *a)
{
    mca_coll_symm_host_copy_all_written(&buffers->receive);
    if (a->sbuf == MPI_IN_PLACE) {
        buffers->send.side.shape = SYMM_SIDE_NONE;
        mca_coll_symm_host_copy_all_read(&buffers->receive);
    } else {
        mca_coll_symm_host_copy_all_read(&buffers->send);
    }
}

void mca_coll_symm_host_copy_describe_alltoall(struct symm_host_copy_buffers *buffers,
                                               const struct symm_arguments *a)
{
    size_t others = mca_coll_symm_others(buffers->comm);
    mca_coll_symm_host_copy_even(&buffers->send, a->sbuf, others, (size_t)a->scount, a->sdtype);
    mca_coll_symm_host_copy_even(&buffers->receive, a->rbuf, others, (size_t)a->rcount, a->rdtype);
    exchange_describe(buffers, a);
    mca_coll_symm_host_copy_moves(buffers, a);
}

void mca_coll_symm_host_copy_describe_alltoallv(struct symm_host_copy_buffers *buffers,
                                                const struct symm_arguments *a)
{
    size_t others = mca_coll_symm_others(buffers->comm);
    mca_coll_symm_host_copy_spread(&buffers->send, a->sbuf, others, a->scounts, a->sdisps,
                                   a->sdtype);
    mca_coll_symm_host_copy_spread(&buffers->receive, a->rbuf, others, a->rcounts, a->rdisps,
                                   a->rdtype);
    exchange_describe(buffers, a);
}

void mca_coll_symm_host_copy_describe_alltoallw(struct symm_host_copy_buffers *buffers,
                                                const struct symm_arguments *a)
{
    size_t others = mca_coll_symm_others(buffers->comm);
    mca_coll_symm_host_copy_typed(&buffers->send, a->sbuf, others, a->scounts, a->sdisps,
                                  a->sdtypes);
    mca_coll_symm_host_copy_typed(&buffers->receive, a->rbuf, others, a->rcounts, a->rdisps,
                                  a->rdtypes);
    exchange_describe(buffers, a);
}
