/*
 * serve/end.c - see serve/end.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/end.h"

#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/device/scratch.h"

void mca_coll_symm_slot_leave(struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    team->finished = operation->sequence;
    atomic_store_explicit(&team->control.finished[team->rank].value, team->finished,
                          memory_order_release);
}

void mca_coll_symm_end_served(struct symm_operation *operation)
{
    const struct symm_team *team = operation->module->team;
    mca_coll_symm_slot_leave(operation);
    if (operation->in_slot) { /* programs repeat themselves: the next call may be as large */
        symm_line_prefetch(&team->control, operation->sequence + 1, team->rank,
                           operation->call->payload_bytes);
    }
    operation->outcome = SYMM_OUTCOME_SERVED;
    operation->state = SYMM_OPERATION_DONE;
}

void mca_coll_symm_end_fallback(struct symm_operation *operation, enum symm_reason reason)
{
    if (operation->sequence != 0) {
        mca_coll_symm_slot_leave(operation);
    }
    operation->outcome = SYMM_OUTCOME_FALLBACK;
    operation->reason = reason;
    operation->state = SYMM_OPERATION_DONE;
}

void mca_coll_symm_end_error(struct symm_operation *operation, int error)
{
    operation->error = error;
    operation->outcome = SYMM_OUTCOME_ERROR;
    operation->state = SYMM_OPERATION_DONE;
}

void mca_coll_symm_scratch_leave(struct symm_operation *operation)
{
    if (operation->scratch != NULL) {
        symm_run_settle_early(&operation->run);
        mca_coll_symm_scratch_give(operation->call->device);
        operation->scratch = NULL;
    }
}
