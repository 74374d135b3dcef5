/*
 * host_copy/staging.h - calls with device buffers that we do not serve: made by the component below on copies
 * in host memory, because what lies below may know nothing of devices.
 *
 * Each of the functions at the end stands in a communicator's table in front of one of the component below.  It
 * describes the buffers, and has the rest done here:
 *
 *     struct symm_staging staging;
 *     mca_coll_symm_staging_begin(&staging, SYMM_STAGED_bcast, comm, module);
 *     ... describe staging.send and staging.receive (host_copy/host_copy.h) ...
 *     if (mca_coll_symm_staging_open(&staging)) {
 *         mca_coll_symm_staging_made(&staging, staging.before->coll_bcast(...));
 *     }
 *     return mca_coll_symm_staging_close(&staging);
 *
 * From begin() to close() the communicator's slot holds the function below (host_copy/layer.h).
 *
 * It is this rank's own affair: other ranks' buffers may be where they like.  A rank that cannot make its
 * copies must not leave the others waiting in the component below, so it takes part there all the same, if
 * with memory whose contents are worth nothing, and fails afterwards.  (Without memory even for that, it
 * fails at once.)  In calls that we would have served, it lets the others know (serve/below.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_STAGING_H
#define MCA_COLL_SYMM_HOST_COPY_STAGING_H

#include "mca/coll/symm/host_copy/host_copy.h"
#include "mca/coll/symm/host_copy/layer.h"
#include "mca/coll/symm/data/pack.h"
#include "mca/coll/symm/data/recognise.h"

/* Whether device buffers are copied for the component below. */
bool mca_coll_symm_staging_is_on(void);

struct symm_staging {
    enum symm_staged collective;
    struct ompi_communicator_t *comm; /* the one to speak of */
    const mca_coll_base_comm_coll_t *before;
    enum symm_staged_why why;
    mca_coll_base_module_t *module;
    struct symm_aside aside;
    struct symm_host_copy send, receive;
    int error;
};

static inline void mca_coll_symm_staging_begin(struct symm_staging *staging,
                                               enum symm_staged collective,
                                               struct ompi_communicator_t *comm,
                                               mca_coll_base_module_t *module)
{
    staging->collective = collective;
    staging->comm = comm;
    staging->before = mca_coll_symm_before(module);
    staging->module = module;
    staging->why = mca_coll_symm_staged_why(collective, module);
    staging->send.shape = SYMM_SHAPE_NONE;
    staging->send.buffer = NULL;
    staging->receive.shape = SYMM_SHAPE_NONE;
    staging->receive.buffer = NULL;
    if (collective == SYMM_STAGED_reduce_local) {
        staging->aside.slot = NULL;
    } else {
        mca_coll_symm_layer_step_aside(&staging->aside, collective, comm, module);
    }
}

/* The quick way for memory that is known to be the host's; false: it may not be. */
static inline bool mca_coll_symm_staging_needs_none(struct symm_host_copy *copy)
{
    bool host = copy->shape == SYMM_SHAPE_NONE || copy->buffer == MPI_IN_PLACE ||
                (copy->shape == SYMM_SHAPE_EVEN &&
                 (mca_coll_symm_bytes(copy->dtype, copy->count) == 0 ||
                  mca_coll_symm_is_known_host(mca_coll_symm_at(copy->buffer,
                                                               copy->dtype->super.true_lb))));
    copy->device = -1;
    copy->address = symm_ompi_unconst(copy->buffer);
    return host;
}

/* False: the call cannot be made at all. */
bool mca_coll_symm_staging_make_copies(struct symm_staging *staging);
static inline bool mca_coll_symm_staging_open(struct symm_staging *staging)
{
    if (mca_coll_symm_staging_needs_none(&staging->send) &&
        mca_coll_symm_staging_needs_none(&staging->receive)) {
        staging->error = OMPI_SUCCESS;
        return true;
    }
    return mca_coll_symm_staging_make_copies(staging);
}

/* What the component below has returned. */
static inline void mca_coll_symm_staging_made(struct symm_staging *staging, int rc)
{
    if (staging->error == OMPI_SUCCESS) {
        staging->error = rc;
    }
}

