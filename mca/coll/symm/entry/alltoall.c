/*
 * entry/alltoall.c - MPI_Alltoall: from MPI's arguments to a description of the call.
 *
 * All blocks are of one size.  Where a side has elements with gaps, or of another extent than their
 * size, its blocks are packed one by one.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/exchange.h"

__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds,
                            const struct symm_arguments *a)
{
    call->in_place = a->sbuf == MPI_IN_PLACE;
    call->output.side = (struct symm_side){
        .shape = SYMM_SIDE_EVEN, .buffer = a->rbuf, .count = (size_t)a->rcount, .dtype = a->rdtype};
    call->input.side = call->in_place ? call->output.side : (struct symm_side){
        .shape = SYMM_SIDE_EVEN, .buffer = a->sbuf, .count = (size_t)a->scount, .dtype = a->sdtype};
    mca_coll_symm_exchange_describe(call, SYMM_ALLTOALL, kinds, a->comm);
}

/* In place, the sent count and type may be anything. */
static inline bool is_empty(const struct symm_arguments *a)
{
    return mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) == 0 &&
           (a->sbuf == MPI_IN_PLACE || mca_coll_symm_bytes(a->sdtype, (size_t)a->scount) == 0);
}

static const struct symm_entry_row row = {
    .collective = SYMM_ALLTOALL,
    .is_empty = is_empty,
    .describe = describe,
};
SYMM_ENTRY_DEFINE(alltoall, row)
