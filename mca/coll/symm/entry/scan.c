/*
 * entry/scan.c - MPI_Scan and MPI_Exscan: from MPI's arguments to a description of the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/reduction.h"
#include "mca/coll/symm/fast/fast.h"

__attribute__((always_inline))
static inline void scan_describe(struct symm_call *call, enum symm_kinds kinds,
                                 const struct symm_arguments *a)
{
    mca_coll_symm_reduction_describe(call, SYMM_SCAN, kinds, a, (size_t)a->rcount,
                                     (size_t)a->rcount, 0);
}

static const struct symm_entry_row scan = {
    .collective = SYMM_SCAN,
    .is_empty = mca_coll_symm_reduction_is_empty,
    .outline = scan_describe,
    .fast = mca_coll_symm_reduction_fast,
};
SYMM_ENTRY_DEFINE(scan, scan)

/* The first rank of an exclusive scan has no result. */
__attribute__((always_inline))
static inline void exscan_describe(struct symm_call *call, enum symm_kinds kinds,
                                   const struct symm_arguments *a)
{
    mca_coll_symm_reduction_describe(call, SYMM_EXSCAN, kinds, a, (size_t)a->rcount,
                                     ompi_comm_rank(a->comm) > 0 ? (size_t)a->rcount : 0, 0);
}

static const struct symm_entry_row exscan = {
    .collective = SYMM_EXSCAN,
    .is_empty = mca_coll_symm_reduction_is_empty,
    .outline = exscan_describe,
    .fast = mca_coll_symm_reduction_fast,
};
SYMM_ENTRY_DEFINE(exscan, exscan)
