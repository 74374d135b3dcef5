/*
 * entry/alltoallv.c - MPI_Alltoallv: from MPI's arguments to a description of the call.
 *
 * A rank knows only its own counts, so a rank without data takes part in the call.
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
        .shape = SYMM_SIDE_SPREAD, .buffer = a->rbuf, .counts = a->rcounts, .disps = a->rdisps,
        .dtype = a->rdtype};
    call->input.side = call->in_place ? call->output.side : (struct symm_side){
        .shape = SYMM_SIDE_SPREAD, .buffer = a->sbuf, .counts = a->scounts, .disps = a->sdisps,
        .dtype = a->sdtype};
    mca_coll_symm_exchange_describe(call, SYMM_ALLTOALLV, kinds, a->comm);
}

static unsigned keep(struct symm_arguments *a)
{
    return a->sbuf != MPI_IN_PLACE ? SYMM_KEEP_RECEIVED | SYMM_KEEP_SENT : SYMM_KEEP_RECEIVED;
}

static const struct symm_entry_row row = {
    .collective = SYMM_ALLTOALLV,
    .describe = describe,
    .keep = keep,
};
SYMM_ENTRY_DEFINE(alltoallv, row)
