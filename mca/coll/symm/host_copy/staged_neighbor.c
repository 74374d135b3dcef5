/*
 * host_copy/staged_neighbor.c - neighbourhood collectives on device buffers (host_copy/staging.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/staging.h"

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
 * Beyond the edges of a grid there is nobody, and what stands in those pieces of the receive buffer must
 * stay: so the copy gets it, too.
 */
static void incoming_describe(struct symm_staging *staging)
{
    mca_coll_symm_all_written(&staging->receive);
    if (OMPI_COMM_IS_CART(staging->comm)) {
        mca_coll_symm_all_read(&staging->receive);
    }
}

int mca_coll_symm_staged_neighbor_allgather(const void *sbuf, symm_count_t scount,
                                            struct ompi_datatype_t *sdtype, void *rbuf,
                                            symm_count_t rcount, struct ompi_datatype_t *rdtype,
                                            struct ompi_communicator_t *comm,
                                            mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_neighbor_allgather, comm, module);
    mca_coll_symm_sent(&staging.send, sbuf, 1, (size_t)scount, sdtype);
    mca_coll_symm_even(&staging.receive, rbuf, degrees_of(comm).in, (size_t)rcount, rdtype);
    incoming_describe(&staging);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_neighbor_allgather(
                          staging.send.address, scount, sdtype, staging.receive.address, rcount,
                          rdtype, comm, staging.before->coll_neighbor_allgather_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_neighbor_allgatherv(const void *sbuf, symm_count_t scount,
    struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts, symm_disps_t disps,
    struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
    mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_neighbor_allgatherv, comm, module);
    mca_coll_symm_sent(&staging.send, sbuf, 1, (size_t)scount, sdtype);
    mca_coll_symm_spread(&staging.receive, rbuf, degrees_of(comm).in, rcounts, disps, rdtype);
    incoming_describe(&staging);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_neighbor_allgatherv(
                          staging.send.address, scount, sdtype, staging.receive.address, rcounts,
                          disps, rdtype, comm, staging.before->coll_neighbor_allgatherv_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_neighbor_alltoall(const void *sbuf, symm_count_t scount,
                                           struct ompi_datatype_t *sdtype, void *rbuf,
                                           symm_count_t rcount, struct ompi_datatype_t *rdtype,
                                           struct ompi_communicator_t *comm,
                                           mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_neighbor_alltoall, comm, module);
    struct degrees degrees = degrees_of(comm);
    mca_coll_symm_sent(&staging.send, sbuf, degrees.out, (size_t)scount, sdtype);
    mca_coll_symm_even(&staging.receive, rbuf, degrees.in, (size_t)rcount, rdtype);
    incoming_describe(&staging);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_neighbor_alltoall(
                          staging.send.address, scount, sdtype, staging.receive.address, rcount,
                          rdtype, comm, staging.before->coll_neighbor_alltoall_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_neighbor_alltoallv(const void *sbuf, symm_counts_t scounts,
                                            symm_disps_t sdisps, struct ompi_datatype_t *sdtype,
                                            void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps,
                                            struct ompi_datatype_t *rdtype,
                                            struct ompi_communicator_t *comm,
                                            mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_neighbor_alltoallv, comm, module);
    struct degrees degrees = degrees_of(comm);
    mca_coll_symm_spread(&staging.send, sbuf, degrees.out, scounts, sdisps, sdtype);
    mca_coll_symm_all_read(&staging.send);
    mca_coll_symm_spread(&staging.receive, rbuf, degrees.in, rcounts, rdisps, rdtype);
    incoming_describe(&staging);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_neighbor_alltoallv(
                          staging.send.address, scounts, sdisps, sdtype, staging.receive.address,
                          rcounts, rdisps, rdtype, comm,
                          staging.before->coll_neighbor_alltoallv_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

static void typed_describe(struct symm_host_copy *copy, const void *buffer, size_t pieces,
                           symm_counts_t counts, symm_byte_disps_t disps,
                           struct ompi_datatype_t *const *dtypes)
{
    mca_coll_symm_even(copy, buffer, pieces, 0, MPI_DATATYPE_NULL);
    copy->shape = SYMM_SHAPE_TYPED;
    copy->counts = counts;
    copy->byte_disps = disps;
    copy->has_byte_disps = true;
    copy->dtypes = dtypes;
}

/* Copies of typed pieces lie elsewhere than the pieces. */
static symm_byte_disps_t disps_for(const struct symm_host_copy *copy)
{
    return copy->device >= 0 ? symm_byte_disps_make(copy->moved) : copy->byte_disps;
}

int mca_coll_symm_staged_neighbor_alltoallw(const void *sbuf, symm_counts_t scounts,
                                            symm_byte_disps_t sdisps,
                                            struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                            symm_counts_t rcounts, symm_byte_disps_t rdisps,
                                            struct ompi_datatype_t *const *rdtypes,
                                            struct ompi_communicator_t *comm,
                                            mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_neighbor_alltoallw, comm, module);
    struct degrees degrees = degrees_of(comm);
    typed_describe(&staging.send, sbuf, degrees.out, scounts, sdisps, sdtypes);
    mca_coll_symm_all_read(&staging.send);
    typed_describe(&staging.receive, rbuf, degrees.in, rcounts, rdisps, rdtypes);
    incoming_describe(&staging);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_neighbor_alltoallw(
                          staging.send.address, scounts, disps_for(&staging.send), sdtypes,
                          staging.receive.address, rcounts, disps_for(&staging.receive), rdtypes,
                          comm, staging.before->coll_neighbor_alltoallw_module));
    }
    return mca_coll_symm_staging_close(&staging);
}
