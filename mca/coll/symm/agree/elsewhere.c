/*
 * agree/elsewhere.c - see agree/elsewhere.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/elsewhere.h"

#include "mca/coll/symm/agree/pads.h"
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

/*
 * Whether a call has a withheld buffer and is so small that copies to the host and back take less
 * time than one more launch.  An Open MPI that gets the device buffers takes 30 to 50 us for them
 * (gpu-ompi-cuda-osu.txt), and one over UCX may crash.
 */
static bool is_small(const struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    return operation->pad == NULL &&
           (symm_offer_is_withheld(&operation->input_offer) ||
            symm_offer_is_withheld(&operation->output_offer)) &&
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
    struct symm_offer *input = &operation->input_offer, *output = &operation->output_offer;
    /* The result of a reduce-scatter stays here. */
    bool has_output = !row->scatters && (call->absent & SYMM_ABSENT_OUTPUT) == 0;
    bool has_input = row->device_reads_peers && (call->absent & SYMM_ABSENT_INPUT) == 0;
    *input = *output = (struct symm_offer){0};
    if (has_output && operation->pad != NULL) {
        withhold(output, &call->output_memory);
    } else if (has_output) {
        offer(output, &call->output_memory, call->output, call->output_bytes, false);
    }
    if (has_input && operation->pad != NULL) {
        withhold(input, &call->input_memory);
    } else if (has_input) {
        bool again = has_output && call->input_memory.id == call->output_memory.id;
        offer(input, &call->input_memory, operation->input, call->input_bytes, again);
    }
}

void mca_coll_symm_elsewhere_prepare(struct symm_operation *operation)
{
    const mca_coll_symm_component_t *component = &mca_coll_symm_component;
    symm_process_review_exports(component->process, REVIEWED);
    symm_team_collect_opened(operation->lane->team);
    if (operation->veto != SYMM_REASON_NONE) {
        return;
    }
    mca_coll_symm_pad_prepare(operation);
    offers_make(operation);
    if (is_small(operation)) {
        operation->veto = SYMM_REASON_SMALL;
        return;
    }
    if (component->ipc_bytes > 0 &&
        symm_process_imports(component->process, component->ipc_bytes, &operation->imports) ==
            SYMM_OK) {
        operation->dropped = symm_imports_enter(operation->imports);
    }
}

void mca_coll_symm_elsewhere_leave(struct symm_operation *operation)
{
    symm_imports_leave(operation->imports);
    operation->imports = NULL;
}
