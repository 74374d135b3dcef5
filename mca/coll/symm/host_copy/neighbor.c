/*
 * host_copy/neighbor.c - see host_copy/neighbor.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/neighbor.h"

#include "mca/coll/symm/host_copy/call.h"

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
static void incoming_describe(struct symm_host_copy_call *call)
{
    mca_coll_symm_host_copy_all_written(&call->receive);
    if (OMPI_COMM_IS_CART(call->comm)) {
        mca_coll_symm_host_copy_all_read(&call->receive);
    }
}

int mca_coll_symm_host_copy_neighbor_allgather(const void *sbuf, symm_count_t scount,
                                               struct ompi_datatype_t *sdtype, void *rbuf,
                                               symm_count_t rcount, struct ompi_datatype_t *rdtype,
                                               struct ompi_communicator_t *comm,
                                               mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_neighbor_allgather, comm, module);
    mca_coll_symm_host_copy_sent(&call.send, sbuf, 1, (size_t)scount, sdtype);
    mca_coll_symm_host_copy_even(&call.receive, rbuf, degrees_of(comm).in, (size_t)rcount, rdtype);
    incoming_describe(&call);
    return SYMM_HOST_COPY_CALL_BELOW(&call, neighbor_allgather, call.send.address, scount, sdtype,
                                     call.receive.address, rcount, rdtype, comm);
}

int mca_coll_symm_host_copy_neighbor_allgatherv(const void *sbuf, symm_count_t scount,
                                                struct ompi_datatype_t *sdtype, void *rbuf,
                                                symm_counts_t rcounts, symm_disps_t disps,
                                                struct ompi_datatype_t *rdtype,
                                                struct ompi_communicator_t *comm,
                                                mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_neighbor_allgatherv, comm, module);
    mca_coll_symm_host_copy_sent(&call.send, sbuf, 1, (size_t)scount, sdtype);
    mca_coll_symm_host_copy_spread(&call.receive, rbuf, degrees_of(comm).in, rcounts, disps,
                                   rdtype);
    incoming_describe(&call);
    return SYMM_HOST_COPY_CALL_BELOW(&call, neighbor_allgatherv, call.send.address, scount, sdtype,
                                     call.receive.address, rcounts, disps, rdtype, comm);
}

int mca_coll_symm_host_copy_neighbor_alltoall(const void *sbuf, symm_count_t scount,
                                              struct ompi_datatype_t *sdtype, void *rbuf,
                                              symm_count_t rcount, struct ompi_datatype_t *rdtype,
                                              struct ompi_communicator_t *comm,
                                              mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_neighbor_alltoall, comm, module);
    struct degrees degrees = degrees_of(comm);
    mca_coll_symm_host_copy_sent(&call.send, sbuf, degrees.out, (size_t)scount, sdtype);
    mca_coll_symm_host_copy_even(&call.receive, rbuf, degrees.in, (size_t)rcount, rdtype);
    incoming_describe(&call);
    return SYMM_HOST_COPY_CALL_BELOW(&call, neighbor_alltoall, call.send.address, scount, sdtype,
                                     call.receive.address, rcount, rdtype, comm);
}

int mca_coll_symm_host_copy_neighbor_alltoallv(const void *sbuf, symm_counts_t scounts,
                                               symm_disps_t sdisps, struct ompi_datatype_t *sdtype,
                                               void *rbuf, symm_counts_t rcounts,
                                               symm_disps_t rdisps, struct ompi_datatype_t *rdtype,
                                               struct ompi_communicator_t *comm,
                                               mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_neighbor_alltoallv, comm, module);
    struct degrees degrees = degrees_of(comm);
    mca_coll_symm_host_copy_spread(&call.send, sbuf, degrees.out, scounts, sdisps, sdtype);
    mca_coll_symm_host_copy_all_read(&call.send);
    mca_coll_symm_host_copy_spread(&call.receive, rbuf, degrees.in, rcounts, rdisps, rdtype);
    incoming_describe(&call);
    return SYMM_HOST_COPY_CALL_BELOW(&call, neighbor_alltoallv, call.send.address, scounts, sdisps,
                                     sdtype, call.receive.address, rcounts, rdisps, rdtype, comm);
}

static void typed_describe(struct symm_host_copy *copy, const void *buffer, size_t pieces,
                           symm_counts_t counts, symm_byte_disps_t disps,
                           struct ompi_datatype_t *const *dtypes)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, 0, MPI_DATATYPE_NULL);
    copy->shape = SYMM_SHAPE_TYPED;
    copy->counts = counts;
    copy->byte_disps = disps;
    copy->has_byte_disps = true;
    copy->dtypes = dtypes;
}

/* The displacements of typed pieces: those in the copy, if there is one. */
static symm_byte_disps_t disps_for(const struct symm_host_copy *copy)
{
    return copy->device >= 0 ? symm_byte_disps_make(copy->moved) : copy->byte_disps;
}

int mca_coll_symm_host_copy_neighbor_alltoallw(const void *sbuf, symm_counts_t scounts,
                                               symm_byte_disps_t sdisps,
                                               struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                               symm_counts_t rcounts, symm_byte_disps_t rdisps,
                                               struct ompi_datatype_t *const *rdtypes,
                                               struct ompi_communicator_t *comm,
                                               mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_neighbor_alltoallw, comm, module);
    struct degrees degrees = degrees_of(comm);
    typed_describe(&call.send, sbuf, degrees.out, scounts, sdisps, sdtypes);
    mca_coll_symm_host_copy_all_read(&call.send);
    typed_describe(&call.receive, rbuf, degrees.in, rcounts, rdisps, rdtypes);
    incoming_describe(&call);
    return SYMM_HOST_COPY_CALL_BELOW(&call, neighbor_alltoallw, call.send.address, scounts,
                                     disps_for(&call.send), sdtypes, call.receive.address, rcounts,
                                     disps_for(&call.receive), rdtypes, comm);
}
