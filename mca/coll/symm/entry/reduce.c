/*
 * entry/reduce.c - MPI_Reduce: from MPI's arguments to a description of the call.
 *
 * The root alone has an output.  What other ranks pass for one is not looked at.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/reduction.h"
#include "mca/coll/symm/fast/fast.h"

__attribute__((always_inline))
static inline void outline(struct symm_call *call, enum symm_kinds kinds,
                           const struct symm_arguments *a)
{
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    call->root = a->root;
    mca_coll_symm_reduction_describe(call, SYMM_REDUCE, kinds, a, (size_t)a->rcount,
                                     is_root ? (size_t)a->rcount : 0, (unsigned)a->root);
}

static const struct symm_entry_row row = {
    .collective = SYMM_REDUCE,
    .is_empty = mca_coll_symm_reduction_is_empty,
    .outline = outline,
    .fast = mca_coll_symm_reduction_fast,
};
SYMM_ENTRY_DEFINE(reduce, row)
