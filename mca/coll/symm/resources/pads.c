/*
 * resources/pads.c - pads (heap/team/pads.h), to which ranks send packets: offering them in lines.
 *
 * A rank that expects a call to go by packets offers its pad in the place of scratch.  Peers then
 * need none of its buffers, so it does not offer these if they are from elsewhere.  If some rank
 * has no pad to offer, a call may need new lines.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/resources/resource.h"

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/choose/before.h"
#include "mca/coll/symm/resources/scratch.h"

/* Whether the blocks of a reduce-scatter differ, so that in place one would be in another's way. */
static bool are_uneven(const struct symm_call *call, int ranks)
{
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    for (size_t rank = 1; row->scatters && row->has_counts && rank < (size_t)ranks; rank++) {
        if (symm_count_at(call->counts, rank) != symm_count_at(call->counts, 0)) {
            return true;
        }
    }
    return false;
}

/* Get this rank's pad, if the call is likely to use it. */
static enum symm_reason prepare(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    struct mca_coll_symm_lane *lane = operation->lane;
    struct symm_pad *pad = symm_pad_find(lane->pads, call->device);
    operation->holdings->pad = NULL;
    if (!operation->again && operation->veto == SYMM_REASON_NONE &&
        mca_coll_symm_choose_pads(call, lane->team) && !are_uneven(call, lane->team->size) &&
        symm_pad_offer(pad, lane->team->process, call->device, lane->team->size,
                       mca_coll_symm_call_share(call, lane->team->size), operation->work.sequence,
                       mca_coll_symm_component.device_pads)) {
        operation->holdings->pad = pad;
    }
    return SYMM_REASON_NONE;
}

static uint32_t describe(struct symm_operation *operation, struct symm_line *line)
{
    const struct symm_pad *pad = operation->holdings->pad;
    struct line_scratch *scratch = scratch_of(line);
    scratch->is_pad = pad != NULL;
    if (pad == NULL) {
        return 0;
    }
    scratch->where = pad->location;
    scratch->size = pad->size;
    scratch->identity = pad->identity;
    return LINE_SCRATCH;
}

static void note(struct symm_operation *operation, struct symm_facts *facts)
{
    size_t row = symm_pad_row(mca_coll_symm_call_share(operation->call, facts->ranks));
    facts->pad_size = mca_coll_symm_scratch_least(operation, true, facts);
    facts->pads = row > 0 && facts->pad_size >= (size_t)facts->ranks * row;
}

/* Offer no pad for some time if the algorithm needs none. */
static bool chosen(struct symm_operation *operation, enum symm_algorithm algorithm,
                   const struct symm_facts *facts)
{
    struct symm_holdings *holdings = operation->holdings;
    if (holdings->pad != NULL && !symm_algorithm_has((int)algorithm, SYMM_NEEDS_PADS)) {
        symm_pad_is_vain(holdings->pad, mca_coll_symm_call_share(operation->call, facts->ranks),
                         operation->work.sequence, facts->shared_devices);
        holdings->pad = NULL; /* nobody sends to it, so the call's failure would not lose it */
    }
    return false;
}

static void leave(struct symm_operation *operation)
{
    struct symm_holdings *holdings = operation->holdings;
    if (holdings->pad != NULL && operation->outcome == SYMM_OUTCOME_ERROR) {
        symm_pad_lose(holdings->pad, operation->work.sequence); /* others may have begun to send */
    }
    holdings->pad = NULL;
}

const struct symm_resource mca_coll_symm_pads = {
    .name = "pads", .prepare = prepare, .describe = describe, .note = note, .chosen = chosen,
    .leave = leave,
};
