/*
 * serve/slot.c - see serve/slot.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/slot.h"

#include "heap/team/process.h"
#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/agree/loose.h"
#include "mca/coll/symm/agree/part.h"
#include "mca/coll/symm/agree/post.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/choose/before.h"
#include "mca/coll/symm/device/packing.h"
#include "mca/coll/symm/resources/resource.h"
#include "mca/coll/symm/serve/end.h"

bool mca_coll_symm_slot_is_free(struct symm_team *team, uint64_t sequence)
{
    uint64_t before = symm_control_before(&team->control, sequence);
    if (team->finished_by_all >= before) {
        return true;
    }
    /* The lines have not told (calls that went below were not read to the end), so ask. */
    uint64_t least = UINT64_MAX;
    for (int rank = 0; rank < team->size; rank++) {
        uint64_t finished = atomic_load_explicit(&team->control.finished[rank].value,
                                                 memory_order_acquire);
        least = finished < least ? finished : least;
    }
    team->finished_by_all = least;
    return least >= before;
}

/*
 * Veto a call with gaps whose data does not travel in the slot, unless it can be served all the
 * same, as far as this rank can tell.
 */
static void packing_review(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    const struct symm_collective_row *collective = symm_collective_get(call->collective);
    bool reduces = collective->reduces;
    if (collective->has_blocks) {
        return; /* only all lines together tell whether the largest block can be packed */
    }
    if (reduces && ompi_datatype_is_predefined(call->dtype)) {
        operation->gaps = 0; /* a pair: its elements may be copied whole */
    } else if (!reduces && (operation->gaps & SYMM_GAPS_INPUT) != 0 &&
               call->payload_bytes > operation->lane->team->control.piece_size) {
        operation->veto = SYMM_REASON_GAPS; /* inputs without gaps are read from where they lie */
    }
}

/*
 * Whether an element is longer than what each rank has of a staging buffer, where all ranks have a
 * part of it.
 */
static bool has_long_elements(const struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_collective_row *row = symm_collective_get(operation->call->collective);
    return (row->scatters || row->from_root || row->has_blocks) &&
           mca_coll_symm_operation_element(operation) > symm_stage_row(&team->control);
}

/* What this rank's memory does not meet, because it is in no heap. */
static unsigned needs_unmet(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    struct symm_process *process = operation->lane->team->process;
    struct symm_location location;
    bool has_input = (call->absent & SYMM_ABSENT_INPUT) == 0;
    bool has_output = (call->absent & SYMM_ABSENT_OUTPUT) == 0;
    return (has_input && symm_process_locate(process, operation->work.input, call->input.bytes,
                                             &location) != SYMM_OK ? SYMM_NEEDS_INPUTS : 0u) |
           (has_output && symm_process_locate(process, call->output.at, call->output.bytes,
                                              &location) != SYMM_OK ? SYMM_NEEDS_OUTPUTS : 0u);
}

/*
 * Whether this rank's memory alone tells that the table leaves the call below.  To wait for the
 * lines of others would take up to a tenth of the call.  The first such calls of a lane wait all
 * the same, so that a program whose ranks make different calls hears of it.  An all-reduce may
 * still copy its input to where it is reached (agree/post.c).
 */
static bool is_left_without(const struct symm_operation *operation)
{
    enum { COMPARED = 256 };
    const struct symm_call *call = operation->call;
    const struct symm_team *team = operation->lane->team;
    const unsigned all = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUTPUTS;
    unsigned *compared = &operation->lane->calls_compared;
    if (call->device >= 0 || operation->loose || (operation->gaps & SYMM_GAPS_ANY) != 0 ||
        symm_collective_get(call->collective)->in_place_by_copy ||
        !mca_coll_symm_choose_left_without(call, team, all) ||
        !mca_coll_symm_choose_left_without(call, team, needs_unmet(operation))) {
        return false;
    }
    *compared += *compared < COMPARED;
    return *compared == COMPARED;
}

