/*
 * agree/post.c - see agree/post.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/post.h"

#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/agree/line.h"
#include "mca/coll/symm/agree/loose.h"
#include "mca/coll/symm/agree/multicast.h"
#include "mca/coll/symm/agree/pads.h"
#include "mca/coll/symm/choose/before.h"
#include "mca/coll/symm/device/scratch.h"

/*
 * This is for an all-reduce whose output lies in the heap and whose input does not.  With a copy of
 * the input in the output the call is an in-place one, which peers can reach.  Staging would copy
 * the input as well.
 */
static void output_adopt(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    memcpy(call->output, operation->input,
           symm_result_bytes(&call->reduction, call->count * call->extent));
    operation->input = call->output;
    operation->in_place = true;
}

static bool may_adopt_output(const struct symm_call *call)
{
    return symm_collective_get(call->collective)->in_place_by_copy && call->device < 0;
}

/*
 * Only allocations of a multiple of 2 MiB have pages of 2 MiB.  This was seen in the time that
 * opening takes, and in copies into small pages: beyond 4 to 16 MiB engines are a third slower,
 * kernels a tenth.
 */
static bool has_small_pages(const struct symm_memory *memory)
{
    const size_t large = 2 << 20;
    return memory->size % large != 0;
}

/* Describe buffers in memory from elsewhere.  Returns 0 if there are none. */
static uint32_t offers_describe(const struct symm_operation *operation, struct symm_line *line)
{
    struct line_buffers *buffers = buffers_of(line);
    const struct symm_offer *input = &operation->input_offer, *output = &operation->output_offer;
    uint32_t flags = 0;
    if (operation->call->device < 0) {
        return 0;
    }
    if (output->is_made) {
        buffers->output = output->location;
        handles_of(line)->output = output->handle;
        flags |= LINE_OUTPUT_IN_HEAP |
                 (has_small_pages(&operation->call->output_memory) ? LINE_SMALL_PAGES : 0);
    }
    if (input->is_made) {
        buffers->input = input->location;
        handles_of(line)->input = input->handle;
        flags |= LINE_INPUT_IN_HEAP;
    }
    bool withheld = symm_offer_is_withheld(output) || symm_offer_is_withheld(input);
    return flags | (withheld ? LINE_WITHHELD : 0);
}

/* Whether nobody else reads what this rank sends. */
static bool has_no_input(const struct symm_operation *operation)
{
    return (operation->call->absent & SYMM_ABSENT_INPUT) != 0 ||
           mca_coll_symm_blocks_own_is_apart(operation);
}

