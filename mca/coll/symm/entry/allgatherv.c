/*
 * entry/allgatherv.c - MPI_Allgatherv: from MPI's arguments to a description of the call.
 *
 * All ranks know all counts, so a call without data on any rank ends at once everywhere.  The
 * displacements are this rank's own.
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
    size_t rank = (size_t)ompi_comm_rank(a->comm);
    struct symm_layout own;
    void *address;
    call->in_place = a->sbuf == MPI_IN_PLACE;
    call->output.side = (struct symm_side){
        .shape = SYMM_SIDE_SPREAD, .buffer = a->rbuf, .counts = a->rcounts, .disps = a->rdisps,
        .dtype = a->rdtype};
    if (!call->in_place) {
        call->input.side = (struct symm_side){
            .shape = SYMM_SIDE_SAME, .buffer = a->sbuf, .count = (size_t)a->scount,
            .dtype = a->sdtype};
    } else {
        mca_coll_symm_side_block(&call->output.side, rank, &own, &address);
        call->input.side = (struct symm_side){
            .shape = SYMM_SIDE_SAME, .buffer = address, .dtype = a->rdtype,
            .count = symm_count_at(a->rcounts, rank)};
    }
    mca_coll_symm_exchange_describe(call, SYMM_ALLGATHERV, kinds, a->comm);
}

static inline bool is_empty(const struct symm_arguments *a)
{
    size_t count = 0, ranks = (size_t)ompi_comm_size(a->comm);
    for (size_t rank = 0; rank < ranks; rank++) {
        count += symm_count_at(a->rcounts, rank);
    }
    return mca_coll_symm_bytes(a->rdtype, count) == 0;
}

static unsigned keep(struct symm_arguments *a)
{
    (void)a;
    return SYMM_KEEP_RECEIVED;
}

static const struct symm_entry_row row = {
    .collective = SYMM_ALLGATHERV,
    .is_empty = is_empty,
    .describe = describe,
    .keep = keep,
};
SYMM_ENTRY_DEFINE(allgatherv, row)
