/*
 * resources/scratch.c - scratch on devices (resources/scratch_pieces.h): offering it in lines, for
 * data that other ranks do not reach, and for the slices of large reductions.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/resources/scratch.h"

#include "heap/team/process.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/base/steps.h"
#include "mca/coll/symm/choose/before.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/resources/scratch_pieces.h"

/*
 * Give back what this call has taken, if anything.  In the middle of a run, be it that of others,
 * their kernels may have set words in the head, so other memory is got next.
 */
static void leave(struct symm_operation *operation)
{
    struct symm_holdings *holdings = operation->holdings;
    if (holdings->scratch == NULL) {
        return;
    }
    symm_run_settle_early(&operation->run);
    if (operation->state == SYMM_OPERATION_DONE && operation->outcome == SYMM_OUTCOME_ERROR) {
        mca_coll_symm_scratch_lose(operation->call->device, holdings->scratch_piece);
    } else {
        mca_coll_symm_scratch_give(operation->call->device, holdings->scratch_piece);
    }
    holdings->scratch = NULL;
}

/* ---- before the line is written -------------------------------------------------------------- */

/*
 * After a call that has needed scratch, ranks offer scratch in so many calls.  Then they wait for
 * the next call that needs it.
 */
enum { CALLS_RELAYED = 1000 };

/*
 * All ranks post new lines for the same call, with what scratch they have.  They offer scratch at
 * once in the next calls, as programs repeat calls.
 */
static enum symm_reason prepare(struct symm_operation *operation)
{
    operation->holdings->relay_expected = false;
    if (operation->again) {
        operation->lane->calls_relayed = CALLS_RELAYED;
        leave(operation);
    }
    return SYMM_REASON_NONE;
}

static bool must_be_relayed(const struct symm_operation *operation, uint32_t flags)
{
    bool swaps = operation->in_place &&
                 symm_collective_swaps(symm_collective_get(operation->call->collective));
    return (flags & LINE_WITHHELD) != 0 || swaps ||
           mca_coll_symm_choose_relay_forced(operation->call->collective, operation->lane->team);
}

/* Whether the call is quicker by way of scratch, because outputs are in small pages. */
static bool may_avoid_pages(const struct symm_operation *operation, uint32_t flags)
{
    const struct symm_call *call = operation->call;
    const struct symm_algorithm_row *row = symm_algorithm_find(
        call->collective, SYMM_ALGORITHM_DEVICE, SYMM_NEEDS_RELAY_SCRATCH);
    return (flags & LINE_SMALL_PAGES) != 0 && row != NULL && row->small_pages_least > 0 &&
           call->payload_bytes >= row->small_pages_least && operation->lane->team->size > 2;
}

/* Whether this rank has a reason to expect a relayed call. */
static bool expects_relay(const struct symm_operation *operation, uint32_t flags)
{
    const struct mca_coll_symm_lane *lane = operation->lane;
    return lane->calls_relayed > 0 || must_be_relayed(operation, flags) ||
           may_avoid_pages(operation, flags);
}

static bool offer(struct symm_operation *operation, size_t size, struct line_scratch *scratch)
{
    struct symm_holdings *holdings = operation->holdings;
    int device = operation->call->device;
    operation->run.early = false; /* the scratch holds nothing of this call yet */
    holdings->scratch = mca_coll_symm_scratch_take(device, &size, &holdings->scratch_piece);
    if (holdings->scratch == NULL) {
        return false;
    }
    holdings->scratch_size = size;
    scratch->size = size;
    scratch->identity = mca_coll_symm_scratch_identity(device, holdings->scratch_piece);
    return symm_process_locate(operation->lane->team->process, holdings->scratch, size,
                               &scratch->where) == SYMM_OK;
}

/* Offer this rank's scratch, if it is of use and there is some, and no pad is in its place. */
static uint32_t describe(struct symm_operation *operation, struct symm_line *line)
{
    const struct symm_call *call = operation->call;
    struct mca_coll_symm_lane *lane = operation->lane;
    size_t slices = 0, relayed = 0;
    uint32_t flags = 0;
    if (operation->holdings->pad != NULL) {
        return 0;
    }
    if ((line->flags & (LINE_OUTPUT_IN_HEAP | LINE_NO_OUTPUT)) != 0 ||
        symm_collective_get(call->collective)->scatters) { /* nobody stores to this output */
        /* Programs repeat calls: one that was made by multicast will need no scratch again. */
        bool in_reach = (line->flags & LINE_INPUT_IN_HEAP) != 0 && !expects_relay(operation,
                                                                                  line->flags);
        slices = mca_coll_symm_choose_scratch(call, lane->team,
                                              symm_algorithm_is_multimem(lane->last_algorithm),
                                              in_reach);
        flags |= slices > 0 ? LINE_SLICES : 0;
    }
    if (expects_relay(operation, line->flags)) {
        relayed = mca_coll_symm_choose_relay_scratch(call, lane->team);
        lane->calls_relayed -= lane->calls_relayed > 0;
        flags |= LINE_ASKED;
    }
    /* Peers use scratch for slices as soon as they see the offer, so it does not serve to relay. */
    operation->holdings->relay_expected =
        must_be_relayed(operation, line->flags) && (flags & LINE_SLICES) == 0;
    size_t size = slices > relayed ? slices : relayed;
    if (size == 0 || !offer(operation, size, scratch_of(line))) {
        return flags;
    }
    return flags | LINE_SCRATCH;
}

