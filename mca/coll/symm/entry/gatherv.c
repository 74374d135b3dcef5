/*
 * entry/gatherv.c - MPI_Gatherv: from MPI's arguments to a description of the call.
 *
 * It is an exchange in which each rank sends a block to the root, and nothing else is sent.  In
 * place the root's own block is where it belongs, and no rank sends it.  Only the root knows all
 * counts, so a rank without data takes part in the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/exchange.h"
#include "mca/coll/symm/fast/fast.h"

__attribute__((always_inline))
static inline void outline(struct symm_call *call, enum symm_kinds kinds,
                           const struct symm_arguments *a)
{
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    bool in_place = is_root && a->sbuf == MPI_IN_PLACE;
    size_t root = (size_t)a->root;
    (void)kinds;
    call->in_place = false;
    call->root = a->root;
    call->input.side = in_place ? mca_coll_symm_side_empty(a->rdtype) : (struct symm_side){
        .shape = SYMM_SIDE_ONE, .one = root, .buffer = a->sbuf, .count = (size_t)a->scount,
        .dtype = a->sdtype};
    call->output.side = !is_root ? mca_coll_symm_side_empty(a->sdtype) : (struct symm_side){
        .shape = in_place ? SYMM_SIDE_OTHERS : SYMM_SIDE_SPREAD, .one = root, .buffer = a->rbuf,
        .counts = a->rcounts, .disps = a->rdisps, .dtype = a->rdtype};
}

static inline bool fast(mca_coll_symm_module_t *module, const struct symm_arguments *a)
{
    (void)a;
    return mca_coll_symm_fast_gatherv(module);
}

static void describe(struct symm_call *call, enum symm_kinds kinds, const struct symm_arguments *a)
{
    mca_coll_symm_exchange_describe(call, SYMM_GATHERV, kinds, a->comm);
}

static unsigned keep(struct symm_arguments *a)
{
    if (ompi_comm_rank(a->comm) == a->root) {
        return SYMM_KEEP_RECEIVED;
    }
    a->rdtype = a->sdtype;
    return 0;
}

static const struct symm_entry_row row = {
    .collective = SYMM_GATHERV,
    .outline = outline,
    .fast = fast,
    .describe = describe,
    .keep = keep,
};
SYMM_ENTRY_DEFINE(gatherv, row)
