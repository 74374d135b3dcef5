/*
 * serve/end.h - from one state of an operation to the next, and to its end.
 *
 * The functions in the header are in the path of small calls.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_SERVE_END_H
#define MCA_COLL_SYMM_SERVE_END_H

#include "mca/coll/symm/base/module.h"

/* Go to the operation's next state, in which nothing has been seen so far. */
static inline void mca_coll_symm_go_to(struct symm_operation *operation,
                                       enum symm_operation_state state)
{
    operation->state = state;
    operation->seen = 0;
}

/* This rank reads nothing more of a call.  The slot may be reused once all ranks say so. */
static inline void mca_coll_symm_finished_warn(struct symm_team *team, uint64_t sequence)
{
    team->finished = sequence;
    atomic_store_explicit(&team->control.finished[team->rank].value, team->finished,
                          memory_order_release);
}

/* The same of this call. */
static inline void mca_coll_symm_slot_leave(struct symm_operation *operation)
{
    mca_coll_symm_finished_warn(operation->lane->team, operation->work.sequence);
}

/* The output is complete: leave the slot. */
static inline void mca_coll_symm_end_served(struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    mca_coll_symm_slot_leave(operation);
    if (operation->in_slot) { /* programs repeat calls: the next may be as large */
        symm_line_prefetch(&team->control, operation->work.sequence + 1, team->rank,
                           operation->call->payload_bytes);
    }
    operation->outcome = SYMM_OUTCOME_SERVED;
    operation->state = SYMM_OPERATION_DONE;
}

/* The component below has to make the call: leave the slot, if the call has one. */
void mca_coll_symm_end_fallback(struct symm_operation *operation, enum symm_reason reason);

/* End with an error, which is for MPI. */
void mca_coll_symm_end_error(struct symm_operation *operation, int error);

#endif /* MCA_COLL_SYMM_SERVE_END_H */