/*
 * Begin with a small call that has to go through scratch, but not the first one.  Blocks for
 * several ranks do not go through scratch as one.
 */
static void posted(struct symm_operation *operation)
{
    const struct symm_holdings *holdings = operation->holdings;
    const struct symm_call *call = operation->call;
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    if (holdings->scratch != NULL && holdings->relay_expected && !row->is_rooted &&
        operation->lane->relay_device == call->device && !row->has_blocks) {
        mca_coll_symm_device_work_prepare(&operation->work, call);
        operation->steps = &mca_coll_symm_steps_plain;
        symm_run_start_early(&operation->run, call->count * call->extent, holdings->scratch,
                             holdings->scratch_size);
    }
}

/* ---- when all lines are there ---------------------------------------------------------------- */

size_t mca_coll_symm_scratch_least(const struct symm_operation *operation, bool is_pad,
                                   struct symm_facts *facts)
{
    const struct symm_team *team = operation->lane->team;
    size_t least = SIZE_MAX;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_scratch *scratch = scratch_of(line);
        enum symm_segment_state state =
            (line->flags & LINE_SCRATCH) == 0
                ? SYMM_SEGMENT_REFUSED : symm_team_segment_state(team, rank, &scratch->where);
        bool is_there = state != SYMM_SEGMENT_REFUSED && (scratch->is_pad != 0) == is_pad;
        size_t size = is_there ? (size_t)scratch->size : 0;
        least = size < least ? size : least;
        facts->unmapped |= state == SYMM_SEGMENT_UNKNOWN;
    }
    return least;
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

static void note(struct symm_operation *operation, struct symm_facts *facts)
{
    uint32_t all = LINE_ASKED | LINE_SLICES;
    for (int rank = 0; rank < facts->ranks; rank++) {
        all &= mca_coll_symm_line(operation, rank)->flags;
    }
    facts->asked = (all & LINE_ASKED) != 0;
    facts->slices = (all & LINE_SLICES) != 0;
    facts->scratch_size = mca_coll_symm_scratch_least(operation, false, facts);
    facts->shared_devices = (facts->pads || facts->scratch_size > 0) &&
                            devices_are_shared(operation);
}

/* ---- when the run starts --------------------------------------------------------------------- */

/*
 * Scratch that is offered in vain is missing for other uses.  So after a few such calls ranks wait
 * to be asked for it.
 */
static void relay_note(struct symm_operation *operation)
{
    if (!mca_coll_symm_device_is_relay(operation->work.algorithm)) {
        operation->lane->calls_relayed /= 8;
    }
}

/* The scratch of all ranks, or the pads in its place. */
static bool resolve(struct symm_operation *operation, const struct symm_facts *facts)
{
    const struct symm_holdings *holdings = operation->holdings;
    struct symm_work *work = &operation->work;
    struct symm_team *team = work->team;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct symm_location *where = &scratch_of(line)->where;
        bool is_there = (line->flags & LINE_SCRATCH) != 0 && rank != team->rank &&
                        symm_team_segment_state(team, rank, where) == SYMM_SEGMENT_MAPPED;
        work->scratches[rank] = is_there ? symm_team_address(team, rank, where) : NULL;
    }
    work->scratches[team->rank] = holdings->pad != NULL ? holdings->pad->memory : holdings->scratch;
    work->scratch_size = symm_algorithm_has((int)work->algorithm, SYMM_NEEDS_PADS)
                            ? facts->pad_size : facts->scratch_size;
    work->shared = facts->shared_devices;
    relay_note(operation);
    return true;
}

const struct symm_resource mca_coll_symm_scratch = {
    .name = "scratch", .prepare = prepare, .describe = describe, .posted = posted, .note = note,
    .resolve = resolve, .leave = leave,
};
