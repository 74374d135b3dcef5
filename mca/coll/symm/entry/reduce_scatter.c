/*
 * entry/reduce_scatter.c - MPI_Reduce_scatter and MPI_Reduce_scatter_block: from MPI's arguments to
 * an operation and back.
 *
 * A call without data on any rank ends at once.  All ranks know all counts, so all see that alike.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/reduce_scatter.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/reduction.h"
#include "mca/coll/symm/host_copy/reduce.h"

/* ---- counts ---------------------------------------------------------------------------------- */

static size_t counts_sum(symm_counts_t counts, struct ompi_communicator_t *comm)
{
    size_t sum = 0, ranks = (size_t)ompi_comm_size(comm);
    for (size_t rank = 0; rank < ranks; rank++) {
        sum += symm_count_at(counts, rank);
    }
    return sum;
}

/*
 * What ranks compare of the counts: a checksum (FNV-1a).  With user-defined operations ranks may
 * have elements of different sizes, so bytes are compared.
 */
static unsigned counts_checksum(symm_counts_t counts, struct ompi_communicator_t *comm,
                                struct ompi_datatype_t *dtype, struct ompi_op_t *op)
{
    const uint64_t start = UINT64_C(0xcbf29ce484222325), factor = UINT64_C(0x100000001b3);
    size_t ranks = (size_t)ompi_comm_size(comm), unit = ompi_op_is_intrinsic(op)
                                                            ? 1 : mca_coll_symm_bytes(dtype, 1);
    uint64_t sum = start;
    for (size_t rank = 0; rank < ranks; rank++) {
        sum = (sum ^ symm_count_at(counts, rank) * unit) * factor;
    }
    return (unsigned)((sum ^ sum >> 24 ^ sum >> 48) & ((1u << SYMM_SIGNATURE_ROOT_BITS) - 1));
}

/*
 * Whether the block of this rank overlaps its result, in place, without being the same memory.
 * Kernels would read what they have written.
 */
static bool is_overlapping(const struct symm_call *call, symm_counts_t counts,
                           struct ompi_communicator_t *comm)
{
    size_t begin = 0, own = (size_t)ompi_comm_rank(comm);
    for (size_t rank = 0; rank < own; rank++) {
        begin += symm_count_at(counts, rank);
    }
    return call->in_place && begin > 0 && begin < symm_count_at(counts, own);
}

static void counts_describe(struct symm_call *call, enum symm_kinds kinds, const void *sbuf,
                            void *rbuf, symm_counts_t counts, struct ompi_datatype_t *dtype,
                            struct ompi_op_t *op, struct ompi_communicator_t *comm)
{
    call->counts = counts;
    mca_coll_symm_reduction_describe(call, SYMM_REDUCE_SCATTER, kinds, sbuf, rbuf,
                                     counts_sum(counts, comm),
                                     symm_count_at(counts, (size_t)ompi_comm_rank(comm)),
                                     counts_checksum(counts, comm, dtype, op), dtype, op);
    if (call->device >= 0 && call->veto == SYMM_REASON_NONE &&
        is_overlapping(call, counts, comm)) {
        call->veto = SYMM_REASON_OVERLAP;
    }
}

static void block_describe(struct symm_call *call, enum symm_kinds kinds, const void *sbuf,
                           void *rbuf, size_t count, struct ompi_datatype_t *dtype,
                           struct ompi_op_t *op, struct ompi_communicator_t *comm)
{
    mca_coll_symm_reduction_describe(call, SYMM_REDUCE_SCATTER_BLOCK, kinds, sbuf, rbuf,
                                     count * (size_t)ompi_comm_size(comm), count, 0, dtype, op);
}

/* ---- MPI_Reduce_scatter ---------------------------------------------------------------------- */

int mca_coll_symm_reduce_scatter(const void *sbuf, void *rbuf, symm_counts_t rcounts,
                                 struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                 struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_entry entry;
    if (mca_coll_symm_bytes(dtype, counts_sum(rcounts, comm)) == 0) {
        return OMPI_SUCCESS;
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_REDUCE_SCATTER, comm, module)) {
        return MPI_ERR_OTHER;
    }
    counts_describe(&entry.module->call, entry.module->super.kinds, sbuf, rbuf, rcounts, dtype, op,
                    comm);
    return SYMM_ENTRY_MAKE(&entry, comm, reduce_scatter, sbuf, rbuf, rcounts, dtype, op);
}

static int counts_start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, ireduce_scatter, a->sbuf, a->rbuf, a->rcounts,
                                    a->rdtype, a->op, mca_coll_symm_request_comm(request), below);
}

