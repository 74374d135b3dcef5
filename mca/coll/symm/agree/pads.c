/*
 * agree/pads.c - see agree/pads.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/pads.h"

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/choose/before.h"

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

void mca_coll_symm_pad_prepare(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    struct mca_coll_symm_lane *lane = operation->lane;
    struct symm_pad *pad = call->device >= 0 ? symm_pad_find(lane->pads, call->device) : NULL;
    operation->pad = NULL;
    if (!operation->again && operation->veto == SYMM_REASON_NONE &&
        mca_coll_symm_choose_pads(call, lane->team) && !are_uneven(call, lane->team->size) &&
        symm_pad_offer(pad, lane->team->process, call->device, lane->team->size,
                       mca_coll_symm_call_share(call, lane->team->size), operation->sequence,
                       mca_coll_symm_component.device_pads)) {
        operation->pad = pad;
    }
}

bool mca_coll_symm_pad_describe(const struct symm_operation *operation,
                                struct line_scratch *scratch)
{
    const struct symm_pad *pad = operation->pad;
    scratch->is_pad = pad != NULL;
    if (pad == NULL) {
        return false;
    }
    scratch->where = pad->location;
    scratch->size = pad->size;
    scratch->identity = pad->identity;
    return true;
}

/* Whether two ranks have the same device, or one that is not known. */
static bool devices_are_shared(const struct symm_operation *operation)
{
    int ranks = operation->lane->team->size;
    for (int rank = 0; rank < ranks; rank++) {
        uint64_t identity = scratch_of(mca_coll_symm_line(operation, rank))->identity;
        bool is_shared = identity == 0;
        for (int other = 0; other < rank; other++) {
            is_shared |= scratch_of(mca_coll_symm_line(operation, other))->identity == identity;
        }
        if (is_shared) {
            return true;
        }
    }
    return false;
}

void mca_coll_symm_pads_facts(const struct symm_operation *operation, struct symm_facts *facts)
{
    size_t row = symm_pad_row(mca_coll_symm_call_share(operation->call, facts->ranks));
    facts->pads = row > 0 && facts->pad_size >= (size_t)facts->ranks * row;
    facts->shared_devices = (facts->pads || facts->scratch_size > 0) &&
                            devices_are_shared(operation);
}

void mca_coll_symm_pad_review(struct symm_operation *operation, enum symm_algorithm algorithm,
                              const struct symm_facts *facts)
{
    if (operation->pad != NULL && !symm_algorithm_has((int)algorithm, SYMM_NEEDS_PADS)) {
        symm_pad_is_vain(operation->pad, mca_coll_symm_call_share(operation->call, facts->ranks),
                         operation->sequence, facts->shared_devices);
        operation->pad = NULL; /* nobody sends to it, so the call's failure would not lose it */
    }
}
