/*
 * entry/bcast.c - MPI_Bcast: from MPI's arguments to a description of the call.
 *
 * The root has an input, which is its output as well.  The others have an output.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/rooted.h"
#include "mca/coll/symm/fast/fast.h"

__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds,
                            const struct symm_arguments *a)
{
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    mca_coll_symm_layout_describe(&call->source, a->rdtype, (size_t)a->rcount);
    call->target = call->source;
    call->in_place = false; /* what is the same in all calls is no choice */
    call->send = a->rbuf;
    call->receive = a->rbuf;
    call->output = mca_coll_symm_at(a->rbuf, call->target.start);
    call->input = call->output;
    call->input_bytes = call->source.bytes;
    call->output_bytes = call->source.bytes;
    call->payload_bytes = call->source.bytes;
    call->absent = 0;
    call->gaps = 0;
    if (!call->source.dense) {
        call->gaps = SYMM_GAPS_OUTPUT | (is_root ? SYMM_GAPS_INPUT : 0u);
    }
    if (!is_root) {
        mca_coll_symm_rooted_has_output(call);
    }
    mca_coll_symm_rooted_describe(call, SYMM_BCAST, kinds, a->root, call->source.bytes, false);
}

static inline bool is_empty(const struct symm_arguments *a)
{
    return mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) == 0;
}

static inline bool fast(mca_coll_symm_module_t *module, const struct symm_arguments *a)
{
    const struct symm_fast_buffer buffer = {a->rbuf, (size_t)a->rcount, a->rdtype};
    return mca_coll_symm_fast_bcast(module, &buffer, a->root);
}

static const struct symm_entry_row row = {
    .collective = SYMM_BCAST,
    .is_empty = is_empty,
    .fast = fast,
    .describe = describe,
};
SYMM_ENTRY_DEFINE(bcast, row)