static int counts_init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                             ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, reduce_scatter_init, a->sbuf, a->rbuf, a->rcounts,
                                    a->rdtype, a->op, mca_coll_symm_request_comm(request), info,
                                    below);
}

static const struct symm_request_below counts_below = {counts_start_below, counts_init_below};

static int counts_request_make(mca_coll_symm_request_t **request, bool persistent,
                               const void *sbuf, void *rbuf, symm_counts_t rcounts,
                               struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                               struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    int rc = mca_coll_symm_request_open(request, &counts_below, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        (*request)->arguments = (struct symm_arguments){
            .sbuf = sbuf, .rbuf = rbuf, .rdtype = dtype, .op = op};
        rc = mca_coll_symm_request_keep(*request, rcounts);
    }
    if (rc == OMPI_SUCCESS) {
        counts_describe(&(*request)->call, (*request)->module->super.kinds, sbuf, rbuf,
                        (*request)->arguments.rcounts, dtype, op, comm);
    }
    return rc;
}

int mca_coll_symm_ireduce_scatter(const void *sbuf, void *rbuf, symm_counts_t rcounts,
                                  struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                  struct ompi_communicator_t *comm, ompi_request_t **handle,
                                  mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (mca_coll_symm_bytes(dtype, counts_sum(rcounts, comm)) == 0) {
        *handle = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    int rc = counts_request_make(&request, false, sbuf, rbuf, rcounts, dtype, op, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_reduce_scatter_init(const void *sbuf, void *rbuf, symm_counts_t rcounts,
                                      struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                      struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                      ompi_request_t **handle, mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (mca_coll_symm_bytes(dtype, counts_sum(rcounts, comm)) == 0) {
        return ompi_request_persistent_noop_create(handle);
    }
    int rc = counts_request_make(&request, true, sbuf, rbuf, rcounts, dtype, op, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}

/* ---- MPI_Reduce_scatter_block ---------------------------------------------------------------- */

int mca_coll_symm_reduce_scatter_block(const void *sbuf, void *rbuf, symm_count_t rcount,
                                       struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                       struct ompi_communicator_t *comm,
                                       mca_coll_base_module_t *module)
{
    struct symm_entry entry;
    if (mca_coll_symm_bytes(dtype, (size_t)rcount) == 0) {
        return OMPI_SUCCESS;
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_REDUCE_SCATTER_BLOCK, comm, module)) {
        return MPI_ERR_OTHER;
    }
    block_describe(&entry.module->call, entry.module->super.kinds, sbuf, rbuf, (size_t)rcount,
                   dtype, op, comm);
    return SYMM_ENTRY_MAKE(&entry, comm, reduce_scatter_block, sbuf, rbuf, rcount, dtype, op);
}

static int block_start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, ireduce_scatter_block, a->sbuf, a->rbuf, a->rcount,
                                    a->rdtype, a->op, mca_coll_symm_request_comm(request), below);
}

static int block_init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                            ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, reduce_scatter_block_init, a->sbuf, a->rbuf,
                                    a->rcount, a->rdtype, a->op,
                                    mca_coll_symm_request_comm(request), info, below);
}

static const struct symm_request_below block_below = {block_start_below, block_init_below};

static int block_request_make(mca_coll_symm_request_t **request, bool persistent,
                              const void *sbuf, void *rbuf, symm_count_t rcount,
                              struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                              struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    int rc = mca_coll_symm_request_open(request, &block_below, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        (*request)->arguments = (struct symm_arguments){
            .sbuf = sbuf, .rbuf = rbuf, .rcount = rcount, .rdtype = dtype, .op = op};
        block_describe(&(*request)->call, (*request)->module->super.kinds, sbuf, rbuf,
                       (size_t)rcount, dtype, op, comm);
    }
    return rc;
}

int mca_coll_symm_ireduce_scatter_block(const void *sbuf, void *rbuf, symm_count_t rcount,
                                        struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                        struct ompi_communicator_t *comm, ompi_request_t **handle,
                                        mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (mca_coll_symm_bytes(dtype, (size_t)rcount) == 0) {
        *handle = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    int rc = block_request_make(&request, false, sbuf, rbuf, rcount, dtype, op, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_reduce_scatter_block_init(const void *sbuf, void *rbuf, symm_count_t rcount,
                                            struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                            struct ompi_communicator_t *comm,
                                            struct ompi_info_t *info, ompi_request_t **handle,
                                            mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (mca_coll_symm_bytes(dtype, (size_t)rcount) == 0) {
        return ompi_request_persistent_noop_create(handle);
    }
    int rc = block_request_make(&request, true, sbuf, rbuf, rcount, dtype, op, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
