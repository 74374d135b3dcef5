/*
 * entry/allreduce.c - MPI_Allreduce: from MPI's arguments to a description of the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/reduction.h"

__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds,
                            const struct symm_arguments *a)
{
    mca_coll_symm_reduction_describe(call, SYMM_ALLREDUCE, kinds, a, (size_t)a->rcount,
                                     (size_t)a->rcount, 0);
}

/*
 * Open MPI makes communicators by nonblocking all-reduces of one int on their parent.  Those of
 * MPI_Comm_idup it starts from within opal_progress(), at other moments on other ranks, beside
 * those of other communicators and beside the program's calls.  So the ranks' orders differ, and
 * ours would meet another's.  All calls that look like them go below in the program's call, as they
 * would without us.  They are not counted: reports are about the program's calls.
 */
static bool is_like_own(const struct symm_arguments *a)
{
    return a->rcount == 1 && ompi_op_is_intrinsic(a->op) &&
           (a->op->op_type == OMPI_OP_MAX || a->op->op_type == OMPI_OP_MIN) &&
           ompi_datatype_is_predefined(a->rdtype) && a->rdtype->super.size == sizeof(int) &&
           (a->rdtype->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE) == OMPI_DATATYPE_FLAG_DATA_INT;
}

static const struct symm_entry_row row = {
    .collective = SYMM_ALLREDUCE,
    .is_empty = mca_coll_symm_reduction_is_empty,
    .describe = describe,
    .is_for_below = is_like_own,
};
SYMM_ENTRY_DEFINE(allreduce, row)
