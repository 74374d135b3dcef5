/*
 * serve/end.c - see serve/end.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/end.h"

void mca_coll_symm_end_fallback(struct symm_operation *operation, enum symm_reason reason)
{
    if (operation->work.sequence != 0) {
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
