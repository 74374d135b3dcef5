/*
 * entry/reduce_scatter.c - MPI_Reduce_scatter and MPI_Reduce_scatter_block: from MPI's arguments to
 * an operation and back.
 *
 * A call without data on any rank ends at once.  All ranks know all counts, so all see that alike.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/reduction.h"

/* ---- MPI_Reduce_scatter ---------------------------------------------------------------------- */

static size_t counts_sum(const struct symm_arguments *a)
{
    size_t sum = 0, ranks = (size_t)ompi_comm_size(a->comm);
    for (size_t rank = 0; rank < ranks; rank++) {
        sum += symm_count_at(a->rcounts, rank);
    }
    return sum;
}

/*
 * What ranks compare of the counts: a checksum (FNV-1a).  With user-defined operations ranks may
 * have elements of different sizes, so bytes are compared.
 */
static unsigned counts_checksum(const struct symm_arguments *a)
{
    const uint64_t start = UINT64_C(0xcbf29ce484222325), factor = UINT64_C(0x100000001b3);
    size_t ranks = (size_t)ompi_comm_size(a->comm);
    size_t unit = ompi_op_is_intrinsic(a->op) ? 1 : mca_coll_symm_bytes(a->rdtype, 1);
    uint64_t sum = start;
    for (size_t rank = 0; rank < ranks; rank++) {
        sum = (sum ^ symm_count_at(a->rcounts, rank) * unit) * factor;
    }
    return (unsigned)((sum ^ sum >> 24 ^ sum >> 48) & ((1u << SYMM_SIGNATURE_ROOT_BITS) - 1));
}

/*
 * Whether the block of this rank overlaps its result, in place, without being the same memory.
 * Kernels would read what they have written.
 */
static bool is_overlapping(const struct symm_call *call, struct ompi_communicator_t *comm)
{
    size_t begin = 0, own = (size_t)ompi_comm_rank(comm);
    for (size_t rank = 0; rank < own; rank++) {
        begin += symm_count_at(call->counts, rank);
    }
    return call->in_place && begin > 0 && begin < symm_count_at(call->counts, own);
}

__attribute__((always_inline))
static inline void counts_describe(struct symm_call *call, enum symm_kinds kinds,
                                   const struct symm_arguments *a)
{
    call->counts = a->rcounts;
    mca_coll_symm_reduction_describe(call, SYMM_REDUCE_SCATTER, kinds, a, counts_sum(a),
                                     symm_count_at(a->rcounts, (size_t)ompi_comm_rank(a->comm)),
                                     counts_checksum(a));
    if (call->device >= 0 && call->veto == SYMM_REASON_NONE && is_overlapping(call, a->comm)) {
        call->veto = SYMM_REASON_OVERLAP;
    }
}

static bool counts_is_empty(const struct symm_arguments *a)
{
    return mca_coll_symm_bytes(a->rdtype, counts_sum(a)) == 0;
}

static unsigned counts_keep(struct symm_arguments *a)
{
    (void)a;
    return SYMM_KEEP_RCOUNTS;
}

static const struct symm_entry_row counts = {
    .collective = SYMM_REDUCE_SCATTER,
    .is_empty = counts_is_empty,
    .describe = counts_describe,
    .keep = counts_keep,
};
SYMM_ENTRY_DEFINE(reduce_scatter, counts)

/* ---- MPI_Reduce_scatter_block ---------------------------------------------------------------- */

__attribute__((always_inline))
static inline void block_describe(struct symm_call *call, enum symm_kinds kinds,
                                  const struct symm_arguments *a)
{
    mca_coll_symm_reduction_describe(call, SYMM_REDUCE_SCATTER_BLOCK, kinds, a,
                                     (size_t)a->rcount * (size_t)ompi_comm_size(a->comm),
                                     (size_t)a->rcount, 0);
}

static const struct symm_entry_row block = {
    .collective = SYMM_REDUCE_SCATTER_BLOCK,
    .is_empty = mca_coll_symm_reduction_is_empty,
    .describe = block_describe,
};
SYMM_ENTRY_DEFINE(reduce_scatter_block, block)
