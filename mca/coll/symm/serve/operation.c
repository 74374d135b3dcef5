/*
 * serve/operation.c - see serve/operation.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/operation.h"

#include "heap/nvtx.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/base/steps.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/device/packing.h"
#include "mca/coll/symm/resources/resource.h"
#include "mca/coll/symm/serve/end.h"
#include "mca/coll/symm/serve/leave.h"
#include "mca/coll/symm/serve/set_up.h"
#include "mca/coll/symm/serve/slot.h"
#include "mca/coll/symm/serve/start.h"

/* ---- states ---------------------------------------------------------------------------------- */

static void step_run(struct symm_operation *operation)
{
    if (operation->steps->step(operation) != SYMM_OK) {
        return;
    }
    if (operation->run.failure == SYMM_OK && operation->packing != NULL) {
        mca_coll_symm_slot_leave(operation);
        mca_coll_symm_go_to(operation, SYMM_OPERATION_UNPACKING);
    } else if (operation->run.failure == SYMM_OK) {
        mca_coll_symm_end_served(operation);
    } else {
        mca_coll_symm_slot_leave(operation);
        mca_coll_symm_end_error(operation, operation->steps->failure(operation));
    }
}

static void step_unpack(struct symm_operation *operation)
{
    enum symm_status status = mca_coll_symm_packing_unpack(operation);
    if (status == SYMM_OK) {
        operation->outcome = SYMM_OUTCOME_SERVED;
        operation->state = SYMM_OPERATION_DONE;
    } else if (status != SYMM_PENDING) {
        mca_coll_symm_end_error(
            operation,
            mca_coll_symm_device_failed(
                operation->comm, symm_collective_get(operation->call->collective)->mpi_name));
    }
}

static void step_leave(struct symm_operation *operation)
{
    int error;
    if (mca_coll_symm_leave_step(operation, &error) == SYMM_OK) {
        mca_coll_symm_end_error(operation, error);
    }
}

/* The operation is over: nothing is left to do. */
static void step_none(struct symm_operation *operation)
{
    (void)operation;
}

/*
 * What one step does in each state, and whether the state waits for messages of the PML, or a
 * thread.
 */
static const struct symm_state {
    void (*step)(struct symm_operation *operation);
    bool needs_progress;
} states[SYMM_OPERATION_STATE_COUNT] = {
    [SYMM_OPERATION_SETTING_UP] = {mca_coll_symm_step_set_up, true},
    [SYMM_OPERATION_VOTING_ON_SET_UP] = {mca_coll_symm_step_vote_on_set_up, true},
    [SYMM_OPERATION_WAITING_FOR_SLOT] = {mca_coll_symm_step_wait_for_slot, false},
    [SYMM_OPERATION_AGREEING] = {mca_coll_symm_step_agree, false},
    [SYMM_OPERATION_AWAITING_REPORT] = {mca_coll_symm_step_await_report, false},
    [SYMM_OPERATION_ACQUIRING] = {mca_coll_symm_step_acquire, true},
    [SYMM_OPERATION_RUNNING] = {step_run, false},
    [SYMM_OPERATION_UNPACKING] = {step_unpack, false},
    [SYMM_OPERATION_LEAVING] = {step_leave, true},
    [SYMM_OPERATION_DONE] = {step_none, false},
    [SYMM_OPERATION_BELOW] = {step_none, false},
};

bool mca_coll_symm_operation_needs_progress(const struct symm_operation *operation)
{
    return states[operation->state].needs_progress;
}

/* ---- driving --------------------------------------------------------------------------------- */

/*
 * Whether a call is worth setting up shared memory.  All ranks count the same calls.  A barrier
 * that goes below asks nobody, so one that meets another collective there is not noticed.  Calls
 * that return requests are rarer than blocking barriers, and set up at once.
 */
static bool is_worth_set_up(struct mca_coll_symm_lane *lane, const struct symm_call *call)
{
    unsigned before = (unsigned)symm_collective_get(call->collective)->calls_before_set_up;
    return before == 0 || call->form != SYMM_CALL_BLOCKING || ++lane->calls_before_set_up > before;
}

/*
 * Start a call on a communicator whose ranks share no memory: not yet, for some time, or not any
 * more.
 */
static void start_unready(struct symm_operation *operation)
{
    struct mca_coll_symm_lane *lane = operation->lane;
    if (lane->state == MCA_COLL_SYMM_DISABLED && --lane->calls_until_retry == 0) {
        lane->state = MCA_COLL_SYMM_NEW; /* all ranks count the same calls */
    }
    if (lane->state == MCA_COLL_SYMM_NEW && !is_worth_set_up(lane, operation->call)) {
        mca_coll_symm_end_fallback(operation, SYMM_REASON_EARLY);
    } else if (lane->state == MCA_COLL_SYMM_NEW) {
        symm_vote_open_announced(&lane->vote, operation->comm);
        mca_coll_symm_go_to(operation, SYMM_OPERATION_SETTING_UP);
    } else if (lane->state == MCA_COLL_SYMM_DISABLED) {
        mca_coll_symm_end_fallback(operation, SYMM_REASON_DISABLED);
    } else {
        mca_coll_symm_end_error(operation, symm_ompi_comm_failure(operation->comm));
    }
}

void mca_coll_symm_operation_start(struct symm_operation *operation)
{
    struct mca_coll_symm_lane *lane = operation->lane;
    const struct symm_call *call = operation->call;
    operation->work.sequence = 0;
    operation->veto = call->veto;
    operation->gaps = call->gaps;
    operation->work.input = call->input.at;
    operation->in_place = call->in_place;
    operation->in_slot = false;
    operation->again = false;
    operation->packing = NULL;
    operation->steps = NULL;
    operation->range = 0;
    operation->run.worked = false;
    if (lane->state == MCA_COLL_SYMM_READY) {
        mca_coll_symm_go_to(operation, SYMM_OPERATION_WAITING_FOR_SLOT);
    } else {
        start_unready(operation);
    }
}

enum symm_status mca_coll_symm_operation_step(struct symm_operation *operation)
{
    enum symm_operation_state before;
    do {
        before = operation->state;
        states[before].step(operation);
    } while (operation->state != before && operation->state != SYMM_OPERATION_DONE);
    if (operation->state != SYMM_OPERATION_DONE) {
        return SYMM_PENDING;
    }
    if (operation->steps != NULL && operation->steps->end != NULL) {
        operation->steps->end(operation);
    }
    if (symm_nvtx_is_wanted && operation->range != 0) {
        symm_nvtx_end(operation->range);
    }
    if (!operation->in_slot) { /* calls whose data travel in their lines have taken none of these */
        mca_coll_symm_resources_leave(operation);
        if (operation->packing != NULL) {
            mca_coll_symm_packing_end(operation);
        }
    }
    return SYMM_OK;
}
