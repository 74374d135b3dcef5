/*
 * host_copy/neighbor.c - the buffers of neighbourhood collectives, for host_copy/describe.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/describe.h"

struct degrees {
    size_t in, out;
};

static struct degrees degrees_of(struct ompi_communicator_t *comm)
{
    int in = 0, out = 0;
    (void)mca_topo_base_neighbor_count(comm, &in, &out);
    return (struct degrees){(size_t)in, (size_t)out};
}

/*
 * A rank at the edge of a grid lacks a neighbour, and the call leaves that neighbour's piece of the
 * receive buffer as it is.  So the copy is filled before the call, too.
 */
static void incoming_describe(struct symm_host_copy_buffers *buffers)
{
    mca_coll_symm_host_copy_all_written(&buffers->receive);
    if (OMPI_COMM_IS_CART(buffers->comm)) {
        mca_coll_symm_host_copy_all_read(&buffers->receive);
    }
}

void mca_coll_symm_host_copy_describe_neighbor_allgather(struct symm_host_copy_buffers *buffers,
                                                         const struct symm_arguments *a)
{
    mca_coll_symm_host_copy_sent(&buffers->send, a->sbuf, 1, (size_t)a->scount, a->sdtype);
    mca_coll_symm_host_copy_even(&buffers->receive, a->rbuf, degrees_of(buffers->comm).in,
                                 (size_t)a->rcount, a->rdtype);
    incoming_describe(buffers);
}

void mca_coll_symm_host_copy_describe_neighbor_allgatherv(struct symm_host_copy_buffers *buffers,
                                                          const struct symm_arguments *a)
{
    mca_coll_symm_host_copy_sent(&buffers->send, a->sbuf, 1, (size_t)a->scount, a->sdtype);
    mca_coll_symm_host_copy_spread(&buffers->receive, a->rbuf, degrees_of(buffers->comm).in,
                                   a->rcounts, a->rdisps, a->rdtype);
    incoming_describe(buffers);
}

void mca_coll_symm_host_copy_describe_neighbor_alltoall(struct symm_host_copy_buffers *buffers,
                                                        const struct symm_arguments *a)
{
    struct degrees degrees = degrees_of(buffers->comm);
    mca_coll_symm_host_copy_sent(&buffers->send, a->sbuf, degrees.out, (size_t)a->scount,
                                 a->sdtype);
    mca_coll_symm_host_copy_even(&buffers->receive, a->rbuf, degrees.in, (size_t)a->rcount,
                                 a->rdtype);
    incoming_describe(buffers);
}

void mca_coll_symm_host_copy_describe_neighbor_alltoallv(struct symm_host_copy_buffers *buffers,
                                                         const struct symm_arguments *a)
{
    struct degrees degrees = degrees_of(buffers->comm);
    mca_coll_symm_host_copy_spread(&buffers->send, a->sbuf, degrees.out, a->scounts, a->sdisps,
                                   a->sdtype);
    mca_coll_symm_host_copy_all_read(&buffers->send);
    mca_coll_symm_host_copy_spread(&buffers->receive, a->rbuf, degrees.in, a->rcounts, a->rdisps,
                                   a->rdtype);
    incoming_describe(buffers);
}

static void typed_describe(struct symm_host_copy *copy, const void *buffer, size_t pieces,
                           symm_counts_t counts, symm_byte_disps_t disps,
                           struct ompi_datatype_t *const *dtypes)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, 0, MPI_DATATYPE_NULL);
    copy->side.shape = SYMM_SIDE_FAR;
    copy->side.counts = counts;
    copy->side.byte_disps = disps;
    copy->side.dtypes = dtypes;
}

void mca_coll_symm_host_copy_describe_neighbor_alltoallw(struct symm_host_copy_buffers *buffers,
                                                         const struct symm_arguments *a)
{
    struct degrees degrees = degrees_of(buffers->comm);
    typed_describe(&buffers->send, a->sbuf, degrees.out, a->scounts, a->sbytes, a->sdtypes);
    mca_coll_symm_host_copy_all_read(&buffers->send);
    typed_describe(&buffers->receive, a->rbuf, degrees.in, a->rcounts, a->rbytes, a->rdtypes);
    incoming_describe(buffers);
}
