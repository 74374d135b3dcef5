/*
 * agree/post.c - see agree/post.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/post.h"

#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/agree/loose.h"
#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/resources/resource.h"

/*
 * This is for an all-reduce whose output lies in the heap and whose input does not.  With a copy of
 * the input in the output the call is an in-place one, which peers can reach.  Staging would copy
 * the input as well.
 */
static void output_adopt(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    memcpy(call->output.at, operation->work.input,
           symm_result_bytes(&call->reduction, call->count * call->extent));
    operation->work.input = call->output.at;
    operation->in_place = true;
}

static bool may_adopt_output(const struct symm_call *call)
{
    return symm_collective_get(call->collective)->in_place_by_copy && call->device < 0;
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
        symm_process_locate(process, call->output.at, call->output.bytes, &buffers->output) ==
            SYMM_OK) {
        flags |= LINE_OUTPUT_IN_HEAP;
        heap = buffers->output.heap;
    }
    if ((operation->gaps & SYMM_GAPS_INPUT) == 0 && (call->absent & SYMM_ABSENT_INPUT) == 0 &&
        symm_process_locate(process, operation->work.input, call->input.bytes, &buffers->input) ==
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
    buffers->dropped = 0;
    buffers->shifted = symm_collective_get(call->collective)->reduces && call->shift != 0;
    bool in_place = operation->in_place || mca_coll_symm_blocks_in_place(operation);
    return flags | (in_place ? LINE_IN_PLACE : 0) |
           ((operation->gaps & SYMM_GAPS_ANY) != 0 ? LINE_GAPS : 0) |
           (has_no_input(operation) ? LINE_NO_INPUT : 0) |
           ((call->absent & SYMM_ABSENT_OUTPUT) != 0 ? LINE_NO_OUTPUT : 0) |
           (call->device >= 0 ? LINE_DEVICE : 0) |
           (uint32_t)(call->device + 1) << LINE_DEVICE_SHIFT;
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
    line->flags = buffers_describe(operation, buffers_of(line));
    mca_coll_symm_resources_describe(operation, line);
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
    const unsigned char *input = call->input.at;
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
        mca_coll_symm_buffer_pack(&call->input, line->payload);
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
        memcpy(line->payload, call->input.at, call->payload_bytes);
    }
    if (operation->loose && mca_coll_symm_tells_loose(operation)) {
        line->flags |= LINE_LOOSE;
    }
    symm_line_post(line, operation->work.sequence);
}
