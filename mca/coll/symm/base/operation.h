/*
 * base/operation.h - one collective operation on its way through its states.
 *
 *   NEW communicator:  SETTING_UP -> VOTING_ON_SET_UP -+
 *   others:            --------------------------------+-> WAITING_FOR_SLOT -> AGREEING -+
 *                                                       +--------------------------------+
 *                      segments, multicast: not yet     +-> ACQUIRING -------------------+
 *                                                       +-> RUNNING -> DONE
 *                      data with gaps on a device:          RUNNING -> UNPACKING -> DONE
 *   communicator failed or revoked: from any state to LEAVING -> DONE
 *
 * A step never waits: it returns SYMM_PENDING and is called again (serve/operation.h).  A blocking
 * collective starts an operation and drives it to the end; a nonblocking one leaves it to
 * opal_progress() (request/queue.c).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_OPERATION_H
#define MCA_COLL_SYMM_BASE_OPERATION_H

#include "kernels/run.h"
#include "mca/coll/symm/base/call.h"

struct symm_holdings;
struct symm_packing;
struct symm_steps;
struct mca_coll_symm_lane;

enum symm_operation_state {
    SYMM_OPERATION_SETTING_UP,
    SYMM_OPERATION_VOTING_ON_SET_UP,
    SYMM_OPERATION_WAITING_FOR_SLOT,
    SYMM_OPERATION_AGREEING,
    SYMM_OPERATION_AWAITING_REPORT, /* waiting until rank 0 has told the user that calls differ */
    SYMM_OPERATION_ACQUIRING, /* setting up a resource, which has votes of its own */
    SYMM_OPERATION_RUNNING,
    SYMM_OPERATION_UNPACKING, /* on a device, after the run: device/packing.h */
    SYMM_OPERATION_LEAVING, /* for good: see serve/leave.h */
    SYMM_OPERATION_DONE,
    SYMM_OPERATION_BELOW, /* done, and the call is below; see serve/below.h */
    SYMM_OPERATION_STATE_COUNT
};

enum symm_outcome {
    SYMM_OUTCOME_SERVED,   /* the output is complete */
    SYMM_OUTCOME_FALLBACK, /* nothing was done: the component below has to make the call */
    SYMM_OUTCOME_ERROR,    /* `error` is to be returned to MPI */
};

/* The block that a rank has for itself: the offsets of both ends from the call's addresses. */
struct symm_own_block {
    bool stays; /* it is copied here, and does not travel; otherwise the rest is not set */
    size_t bytes, from, to;
};

struct symm_operation {
    struct mca_coll_symm_lane *lane; /* of the module, or a persistent operation's own */
    struct ompi_communicator_t *comm;
    const struct symm_call *call;
    enum symm_operation_state state;
    enum symm_outcome outcome;
    enum symm_reason reason; /* of a fallback */
    enum symm_reason peer_reason; /* of the rank whose veto was read last: `seen` */
    int error;
    /* The call as this rank serves it.  At the start these fields hold what the call says. */
    enum symm_reason veto;   /* also from size, packing or a resource; serve/slot.c */
    unsigned gaps;           /* pairs may be copied whole; serve/slot.c */
    bool in_place;           /* also where the output is adopted */
    bool in_slot;            /* the payload travels in the line */
    bool loose;              /* ranks wait only for those whose data they get; agree/loose.h */
    bool again;              /* the second lines of this call: the first lacked scratch */
    struct symm_holdings *holdings; /* what it has of resources; resources/resource.h */
    struct symm_packing *packing; /* buffers with gaps on a device; NULL: there are none */
    int seen;                /* lines read */
    uint32_t least_finished; /* by the lines read */
    int mismatch;            /* a rank whose call differs from ours; -1: none */
    struct symm_own_block own; /* of a collective with blocks; agree/blocks.c */
    const struct symm_steps *steps; /* base/steps.h; NULL: the run is not begun for this call */
    uint64_t range;          /* on a profiler's timeline; 0: there is none */
    void *late;              /* of transfer/late_moving.c, from set-up on */
    struct symm_work work;   /* of the run; its arrays of all ranks stay from set-up on */
    struct symm_run run;
};

/*
 * Bytes of an element, as ranks cut arrays: those with gaps are packed.  Ranks may have gaps of
 * their own, and elements of one size all the same.
 */
static inline size_t mca_coll_symm_operation_element(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    return symm_collective_get(call->collective)->reduces &&
                   (operation->gaps & SYMM_GAPS_ANY) != 0
               ? mca_coll_symm_bytes(call->dtype, 1) : call->extent;
}

#endif /* MCA_COLL_SYMM_BASE_OPERATION_H */
