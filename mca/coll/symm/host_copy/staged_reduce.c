/*
 * host_copy/staged_reduce.c - reductions without a root, on device buffers (host_copy/staging.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/staging.h"

/* What is reduced comes from the receive buffer, or from a send buffer of its own. */
static void operand_describe(struct symm_staging *staging, const void *sbuf, size_t pieces,
                             size_t count, struct ompi_datatype_t *dtype)
{
    if (sbuf == MPI_IN_PLACE) {
        staging->send.buffer = sbuf;
        mca_coll_symm_all_read(&staging->receive);
    } else {
        mca_coll_symm_sent(&staging->send, sbuf, pieces, count, dtype);
    }
}

int mca_coll_symm_staged_allreduce(const void *sbuf, void *rbuf, symm_count_t count,
                                   struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                   struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_allreduce, comm, module);
    mca_coll_symm_received(&staging.receive, rbuf, 1, (size_t)count, dtype);
    operand_describe(&staging, sbuf, 1, (size_t)count, dtype);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_allreduce(
                          staging.send.address, staging.receive.address, count, dtype, op, comm,
                          staging.before->coll_allreduce_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_scan(const void *sbuf, void *rbuf, symm_count_t count,
                              struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                              struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_scan, comm, module);
    mca_coll_symm_received(&staging.receive, rbuf, 1, (size_t)count, dtype);
    operand_describe(&staging, sbuf, 1, (size_t)count, dtype);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_scan(
                          staging.send.address, staging.receive.address, count, dtype, op, comm,
                          staging.before->coll_scan_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_exscan(const void *sbuf, void *rbuf, symm_count_t count,
                                struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_exscan, comm, module);
    mca_coll_symm_received(&staging.receive, rbuf, 1, (size_t)count, dtype);
    if (ompi_comm_rank(comm) == 0) { /* nothing is before it: its result is not defined */
        staging.receive.written.end = 0;
    }
    operand_describe(&staging, sbuf, 1, (size_t)count, dtype);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_exscan(
                          staging.send.address, staging.receive.address, count, dtype, op, comm,
                          staging.before->coll_exscan_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_reduce_scatter(const void *sbuf, void *rbuf, symm_counts_t rcounts,
                                        struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                        struct ompi_communicator_t *comm,
                                        mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_reduce_scatter, comm, module);
    size_t total = 0, own = symm_count_at(rcounts, (size_t)ompi_comm_rank(comm));
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        total += symm_count_at(rcounts, (size_t)rank);
    }
    mca_coll_symm_even(&staging.receive, rbuf, sbuf == MPI_IN_PLACE ? total : own, 1, dtype);
    staging.receive.written.end = own;
    operand_describe(&staging, sbuf, total, 1, dtype);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_reduce_scatter(
                          staging.send.address, staging.receive.address, rcounts, dtype, op,
                          comm, staging.before->coll_reduce_scatter_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_reduce_scatter_block(const void *sbuf, void *rbuf, symm_count_t rcount,
    struct ompi_datatype_t *dtype, struct ompi_op_t *op, struct ompi_communicator_t *comm,
    mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_reduce_scatter_block, comm, module);
    size_t ranks = (size_t)ompi_comm_size(comm);
    mca_coll_symm_even(&staging.receive, rbuf, sbuf == MPI_IN_PLACE ? ranks : 1, (size_t)rcount,
                       dtype);
    staging.receive.written.end = 1;
    operand_describe(&staging, sbuf, ranks, (size_t)rcount, dtype);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_reduce_scatter_block(
                          staging.send.address, staging.receive.address, rcount, dtype, op, comm,
                          staging.before->coll_reduce_scatter_block_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

/* Open MPI calls that of MPI_COMM_SELF, whose name the call does not know. */
int mca_coll_symm_staged_reduce_local(const void *sbuf, void *rbuf, symm_count_t count,
                                      struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                      mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_reduce_local, &ompi_mpi_comm_self.comm, module);
    mca_coll_symm_received(&staging.receive, rbuf, 1, (size_t)count, dtype);
    mca_coll_symm_all_read(&staging.receive);
    mca_coll_symm_sent(&staging.send, sbuf, 1, (size_t)count, dtype);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_reduce_local(
                          staging.send.address, staging.receive.address, count, dtype, op,
                          staging.before->coll_reduce_local_module));
    }
    return mca_coll_symm_staging_close(&staging);
}
