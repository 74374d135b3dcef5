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
    const struct symm_call *call = &actor->module.call;
    struct ompi_datatype_t *byte = &ompi_mpi_byte.dt;
    const struct symm_fast_buffer sent = {call->input, call->payload_bytes, byte};
    const struct symm_fast_buffer received = {
        call->output, call->payload_bytes * (size_t)actor->size, byte};
    if (strchr("chsvV", actor->planned->algorithm) == NULL || call->veto != SYMM_REASON_NONE ||
        (actor->rank + actor->call) % 3 == 0) {
        return false;
    }
    size_t mark = recorder_mark();
    bool is_made =
        call->collective == SYMM_GATHERV ? mca_coll_symm_fast_gatherv(&actor->module)
        : call->collective == SYMM_SCAN ? mca_coll_symm_fast_reduction(&actor->module)
        : call->collective == SYMM_BCAST
            ? mca_coll_symm_fast_bcast(&actor->module, &sent, call->root)
            : mca_coll_symm_fast_gather(&actor->module, &sent, &received, call->root);
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
