/*
 * coll_symm_elsewhere.c - see coll_symm_elsewhere.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_elsewhere.h"

#include "mca/coll/symm/coll_symm.h"

/* Allocations that the driver is to find still there in each call; 0.07 us each. */
enum { REVIEWED = 2 };

bool mca_coll_symm_elsewhere_is_usable(const struct symm_memory *memory)
{
    return mca_coll_symm_component.ipc_bytes > 0 && memory->kind == SYMM_MEMORY_DEVICE &&
           memory->ipc && memory->id != 0 && memory->size > 0;
}

/*
 * `is_needed`: by peers.  The handle is asked for in any case, because that tells whether our own kernels reach the
 * memory; the driver answers once for an allocation.  False: they do not.
 */
static bool offer(struct symm_offer *made, const struct symm_memory *memory, const void *address,
                  size_t bytes, bool is_needed, bool again)
{
    const mca_coll_symm_component_t *component = &mca_coll_symm_component;
    struct symm_exports *exports;
    unsigned sightings;
    *made = (struct symm_offer){.is_elsewhere = is_needed && memory->size > 0};
    if (memory->size == 0) {
        return true;
    }
    if (is_needed && bytes < component->ipc_least) {
        return true; /* nor is it counted: small buffers would take the places of others */
    }
    if (symm_process_exports(component->process, &exports) != SYMM_OK ||
        symm_exports_locate(exports, memory, address, bytes, again, &made->location,
                            &sightings) != SYMM_OK) {
        return false;
    }
    made->is_made = is_needed && sightings >= (unsigned)component->ipc_sightings;
    if (!made->is_made && is_needed) {
        return true; /* the call goes below */
    }
    return symm_exports_handle(exports, &made->location, &made->handle) == SYMM_OK;
}

void mca_coll_symm_elsewhere_prepare(struct symm_operation *operation)
{
    const mca_coll_symm_component_t *component = &mca_coll_symm_component;
    struct symm_call *call = &operation->call;
    symm_process_review_exports(component->process, REVIEWED);
    symm_team_collect_opened(operation->module->team);
    if (call->veto != SYMM_REASON_NONE) {
        return;
    }
    if (component->ipc_bytes > 0 &&
        symm_process_imports(component->process, component->ipc_bytes, &operation->imports) ==
            SYMM_OK) {
        operation->dropped = symm_imports_enter(operation->imports);
    }
    /* An all-gather on devices stores to all outputs, and reads no peer's input. */
    if (!offer(&operation->output_offer, &call->output_memory, call->output, call->output_bytes,
               true, false) ||
        !offer(&operation->input_offer, &call->input_memory, call->input,
               call->count * call->extent, call->collective == SYMM_ALLREDUCE,
               call->input_memory.id == call->output_memory.id)) {
        call->veto = SYMM_REASON_FOREIGN;
    }
}

void mca_coll_symm_elsewhere_end(struct symm_operation *operation)
{
    if (operation->imports != NULL) {
        symm_imports_leave(operation->imports);
        operation->imports = NULL;
    }
}
