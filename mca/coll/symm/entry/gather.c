/*
 * entry/gather.c - MPI_Gather: from MPI's arguments to a description of the call.
 *
 * The root alone has an output.  In place its input is its block there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/rooted.h"
#include "mca/coll/symm/fast/fast.h"

/* The root's call, or that of another rank, which has an input only. */
__attribute__((always_inline))
static inline void outline(struct symm_call *call, enum symm_kinds kinds,
                           const struct symm_arguments *a)
{
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    (void)kinds;
    call->in_place = is_root && a->sbuf == MPI_IN_PLACE;
    if (is_root) {
        mca_coll_symm_buffer_describe(&call->output, a->rbuf, a->rdtype, (size_t)a->rcount);
    }
    if (call->in_place) {
        mca_coll_symm_buffer_within(&call->input, &call->output, a->root);
    } else {
        mca_coll_symm_buffer_describe(&call->input, a->sbuf, a->sdtype, (size_t)a->scount);
    }
}

__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds,
                            const struct symm_arguments *a)
{
    call->gaps = mca_coll_symm_buffer_has_gaps(&call->input) ? SYMM_GAPS_INPUT : 0;
    if (ompi_comm_rank(a->comm) == a->root) {
        call->output.bytes *= (size_t)ompi_comm_size(a->comm);
        call->absent = 0;
        call->gaps |=
            mca_coll_symm_buffer_blocks_have_gaps(&call->output) ? SYMM_GAPS_OUTPUT : 0u;
    } else {
        call->output.layout = call->input.layout;
        mca_coll_symm_rooted_has_input(call);
    }
    call->payload_bytes = call->output.layout.bytes;
    mca_coll_symm_rooted_describe(call, SYMM_GATHER, kinds, a->root, call->output.layout.bytes,
                                  call->input.layout.bytes != call->output.layout.bytes);
}

static inline bool is_empty(const struct symm_arguments *a)
{
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    if (is_root && mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) > 0) {
        return false;
    }
    return a->sbuf == MPI_IN_PLACE || mca_coll_symm_bytes(a->sdtype, (size_t)a->scount) == 0;
}

static inline bool fast(mca_coll_symm_module_t *module, const struct symm_arguments *a)
{
    return mca_coll_symm_fast_gather(module, a->root);
}

static unsigned keep(struct symm_arguments *a)
{
    if (ompi_comm_rank(a->comm) != a->root) {
        a->rdtype = a->sdtype;
    }
    return 0;
}

static const struct symm_entry_row row = {
    .collective = SYMM_GATHER,
    .is_empty = is_empty,
    .outline = outline,
    .fast = fast,
    .describe = describe,
    .keep = keep,
};
SYMM_ENTRY_DEFINE(gather, row)