static uint32_t buffers_describe(struct symm_operation *operation, struct line_buffers *buffers)
{
    const struct symm_call *call = operation->call;
    struct symm_process *process = operation->lane->team->process;
    uint32_t flags = 0, heap = 0;
    if ((operation->gaps & SYMM_GAPS_OUTPUT) == 0 && (call->absent & SYMM_ABSENT_OUTPUT) == 0 &&
        symm_process_locate(process, call->output, call->output_bytes, &buffers->output) ==
            SYMM_OK) {
        flags |= LINE_OUTPUT_IN_HEAP;
        heap = buffers->output.heap;
    }
    if ((operation->gaps & SYMM_GAPS_INPUT) == 0 && (call->absent & SYMM_ABSENT_INPUT) == 0 &&
        symm_process_locate(process, operation->input, call->input_bytes, &buffers->input) ==
            SYMM_OK) {
        heap = buffers->input.heap; /* also the output's, unless the output is in none */
        flags |= LINE_INPUT_IN_HEAP;
    } else if ((flags & LINE_OUTPUT_IN_HEAP) != 0 && may_adopt_output(call)) {
        output_adopt(operation);
        buffers->input = buffers->output;
        flags |= LINE_INPUT_IN_HEAP;
    }
    buffers->heap = heap;
    buffers->retired = symm_heap_retired(symm_process_heap_at(process, heap));
    buffers->element = mca_coll_symm_operation_element(operation) & LINE_ELEMENT_MOST;
    buffers->shifted = symm_collective_get(call->collective)->reduces && call->shift != 0;
    bool in_place = operation->in_place || mca_coll_symm_blocks_in_place(operation);
    return flags | (in_place ? LINE_IN_PLACE : 0) |
           ((operation->gaps & SYMM_GAPS_ANY) != 0 ? LINE_GAPS : 0) |
           (has_no_input(operation) ? LINE_NO_INPUT : 0) |
           ((call->absent & SYMM_ABSENT_OUTPUT) != 0 ? LINE_NO_OUTPUT : 0) |
           (call->device >= 0 ? LINE_DEVICE : 0) |
           (uint32_t)(call->device + 1) << LINE_DEVICE_SHIFT;
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

static bool scratch_take(struct symm_operation *operation, size_t size,
                         struct line_scratch *scratch)
{
    struct symm_process *process = operation->lane->team->process;
    int device = operation->call->device;
    operation->run.early = false; /* the scratch holds nothing of this call yet */
    operation->scratch = mca_coll_symm_scratch_take(device, &size, &operation->scratch_piece);
    if (operation->scratch == NULL) {
        return false;
    }
    operation->scratch_size = size;
    scratch->size = size;
    scratch->identity = mca_coll_symm_scratch_identity(device, operation->scratch_piece);
    return symm_process_locate(process, operation->scratch, size, &scratch->where) == SYMM_OK;
}

/* Offer this rank's scratch, if it is of use and there is some. */
static uint32_t scratch_describe(struct symm_operation *operation, struct symm_line *line)
{
    const struct symm_call *call = operation->call;
    struct mca_coll_symm_lane *lane = operation->lane;
    size_t slices = 0, relayed = 0;
    uint32_t flags = 0;
    if (call->device >= 0 && mca_coll_symm_pad_describe(operation, scratch_of(line))) {
        operation->relay_expected = false;
        return LINE_SCRATCH;
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
    if (call->device < 0) {
        return 0;
    }
    if (expects_relay(operation, line->flags)) {
        relayed = mca_coll_symm_choose_relay_scratch(call, lane->team);
        lane->calls_relayed -= lane->calls_relayed > 0;
        flags |= LINE_ASKED;
    }
    /* Peers use scratch for slices as soon as they see the offer, so it does not serve to relay. */
    operation->relay_expected = must_be_relayed(operation, line->flags) &&
                                 (flags & LINE_SLICES) == 0;
    size_t size = slices > relayed ? slices : relayed;
    if (size == 0 || !scratch_take(operation, size, scratch_of(line))) {
        return flags;
    }
    return flags | LINE_SCRATCH;
}

/*
 * Tell peers of segments that this rank has given back, even if it is only scratch that has been
 * too small.
 */
static void retired_describe(struct symm_process *process, struct symm_line *line)
{
    struct line_buffers *buffers = buffers_of(line);
    if (buffers->heap == 0 && (line->flags & LINE_SCRATCH) != 0) {
        buffers->heap = scratch_of(line)->where.heap;
        buffers->retired = symm_heap_retired(symm_process_heap_at(process, buffers->heap));
    }
}

/*
 * Describe what does not travel in the slot.  This is a function of its own, so that the path of
 * small calls does not save the registers that it needs.
 */
__attribute__((noinline))
static void memory_describe(struct symm_operation *operation, struct symm_line *line)
{
    line->flags = buffers_describe(operation, buffers_of(line)) | offers_describe(operation, line);
    buffers_of(line)->dropped = operation->dropped;
    line->flags |= scratch_describe(operation, line);
    line->flags |= mca_coll_symm_multicast_flags(operation, line);
    retired_describe(operation->lane->team->process, line);
    if (symm_collective_get(operation->call->collective)->has_blocks) {
        mca_coll_symm_blocks_post(operation, line);
    }
}

/*
 * Write the blocks for the others: in an all-to-all one after the other, in a scatter to where they
 * would be in the whole input.  Between two ranks the block of a rank for itself is half of the
 * data.
 */
static void others_write(const struct symm_operation *operation, struct symm_line *line)
{
    const struct symm_call *call = operation->call;
    const struct symm_team *team = operation->lane->team;
    const unsigned char *input = call->input;
    if (symm_collective_get(call->collective)->gathers) { /* one block, for the root */
        memcpy(line->payload, input, team->rank == call->root ? 0 : call->payload_bytes);
        return;
    }
    size_t block = call->payload_bytes / (size_t)team->size;
    size_t before = (size_t)team->rank * block, behind = before + block;
    size_t next = call->collective == SYMM_ALLTOALL ? before : behind; /* symm_slot_place() */
    memcpy(line->payload, input, before);
    memcpy(line->payload + next, input + behind, call->payload_bytes - behind);
}

/* Data that travels in the slot, and is no single block without gaps.  Returns the line's flags. */
__attribute__((noinline))
static uint32_t parts_write(struct symm_operation *operation, struct symm_line *line)
{
    const struct symm_call *call = operation->call;
    if ((operation->gaps & SYMM_GAPS_BETWEEN) != 0) {
        return mca_coll_symm_blocks_pack(operation, line);
    }
    if ((call->absent & SYMM_ABSENT_INPUT) != 0) {
        return 0; /* the root alone sends data */
    }
    if (operation->gaps == 0) {
        others_write(operation, line);
    } else {
        mca_coll_symm_pack(&call->source, call->send, line->payload);
    }
    return 0;
}

void mca_coll_symm_line_post(struct symm_operation *operation)
{
    struct symm_team *team = operation->lane->team;
    const struct symm_call *call = operation->call;
    struct symm_line *line = mca_coll_symm_line(operation, team->rank);
    line->signature = call->signature;
    line->count = call->agreed_count;
    line->finished = (uint32_t)team->finished;
    if (operation->veto != SYMM_REASON_NONE) {
        line->flags = LINE_VETO | (uint32_t)operation->veto << LINE_REASON_SHIFT;
    } else if (!operation->in_slot) { /* nothing on a device travels in the slot */
        memory_describe(operation, line);
    } else if (operation->gaps != 0 || (call->absent & SYMM_ABSENT_INPUT) != 0 ||
               symm_collective_get(call->collective)->own_stays) {
        line->flags = parts_write(operation, line);
    } else {
        line->flags = 0;
        memcpy(line->payload, call->input, call->payload_bytes);
    }
    line->flags |= mca_coll_symm_tells_loose(operation) ? LINE_LOOSE : 0;
    symm_line_post(line, operation->sequence);
}