/*
 * For a call whose data does not travel in the slot: decide what its size and packing decide,
 * beside the call's own veto, before this rank posts its line.  This is a function of its own, to
 * keep the path of small calls short.
 */
__attribute__((noinline))
static void large_review(struct symm_operation *operation, enum symm_left left)
{
    if (left == SYMM_LEFT_VETO && operation->veto == SYMM_REASON_NONE) {
        operation->veto = SYMM_REASON_LEFT;
    }
    if (operation->veto == SYMM_REASON_NONE && is_left_without(operation)) {
        operation->veto = SYMM_REASON_SLOWER;
    }
    if (operation->gaps != 0 && operation->veto == SYMM_REASON_NONE) {
        packing_review(operation);
    }
    if (operation->veto == SYMM_REASON_NONE && has_long_elements(operation)) {
        operation->veto = SYMM_REASON_ELEMENT;
    }
    mca_coll_symm_resources_prepare(operation);
}

/* Whether a rank with a veto needs nobody's line to know that the call goes below. */
static bool may_go_below(const struct symm_operation *operation)
{
    return !operation->loose ||
           operation->lane->team->rank == mca_coll_symm_loose_first(operation->call);
}

/*
 * Pack what has gaps on a device, before anybody reads this rank's line.  Returns false while that
 * is under way.  A call that cannot be packed goes below.
 */
static bool packing_step(struct symm_operation *operation)
{
    if (operation->veto == SYMM_REASON_NONE && operation->packing == NULL &&
        mca_coll_symm_packing_is_for(operation->call)) {
        if (!mca_coll_symm_packing_begin(operation)) {
            operation->veto = SYMM_REASON_GAPS;
            return true;
        }
    }
    if (operation->packing != NULL) {
        enum symm_status status = mca_coll_symm_packing_pack(operation);
        if (status == SYMM_PENDING) {
            return false;
        }
        if (status != SYMM_OK) { /* the copy to the host will tell what has failed */
            mca_coll_symm_packing_end(operation);
            operation->veto = SYMM_REASON_GAPS;
        }
    }
    return true;
}

void mca_coll_symm_step_wait_for_slot(struct symm_operation *operation)
{
    struct symm_team *team = operation->lane->team;
    if (operation->call->device >= 0 && !packing_step(operation)) {
        return;
    }
    const struct symm_call *call = operation->call;
    enum symm_left left = SYMM_LEFT_NOT;
    size_t travels = call->payload_bytes;
    if (symm_collective_get(call->collective)->has_blocks &&
        !mca_coll_symm_blocks_prepare(operation, &travels)) {
        mca_coll_symm_end_fallback(operation, SYMM_REASON_TABLE);
        return;
    }
    bool is_small = mca_coll_symm_choose_inline(call->collective, team, travels);
    if (!is_small) {
        left = mca_coll_symm_choose_left(call, team);
        if (left == SYMM_LEFT_MUTE) {
            mca_coll_symm_end_fallback(operation, SYMM_REASON_LEFT);
            return;
        }
    }
    if (!mca_coll_symm_slot_is_free(team, team->sequence + 1)) {
        return;
    }
    operation->work.sequence = ++team->sequence;
    /* This rank's processor does not reach device memory. */
    operation->in_slot = is_small && call->device < 0 && operation->veto == SYMM_REASON_NONE;
    operation->loose = mca_coll_symm_is_loose(operation, is_small);
    if (!operation->in_slot) {
        large_review(operation, left);
    }
    mca_coll_symm_line_post(operation);
    if (!operation->in_slot) {
        if (operation->veto != SYMM_REASON_NONE && may_go_below(operation)) {
            mca_coll_symm_end_fallback(operation, operation->veto);
            return;
        }
        mca_coll_symm_resources_posted(operation);
    }
    if (symm_collective_get(call->collective)->scatters) { /* the others do not wait for this */
        mca_coll_symm_begins_find(operation);
    }
    operation->mismatch = -1;
    operation->least_finished = (uint32_t)team->finished;
    mca_coll_symm_go_to(operation, SYMM_OPERATION_AGREEING);
}
