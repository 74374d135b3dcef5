/*
 * host_copy/staged_all.c - collectives in which all ranks send to all, on device buffers
 * (host_copy/staging.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/staging.h"

/* All-gathers: this rank's own block, in place, is read from among the results. */
static void block_describe(struct symm_staging *staging, const void *sbuf, size_t scount,
                           struct ompi_datatype_t *sdtype)
{
    mca_coll_symm_all_written(&staging->receive);
    if (sbuf == MPI_IN_PLACE) {
        size_t rank = (size_t)ompi_comm_rank(staging->comm);
        staging->send.buffer = sbuf;
        staging->receive.read = (struct symm_pieces){rank, rank + 1};
    } else {
        mca_coll_symm_sent(&staging->send, sbuf, 1, scount, sdtype);
    }
}

/* All-to-all: what is sent has been described, unless it is in place. */
static void exchange_describe(struct symm_staging *staging, const void *sbuf)
{
    mca_coll_symm_all_written(&staging->receive);
    if (sbuf == MPI_IN_PLACE) {
        staging->send.shape = SYMM_SHAPE_NONE;
        mca_coll_symm_all_read(&staging->receive);
    } else {
        mca_coll_symm_all_read(&staging->send);
    }
}

int mca_coll_symm_staged_allgather(const void *sbuf, symm_count_t scount,
                                   struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                   struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                                   mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_allgather, comm, module);
    mca_coll_symm_even(&staging.receive, rbuf, mca_coll_symm_others(comm), (size_t)rcount, rdtype);
    block_describe(&staging, sbuf, (size_t)scount, sdtype);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_allgather(
                          staging.send.address, scount, sdtype, staging.receive.address, rcount,
                          rdtype, comm, staging.before->coll_allgather_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_allgatherv(const void *sbuf, symm_count_t scount,
                                    struct ompi_datatype_t *sdtype, void *rbuf,
                                    symm_counts_t rcounts, symm_disps_t disps,
                                    struct ompi_datatype_t *rdtype,
                                    struct ompi_communicator_t *comm,
                                    mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_allgatherv, comm, module);
    mca_coll_symm_spread(&staging.receive, rbuf, mca_coll_symm_others(comm), rcounts, disps,
                         rdtype);
    block_describe(&staging, sbuf, (size_t)scount, sdtype);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_allgatherv(
                          staging.send.address, scount, sdtype, staging.receive.address, rcounts,
                          disps, rdtype, comm, staging.before->coll_allgatherv_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_alltoall(const void *sbuf, symm_count_t scount,
                                  struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                  struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                                  mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_alltoall, comm, module);
    size_t others = mca_coll_symm_others(comm);
    mca_coll_symm_even(&staging.send, sbuf, others, (size_t)scount, sdtype);
    mca_coll_symm_even(&staging.receive, rbuf, others, (size_t)rcount, rdtype);
    exchange_describe(&staging, sbuf);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_alltoall(
                          staging.send.address, scount, sdtype, staging.receive.address, rcount,
                          rdtype, comm, staging.before->coll_alltoall_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_alltoallv(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                                   struct ompi_datatype_t *sdtype, void *rbuf,
                                   symm_counts_t rcounts, symm_disps_t rdisps,
                                   struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                                   mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_alltoallv, comm, module);
    size_t others = mca_coll_symm_others(comm);
    mca_coll_symm_spread(&staging.send, sbuf, others, scounts, sdisps, sdtype);
    mca_coll_symm_spread(&staging.receive, rbuf, others, rcounts, rdisps, rdtype);
    exchange_describe(&staging, sbuf);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_alltoallv(
                          staging.send.address, scounts, sdisps, sdtype, staging.receive.address,
                          rcounts, rdisps, rdtype, comm, staging.before->coll_alltoallv_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

/* Copies of typed pieces lie elsewhere than the pieces. */
static symm_disps_t disps_for(const struct symm_host_copy *copy)
{
    return copy->device >= 0 ? copy->moved_disps : copy->disps;
}

int mca_coll_symm_staged_alltoallw(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                                   struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                   symm_counts_t rcounts, symm_disps_t rdisps,
                                   struct ompi_datatype_t *const *rdtypes,
                                   struct ompi_communicator_t *comm,
                                   mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    size_t others = mca_coll_symm_others(comm);
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_alltoallw, comm, module);
    mca_coll_symm_typed(&staging.send, sbuf, others, scounts, sdisps, sdtypes);
    mca_coll_symm_typed(&staging.receive, rbuf, others, rcounts, rdisps, rdtypes);
    exchange_describe(&staging, sbuf);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_alltoallw(
                          staging.send.address, scounts, disps_for(&staging.send), sdtypes,
                          staging.receive.address, rcounts, disps_for(&staging.receive), rdtypes,
                          comm, staging.before->coll_alltoallw_module));
    }
    return mca_coll_symm_staging_close(&staging);
}