/* Bring back the results, and say what there is to say; returns what the call returns. */
int mca_coll_symm_staging_end(struct symm_staging *staging);
static inline int mca_coll_symm_staging_close(struct symm_staging *staging)
{
    mca_coll_symm_layer_step_back(&staging->aside);
    bool staged = staging->send.device >= 0 || staging->receive.device >= 0;
    return staged ? mca_coll_symm_staging_end(staging) : staging->error;
}

/* ---- describing buffers ---------------------------------------------------------------------- */

/* All pieces are read, or written. */
static inline void mca_coll_symm_all_read(struct symm_host_copy *copy)
{
    copy->read = (struct symm_pieces){0, copy->pieces};
}

static inline void mca_coll_symm_all_written(struct symm_host_copy *copy)
{
    copy->written = (struct symm_pieces){0, copy->pieces};
}

/* `pieces` times `count` elements; so far neither read nor written. */
static inline void mca_coll_symm_even(struct symm_host_copy *copy, const void *buffer,
                                      size_t pieces, size_t count, struct ompi_datatype_t *dtype)
{
    copy->shape = SYMM_SHAPE_EVEN;
    copy->buffer = buffer;
    copy->pieces = pieces;
    copy->count = count;
    copy->dtype = dtype;
    copy->has_byte_disps = false;
    copy->read = copy->written = (struct symm_pieces){0, 0};
}

static inline void mca_coll_symm_spread(struct symm_host_copy *copy, const void *buffer,
                                        size_t pieces, symm_counts_t counts, symm_disps_t disps,
                                        struct ompi_datatype_t *dtype)
{
    mca_coll_symm_even(copy, buffer, pieces, 0, dtype);
    copy->shape = SYMM_SHAPE_SPREAD;
    copy->counts = counts;
    copy->disps = disps;
}

static inline void mca_coll_symm_typed(struct symm_host_copy *copy, const void *buffer,
                                       size_t pieces, symm_counts_t counts, symm_disps_t disps,
                                       struct ompi_datatype_t *const *dtypes)
{
    mca_coll_symm_spread(copy, buffer, pieces, counts, disps, MPI_DATATYPE_NULL);
    copy->shape = SYMM_SHAPE_TYPED;
    copy->dtypes = dtypes;
}

/* What is sent is read, all of it; the buffer may be MPI_IN_PLACE. */
static inline void mca_coll_symm_sent(struct symm_host_copy *copy, const void *buffer,
                                      size_t pieces, size_t count, struct ompi_datatype_t *dtype)
{
    mca_coll_symm_even(copy, buffer, pieces, count, dtype);
    mca_coll_symm_all_read(copy);
}

static inline void mca_coll_symm_received(struct symm_host_copy *copy, void *buffer, size_t pieces,
                                          size_t count, struct ompi_datatype_t *dtype)
{
    mca_coll_symm_even(copy, buffer, pieces, count, dtype);
    mca_coll_symm_all_written(copy);
}

/* The ranks that this one exchanges data with. */
static inline size_t mca_coll_symm_others(struct ompi_communicator_t *comm)
{
    return (size_t)(OMPI_COMM_IS_INTER(comm) ? ompi_comm_remote_size(comm) : ompi_comm_size(comm));
}

/* ---- the calls, as Open MPI declares them ---------------------------------------------------- */

int mca_coll_symm_staged_allgather(const void *sbuf, symm_count_t scount,
                                   struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                   struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                                   mca_coll_base_module_t *module);
int mca_coll_symm_staged_allgatherv(const void *sbuf, symm_count_t scount,
                                    struct ompi_datatype_t *sdtype, void *rbuf,
                                    symm_counts_t rcounts, symm_disps_t disps,
                                    struct ompi_datatype_t *rdtype,
                                    struct ompi_communicator_t *comm,
                                    mca_coll_base_module_t *module);
int mca_coll_symm_staged_allreduce(const void *sbuf, void *rbuf, symm_count_t count,
                                   struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                   struct ompi_communicator_t *comm,
                                   mca_coll_base_module_t *module);
int mca_coll_symm_staged_alltoall(const void *sbuf, symm_count_t scount,
                                  struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                  struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                                  mca_coll_base_module_t *module);
