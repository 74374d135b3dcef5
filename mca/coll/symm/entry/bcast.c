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
static inline void outline(struct symm_call *call, enum symm_kinds kinds,
                           const struct symm_arguments *a)
{
    (void)kinds;
    mca_coll_symm_buffer_describe(&call->output, a->rbuf, a->rdtype, (size_t)a->rcount);
}

__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds,
                            const struct symm_arguments *a)
{
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    const struct symm_buffer *output = &call->output;
    call->in_place = false; /* what is the same in all calls is no choice */
    call->input.layout = output->layout;
    mca_coll_symm_buffer_place(&call->input, a->rbuf);
    call->payload_bytes = output->bytes;
    call->absent = 0;
    call->gaps = 0;
    if (mca_coll_symm_buffer_has_gaps(output)) {
        call->gaps = SYMM_GAPS_OUTPUT | (is_root ? SYMM_GAPS_INPUT : 0u);
    }
    if (!is_root) {
        mca_coll_symm_rooted_has_output(call);
    }
    mca_coll_symm_rooted_describe(call, SYMM_BCAST, kinds, a->root, output->bytes, false);
}

static inline bool is_empty(const struct symm_arguments *a)
{
    return mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) == 0;
}

static inline bool fast(mca_coll_symm_module_t *module, const struct symm_arguments *a)
{
    return mca_coll_symm_fast_bcast(module, a->root);
}

static const struct symm_entry_row row = {
    .collective = SYMM_BCAST,
    .is_empty = is_empty,
    .outline = outline,
    .fast = fast,
    .describe = describe,
};
SYMM_ENTRY_DEFINE(bcast, row)
