/*
 * resources/elsewhere.c - buffers in device memory that is not from MPI_Alloc_mem, offered to peers
 * by CUDA IPC.
 *
 * Mapping an allocation takes milliseconds.  So a rank offers its buffer only if it has met the
 * allocation more than once and the buffer is not small.  As long as some rank does not offer its
 * buffer, the call goes through scratch on the devices.  All ranks see from the lines who offers
 * what, and treat an offered allocation like a segment of a heap (heap/gpu/cuda_ipc.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/resources/resource.h"

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/choose/before.h"

/* In each call the driver is asked whether so many allocations still exist; each takes 0.07 us. */
enum { REVIEWED = 2 };

/* Whether peers can open this memory at all. */
static bool can_be_opened(const struct symm_memory *memory)
{
    return mca_coll_symm_component.ipc_bytes > 0 && memory->kind == SYMM_MEMORY_DEVICE &&
           memory->ipc && memory->id != 0 && memory->size > 0;
}

/*
 * Describe a buffer that peers have to reach.  The driver is asked for a handle once for an
 * allocation.
 */
static void offer(struct symm_offer *made, const struct symm_memory *memory, const void *address,
                  size_t bytes, bool again)
{
    const mca_coll_symm_component_t *component = &mca_coll_symm_component;
    struct symm_exports *exports;
    unsigned uses;
    *made = (struct symm_offer){.is_elsewhere = memory->kind != SYMM_MEMORY_HOST};
    if (!made->is_elsewhere || !can_be_opened(memory) ||
        bytes < component->ipc_least || /* not counted: it would take the place of others */
        symm_process_exports(component->process, &exports) != SYMM_OK ||
        symm_exports_locate(exports, memory, address, bytes, again, &made->location,
                            &uses) != SYMM_OK) {
        return;
    }
    made->is_made = uses >= (unsigned)component->ipc_uses &&
                    symm_exports_handle(exports, &made->location, &made->handle) == SYMM_OK;
}

/* Whether peers need a buffer that is withheld from them. */
static bool is_withheld(const struct symm_offer *offer)
{
    return offer->is_elsewhere && !offer->is_made;
}

/*
 * Whether a call has a withheld buffer and is so small that copies to the host and back take less
 * time than one more launch.  An Open MPI that gets the device buffers takes 30 to 50 us for them
 * (gpu-ompi-cuda-osu.txt), and one over UCX may crash.
 */
static bool is_small(const struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_holdings *holdings = operation->holdings;
    return holdings->pad == NULL &&
           (is_withheld(&holdings->input_offer) || is_withheld(&holdings->output_offer)) &&
           mca_coll_symm_call_relayed(operation->call, team->rank, team->size) <
               mca_coll_symm_component.scratch_least &&
           mca_coll_symm_component.has_host_copies > 0 &&
           !mca_coll_symm_choose_relay_forced(operation->call->collective, team);
}

/* Packets need no buffers of others.  If they are not possible, the peers know what is missing. */
static void withhold(struct symm_offer *made, const struct symm_memory *memory)
{
    *made = (struct symm_offer){.is_elsewhere = memory->kind != SYMM_MEMORY_HOST};
}

static void offers_make(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    struct symm_holdings *holdings = operation->holdings;
    struct symm_offer *input = &holdings->input_offer, *output = &holdings->output_offer;
    /* The result of a reduce-scatter stays here. */
    bool has_output = !row->scatters && (call->absent & SYMM_ABSENT_OUTPUT) == 0;
    bool has_input = row->device_reads_peers && (call->absent & SYMM_ABSENT_INPUT) == 0;
    *input = *output = (struct symm_offer){0};
    if (has_output && holdings->pad != NULL) {
        withhold(output, &call->output.memory);
    } else if (has_output) {
        offer(output, &call->output.memory, call->output.at, call->output.bytes, false);
    }
    if (has_input && holdings->pad != NULL) {
        withhold(input, &call->input.memory);
    } else if (has_input) {
        bool again = has_output && call->input.memory.id == call->output.memory.id;
        offer(input, &call->input.memory, operation->work.input, call->input.bytes, again);
    }
}

/*
 * Let go of what has been freed, here and by peers.  Unless the call is vetoed, fill input_offer
 * and output_offer.
 */
static enum symm_reason prepare(struct symm_operation *operation)
{
    const mca_coll_symm_component_t *component = &mca_coll_symm_component;
    struct symm_holdings *holdings = operation->holdings;
    if (operation->again) { /* what has been offered stays so */
        return SYMM_REASON_NONE;
    }
    symm_process_review_exports(component->process, REVIEWED);
    symm_team_collect_opened(operation->lane->team);
    if (operation->veto != SYMM_REASON_NONE) {
        return SYMM_REASON_NONE;
    }
    offers_make(operation);
    if (is_small(operation)) {
        return SYMM_REASON_SMALL;
    }
    if (component->ipc_bytes > 0 &&
        symm_process_imports(component->process, component->ipc_bytes, &holdings->imports) ==
            SYMM_OK) {
        holdings->dropped = symm_imports_enter(holdings->imports);
    }
    return SYMM_REASON_NONE;
}

/* ---- lines ----------------------------------------------------------------------------------- */

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

static uint32_t describe(struct symm_operation *operation, struct symm_line *line)
{
    struct line_buffers *buffers = buffers_of(line);
    const struct symm_holdings *holdings = operation->holdings;
    const struct symm_offer *input = &holdings->input_offer, *output = &holdings->output_offer;
    uint32_t flags = 0;
    buffers->dropped = holdings->dropped;
    if (output->is_made) {
        buffers->output = output->location;
        handles_of(line)->output = output->handle;
        flags |= LINE_OUTPUT_IN_HEAP |
                 (has_small_pages(&operation->call->output.memory) ? LINE_SMALL_PAGES : 0);
    }
    if (input->is_made) {
        buffers->input = input->location;
        handles_of(line)->input = input->handle;
        flags |= LINE_INPUT_IN_HEAP;
    }
    return flags | (is_withheld(output) || is_withheld(input) ? LINE_WITHHELD : 0);
}

/* Whether some rank has not been able to open a buffer. */
static bool is_closed(const struct symm_team *team, int rank, uint32_t is_there,
                      const struct symm_location *location)
{
    return is_there != 0 && location->heap == SYMM_HEAP_IPC &&
           symm_team_segment_state(team, rank, location) == SYMM_SEGMENT_REFUSED;
}

static void note(struct symm_operation *operation, struct symm_facts *facts)
{
    const struct symm_team *team = operation->lane->team;
    uint32_t some = 0;
    for (int rank = 0; rank < facts->ranks; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_buffers *buffers = buffers_of(line);
        some |= line->flags;
        facts->closed |=
            is_closed(team, rank, line->flags & LINE_INPUT_IN_HEAP, &buffers->input) ||
            is_closed(team, rank, line->flags & LINE_OUTPUT_IN_HEAP, &buffers->output);
    }
    facts->withheld = (some & LINE_WITHHELD) != 0;
    facts->small_pages = (some & LINE_SMALL_PAGES) != 0;
}

static void leave(struct symm_operation *operation)
{
    struct symm_holdings *holdings = operation->holdings;
    if (holdings->imports != NULL) {
        symm_imports_leave(holdings->imports);
        holdings->imports = NULL;
    }
    holdings->dropped = 0;
}

const struct symm_resource mca_coll_symm_elsewhere = {
    .name = "elsewhere", .prepare = prepare, .describe = describe, .note = note, .leave = leave,
};
