/*
 * host_copy/neighbor.c - see host_copy/neighbor.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/neighbor.h"

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
static inline void incoming_describe(struct symm_host_copy_buffers *buffers)
{
    mca_coll_symm_host_copy_all_written(&buffers->receive);
    if (OMPI_COMM_IS_CART(buffers->comm)) {
        mca_coll_symm_host_copy_all_read(&buffers->receive);
    }
}

static inline void allgather_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                      symm_count_t scount, struct ompi_datatype_t *sdtype,
                                      void *rbuf, symm_count_t rcount,
                                      struct ompi_datatype_t *rdtype)
{
    mca_coll_symm_host_copy_sent(&buffers->send, sbuf, 1, (size_t)scount, sdtype);
    mca_coll_symm_host_copy_even(&buffers->receive, rbuf, degrees_of(buffers->comm).in,
                                 (size_t)rcount, rdtype);
    incoming_describe(buffers);
}
SYMM_HOST_COPY_DEFINE(neighbor_allgather,
                      allgather_describe(buffers, sbuf, scount, sdtype, rbuf, rcount, rdtype),
                      send->address, scount, sdtype, receive->address, rcount, rdtype)

static inline void allgatherv_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                       symm_count_t scount, struct ompi_datatype_t *sdtype,
                                       void *rbuf, symm_counts_t rcounts, symm_disps_t disps,
                                       struct ompi_datatype_t *rdtype)
{
    mca_coll_symm_host_copy_sent(&buffers->send, sbuf, 1, (size_t)scount, sdtype);
    mca_coll_symm_host_copy_spread(&buffers->receive, rbuf, degrees_of(buffers->comm).in, rcounts,
                                   disps, rdtype);
    incoming_describe(buffers);
}
SYMM_HOST_COPY_DEFINE(neighbor_allgatherv,
                      allgatherv_describe(buffers, sbuf, scount, sdtype, rbuf, rcounts, disps,
                                          rdtype),
                      send->address, scount, sdtype, receive->address, rcounts, disps, rdtype)

static inline void alltoall_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                     symm_count_t scount, struct ompi_datatype_t *sdtype,
                                     void *rbuf, symm_count_t rcount,
                                     struct ompi_datatype_t *rdtype)
{
    struct degrees degrees = degrees_of(buffers->comm);
    mca_coll_symm_host_copy_sent(&buffers->send, sbuf, degrees.out, (size_t)scount, sdtype);
    mca_coll_symm_host_copy_even(&buffers->receive, rbuf, degrees.in, (size_t)rcount, rdtype);
    incoming_describe(buffers);
}
SYMM_HOST_COPY_DEFINE(neighbor_alltoall,
                      alltoall_describe(buffers, sbuf, scount, sdtype, rbuf, rcount, rdtype),
                      send->address, scount, sdtype, receive->address, rcount, rdtype)

static inline void alltoallv_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                      symm_counts_t scounts, symm_disps_t sdisps,
                                      struct ompi_datatype_t *sdtype, void *rbuf,
                                      symm_counts_t rcounts, symm_disps_t rdisps,
                                      struct ompi_datatype_t *rdtype)
{
    struct degrees degrees = degrees_of(buffers->comm);
    mca_coll_symm_host_copy_spread(&buffers->send, sbuf, degrees.out, scounts, sdisps, sdtype);
    mca_coll_symm_host_copy_all_read(&buffers->send);
    mca_coll_symm_host_copy_spread(&buffers->receive, rbuf, degrees.in, rcounts, rdisps, rdtype);
    incoming_describe(buffers);
}
SYMM_HOST_COPY_DEFINE(neighbor_alltoallv,
                      alltoallv_describe(buffers, sbuf, scounts, sdisps, sdtype, rbuf, rcounts,
                                         rdisps, rdtype),
                      send->address, scounts, sdisps, sdtype, receive->address, rcounts, rdisps,
                      rdtype)

static inline void typed_describe(struct symm_host_copy *copy, const void *buffer, size_t pieces,
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

static inline void alltoallw_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                      symm_counts_t scounts, symm_byte_disps_t sdisps,
                                      struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                      symm_counts_t rcounts, symm_byte_disps_t rdisps,
                                      struct ompi_datatype_t *const *rdtypes)
{
    struct degrees degrees = degrees_of(buffers->comm);
    typed_describe(&buffers->send, sbuf, degrees.out, scounts, sdisps, sdtypes);
    mca_coll_symm_host_copy_all_read(&buffers->send);
    typed_describe(&buffers->receive, rbuf, degrees.in, rcounts, rdisps, rdtypes);
    incoming_describe(buffers);
}

/* The displacements of typed pieces: those in the copy, if there is one. */
static symm_byte_disps_t disps_for(const struct symm_host_copy *copy, symm_byte_disps_t disps)
{
    return copy->device >= 0 ? symm_byte_disps_make(copy->moved) : disps;
}
SYMM_HOST_COPY_DEFINE(neighbor_alltoallw,
                      alltoallw_describe(buffers, sbuf, scounts, sdisps, sdtypes, rbuf, rcounts,
                                         rdisps, rdtypes),
                      send->address, scounts, disps_for(send, sdisps), sdtypes, receive->address,
                      rcounts, disps_for(receive, rdisps), rdtypes)
