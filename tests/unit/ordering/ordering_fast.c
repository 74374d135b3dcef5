/*
 * ordering_fast.c - calls that a recorded process makes at once, without an operation
 * (fast/fast.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/unit/ordering/ordering_actor.h"

#include "mca/coll/symm/fast/fast.h"

static unsigned long fast_calls;

bool ordering_is_fast(struct actor *actor)
{
    struct symm_call *call = &actor->module.call;
    const size_t output_bytes = call->output.bytes;
    if (strchr("chsvV", actor->planned->algorithm) == NULL || call->veto != SYMM_REASON_NONE ||
        (actor->rank + actor->call) % 3 == 0) {
        return false;
    }
    size_t mark = recorder_mark();
    call->output.bytes = call->payload_bytes; /* one block, until the call has been described */
    bool is_made =
        call->collective == SYMM_GATHERV ? mca_coll_symm_fast_gatherv(&actor->module)
        : call->collective == SYMM_SCAN ? mca_coll_symm_fast_reduction(&actor->module)
        : call->collective == SYMM_BCAST
            ? mca_coll_symm_fast_bcast(&actor->module, call->root)
            : mca_coll_symm_fast_gather(&actor->module, call->root);
    call->output.bytes = output_bytes;
    if (!is_made) { /* the lines of others were not there */
        recorder_forget(mark, WORD_LINE);
    }
    fast_calls += is_made;
    return is_made;
}

unsigned long ordering_fast_calls(void)
{
    return fast_calls;
}
