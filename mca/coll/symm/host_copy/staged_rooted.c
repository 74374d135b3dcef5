/*
 * host_copy/staged_rooted.c - collectives with a root, on device buffers (host_copy/staging.h).
 *
 * At the root of an inter-communicator `root` is MPI_ROOT, on the ranks beside it MPI_PROC_NULL, and those take
 * no part; the buffers are those of the other group's ranks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/staging.h"

static bool is_root(struct ompi_communicator_t *comm, int root)
{
    return root == (OMPI_COMM_IS_INTER(comm) ? MPI_ROOT : ompi_comm_rank(comm));
}

/* Whether this rank has something for the root, or gets something from it. */
static bool is_at_leaf(struct ompi_communicator_t *comm, int root)
{
    return !OMPI_COMM_IS_INTER(comm) || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

/* In place, the root's own piece is where it belongs. */
static void own_is_read(struct symm_host_copy *copy, struct ompi_communicator_t *comm)
{
    size_t rank = (size_t)ompi_comm_rank(comm);
    copy->read = (struct symm_pieces){rank, rank + 1};
}

/* What all ranks but those beside a root send to it, or get from it; in place the root does neither. */
static void leaf_sends(struct symm_staging *staging, const void *sbuf, symm_count_t count,
                       struct ompi_datatype_t *dtype, int root)
{
    staging->send.buffer = sbuf;
    if (is_at_leaf(staging->comm, root) && sbuf != MPI_IN_PLACE) {
        mca_coll_symm_sent(&staging->send, sbuf, 1, (size_t)count, dtype);
    }
}

static void leaf_receives(struct symm_staging *staging, void *rbuf, symm_count_t count,
                          struct ompi_datatype_t *dtype, int root)
{
    staging->receive.buffer = rbuf;
    if (is_at_leaf(staging->comm, root) && rbuf != MPI_IN_PLACE) {
        mca_coll_symm_received(&staging->receive, rbuf, 1, (size_t)count, dtype);
    }
}

int mca_coll_symm_staged_bcast(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype,
                               int root, struct ompi_communicator_t *comm,
                               mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_bcast, comm, module);
    staging.receive.buffer = buffer;
    if (is_root(comm, root) || is_at_leaf(comm, root)) {
        mca_coll_symm_even(&staging.receive, buffer, 1, (size_t)count, dtype);
        if (is_root(comm, root)) {
            mca_coll_symm_all_read(&staging.receive);
        } else {
            mca_coll_symm_all_written(&staging.receive);
        }
    }
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_bcast(
                          staging.receive.address, count, dtype, root, comm,
                          staging.before->coll_bcast_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_gather(const void *sbuf, symm_count_t scount,
                                struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                struct ompi_datatype_t *rdtype, int root,
                                struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_gather, comm, module);
    staging.receive.buffer = rbuf;
    if (is_root(comm, root)) {
        mca_coll_symm_received(&staging.receive, rbuf, mca_coll_symm_others(comm), (size_t)rcount,
                               rdtype);
        if (sbuf == MPI_IN_PLACE) {
            own_is_read(&staging.receive, comm);
        }
    }
    leaf_sends(&staging, sbuf, scount, sdtype, root);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_gather(
                          staging.send.address, scount, sdtype, staging.receive.address, rcount,
                          rdtype, root, comm, staging.before->coll_gather_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_gatherv(const void *sbuf, symm_count_t scount,
                                 struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts,
                                 symm_disps_t disps, struct ompi_datatype_t *rdtype, int root,
                                 struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_gatherv, comm, module);
    staging.receive.buffer = rbuf;
    if (is_root(comm, root)) {
        mca_coll_symm_spread(&staging.receive, rbuf, mca_coll_symm_others(comm), rcounts, disps,
                             rdtype);
        mca_coll_symm_all_written(&staging.receive);
        if (sbuf == MPI_IN_PLACE) {
            own_is_read(&staging.receive, comm);
        }
    }
    leaf_sends(&staging, sbuf, scount, sdtype, root);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_gatherv(
                          staging.send.address, scount, sdtype, staging.receive.address, rcounts,
                          disps, rdtype, root, comm, staging.before->coll_gatherv_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_scatter(const void *sbuf, symm_count_t scount,
                                 struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                 struct ompi_datatype_t *rdtype, int root,
                                 struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_scatter, comm, module);
    staging.send.buffer = sbuf;
    if (is_root(comm, root)) {
        mca_coll_symm_sent(&staging.send, sbuf, mca_coll_symm_others(comm), (size_t)scount, sdtype);
    }
    leaf_receives(&staging, rbuf, rcount, rdtype, root);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_scatter(
                          staging.send.address, scount, sdtype, staging.receive.address, rcount,
                          rdtype, root, comm, staging.before->coll_scatter_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_scatterv(const void *sbuf, symm_counts_t scounts, symm_disps_t disps,
                                  struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                  struct ompi_datatype_t *rdtype, int root,
                                  struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_scatterv, comm, module);
    staging.send.buffer = sbuf;
    if (is_root(comm, root)) {
        mca_coll_symm_spread(&staging.send, sbuf, mca_coll_symm_others(comm), scounts, disps,
                             sdtype);
        mca_coll_symm_all_read(&staging.send);
    }
    leaf_receives(&staging, rbuf, rcount, rdtype, root);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_scatterv(
                          staging.send.address, scounts, disps, sdtype, staging.receive.address,
                          rcount, rdtype, root, comm, staging.before->coll_scatterv_module));
    }
    return mca_coll_symm_staging_close(&staging);
}

int mca_coll_symm_staged_reduce(const void *sbuf, void *rbuf, symm_count_t count,
                                struct ompi_datatype_t *dtype, struct ompi_op_t *op, int root,
                                struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_staging staging;
    mca_coll_symm_staging_begin(&staging, SYMM_STAGED_reduce, comm, module);
    staging.receive.buffer = rbuf;
    if (is_root(comm, root)) {
        mca_coll_symm_received(&staging.receive, rbuf, 1, (size_t)count, dtype);
        if (sbuf == MPI_IN_PLACE) {
            mca_coll_symm_all_read(&staging.receive);
        }
    }
    leaf_sends(&staging, sbuf, count, dtype, root);
    if (mca_coll_symm_staging_open(&staging)) {
        mca_coll_symm_staging_made(
            &staging, staging.before->coll_reduce(
                          staging.send.address, staging.receive.address, count, dtype, op, root,
                          comm, staging.before->coll_reduce_module));
    }
    return mca_coll_symm_staging_close(&staging);
}
