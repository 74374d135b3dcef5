/*
 * serve/end.h - from one state of an operation to the next, and to its end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_SERVE_END_H
#define MCA_COLL_SYMM_SERVE_END_H

#include "mca/coll/symm/base/operation.h"

/* The operation's next state; nothing has been seen in it so far. */
static inline void mca_coll_symm_go_to(struct symm_operation *operation,
                                       enum symm_operation_state state)
{
    operation->state = state;
    operation->seen = 0;
}

/* This rank reads nothing more of this call: its slot may be reused once all ranks say so. */
void mca_coll_symm_slot_leave(struct symm_operation *operation);

/* Give back the scratch that this call has taken; none is fine. */
void mca_coll_symm_scratch_leave(struct symm_operation *operation);

/*
 * The outcome is known: the output is complete; the component below has to make the call; or `error` is for
 * MPI.  The first two leave the slot.
 */
void mca_coll_symm_end_served(struct symm_operation *operation);
void mca_coll_symm_end_fallback(struct symm_operation *operation, enum symm_reason reason);
void mca_coll_symm_end_error(struct symm_operation *operation, int error);

#endif /* MCA_COLL_SYMM_SERVE_END_H */