int mca_coll_symm_staged_alltoallv(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                                   struct ompi_datatype_t *sdtype, void *rbuf,
                                   symm_counts_t rcounts, symm_disps_t rdisps,
                                   struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                                   mca_coll_base_module_t *module);
int mca_coll_symm_staged_alltoallw(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                                   struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                   symm_counts_t rcounts, symm_disps_t rdisps,
                                   struct ompi_datatype_t *const *rdtypes,
                                   struct ompi_communicator_t *comm,
                                   mca_coll_base_module_t *module);
int mca_coll_symm_staged_bcast(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype,
                               int root, struct ompi_communicator_t *comm,
                               mca_coll_base_module_t *module);
int mca_coll_symm_staged_exscan(const void *sbuf, void *rbuf, symm_count_t count,
                                struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_staged_gather(const void *sbuf, symm_count_t scount,
                                struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                struct ompi_datatype_t *rdtype, int root,
                                struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_staged_gatherv(const void *sbuf, symm_count_t scount,
                                 struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts,
                                 symm_disps_t disps, struct ompi_datatype_t *rdtype, int root,
                                 struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_staged_reduce(const void *sbuf, void *rbuf, symm_count_t count,
                                struct ompi_datatype_t *dtype, struct ompi_op_t *op, int root,
                                struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_staged_reduce_scatter(const void *sbuf, void *rbuf, symm_counts_t rcounts,
                                        struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                        struct ompi_communicator_t *comm,
                                        mca_coll_base_module_t *module);
int mca_coll_symm_staged_reduce_scatter_block(const void *sbuf, void *rbuf, symm_count_t rcount,
    struct ompi_datatype_t *dtype, struct ompi_op_t *op, struct ompi_communicator_t *comm,
    mca_coll_base_module_t *module);
int mca_coll_symm_staged_scan(const void *sbuf, void *rbuf, symm_count_t count,
                              struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                              struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_staged_scatter(const void *sbuf, symm_count_t scount,
                                 struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                 struct ompi_datatype_t *rdtype, int root,
                                 struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_staged_scatterv(const void *sbuf, symm_counts_t scounts, symm_disps_t disps,
                                  struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                  struct ompi_datatype_t *rdtype, int root,
                                  struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_staged_neighbor_allgather(const void *sbuf, symm_count_t scount,
                                            struct ompi_datatype_t *sdtype, void *rbuf,
                                            symm_count_t rcount, struct ompi_datatype_t *rdtype,
                                            struct ompi_communicator_t *comm,
                                            mca_coll_base_module_t *module);
int mca_coll_symm_staged_neighbor_allgatherv(const void *sbuf, symm_count_t scount,
    struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts, symm_disps_t disps,
    struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
    mca_coll_base_module_t *module);
int mca_coll_symm_staged_neighbor_alltoall(const void *sbuf, symm_count_t scount,
                                           struct ompi_datatype_t *sdtype, void *rbuf,
                                           symm_count_t rcount, struct ompi_datatype_t *rdtype,
                                           struct ompi_communicator_t *comm,
                                           mca_coll_base_module_t *module);
int mca_coll_symm_staged_neighbor_alltoallv(const void *sbuf, symm_counts_t scounts,
                                            symm_disps_t sdisps, struct ompi_datatype_t *sdtype,
                                            void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps,
                                            struct ompi_datatype_t *rdtype,
                                            struct ompi_communicator_t *comm,
                                            mca_coll_base_module_t *module);
int mca_coll_symm_staged_neighbor_alltoallw(const void *sbuf, symm_counts_t scounts,
                                            symm_byte_disps_t sdisps,
                                            struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                            symm_counts_t rcounts, symm_byte_disps_t rdisps,
                                            struct ompi_datatype_t *const *rdtypes,
                                            struct ompi_communicator_t *comm,
                                            mca_coll_base_module_t *module);
int mca_coll_symm_staged_reduce_local(const void *sbuf, void *rbuf, symm_count_t count,
                                      struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                      mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_HOST_COPY_STAGING_H */
