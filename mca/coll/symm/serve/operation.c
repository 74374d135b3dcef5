/*
 * serve/operation.c - see base/operation.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/operation.h"

#include <errno.h>

#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/agree/agree.h"
#include "mca/coll/symm/choose/explain.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/agree/elsewhere.h"
#include "mca/coll/symm/serve/leave.h"
#include "mca/coll/symm/agree/multicast.h"
#include "mca/coll/symm/serve/packed.h"
#include "mca/coll/symm/device/scratch.h"
#include "mca/coll/symm/report/shortage.h"
#include "mca/coll/symm/report/verbose.h"

/* Calls in which ranks offer scratch after one that has needed it; then they wait for the next that does. */
enum { CALLS_IN_STAGES = 1000 };

static void go_to(struct symm_operation *operation, enum symm_operation_state state)
{
    operation->state = state;
    operation->seen = 0;
}

/* ---- ends -------------------------------------------------------------------------------------- */

/* This rank reads nothing more of this call: its slot may be reused once all ranks say so. */
static void slot_leave(struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    team->finished = operation->sequence;
    atomic_store_explicit(&team->control.finished[team->rank].value, team->finished,
                          memory_order_release);
}

static void end_served(struct symm_operation *operation)
{
    const struct symm_team *team = operation->module->team;
    slot_leave(operation);
    if (operation->in_slot) { /* programs repeat themselves: the next call may be as large */
        symm_line_prefetch(&team->control, operation->sequence + 1, team->rank,
                           operation->call.payload_bytes);
    }
    operation->outcome = SYMM_OUTCOME_SERVED;
    operation->state = SYMM_OPERATION_DONE;
}

static void end_fallback(struct symm_operation *operation, enum symm_reason reason)
{
    if (operation->sequence != 0) {
        slot_leave(operation);
    }
    operation->outcome = SYMM_OUTCOME_FALLBACK;
    operation->reason = reason;
    operation->state = SYMM_OPERATION_DONE;
}

static void end_mismatch(struct symm_operation *operation)
{
    operation->error = mca_coll_symm_mismatch_report(operation);
    slot_leave(operation);
    go_to(operation, SYMM_OPERATION_HEARING);
}

static void end_error(struct symm_operation *operation, int error)
{
    operation->error = error;
    operation->outcome = SYMM_OUTCOME_ERROR;
    operation->state = SYMM_OPERATION_DONE;
}

/* The error may end the job, so nobody returns it before rank 0 has said what it is about. */
static void step_hear(struct symm_operation *operation)
{
    const struct symm_control *control = &operation->module->team->control;
    if (atomic_load_explicit(&control->finished[0].value, memory_order_acquire) >=
        operation->sequence) {
        end_error(operation, operation->error);
    }
}

/* ---- set-up of the communicator ------------------------------------------------------------------ */

static void step_set_up(struct symm_operation *operation)
{
    struct mca_coll_symm_module_t *module = operation->module;
    errno = 0;
    enum symm_status status = mca_coll_symm_module_prepare(module, operation->comm);
    if (status == SYMM_OK) {
        status = symm_team_set_up(module->team);
    }
    int error = errno;
    if (status == SYMM_PENDING && symm_vote_is_lost(&module->vote)) {
        status = SYMM_ERR_NOT_FOUND; /* rank 0 has nothing to share and may not even answer */
    }
    if (status == SYMM_PENDING) {
        return;
    }
    if (status != SYMM_OK) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_TROUBLE, operation->comm,
                                    "rank %d cannot share memory: %s",
                                    module->vote.rank, symm_status_string(status));
    }
    symm_vote_cast(&module->vote, operation->comm, mca_coll_symm_shortage(status, error));
    go_to(operation, SYMM_OPERATION_VOTING_ON_SET_UP);
}

/* Rank 0 speaks, for all. */
static void vote_lost_tell(const struct symm_operation *operation,
                           enum mca_coll_symm_trouble trouble)
{
    const struct symm_vote *vote = &operation->module->vote;
    if (vote->rank == 0 && (vote->reason & MCA_COLL_SYMM_TOLD) != 0) {
        return;
    }
    if (vote->rank == 0) {
        mca_coll_symm_shortage_tell(trouble, operation->comm->c_name, vote->loser, vote->reason);
    } else {
        mca_coll_symm_shortage_is_told();
    }
}

static void step_vote_on_set_up(struct symm_operation *operation)
{
    struct mca_coll_symm_module_t *module = operation->module;
    bool all_yes;
    enum symm_status status = symm_vote_test(&module->vote, operation->comm, &all_yes);
    if (status == SYMM_PENDING) {
        return;
    }
    if (module->team != NULL) {
        symm_team_set_up_end(module->team);
    }
    if (status != SYMM_OK && mca_coll_symm_leave_vote(operation)) {
        return;
    }
    if (status != SYMM_OK) {
        symm_team_destroy(module->team); /* the next call begins anew */
        module->team = NULL;
        end_error(operation, module->vote.error);
        return;
    }
    if (module->vote.rank == 0) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, operation->comm, "%s",
                                    all_yes ? "the ranks share memory: serving"
                                            : "some ranks cannot share memory: not serving");
    }
    if (!all_yes) {
        vote_lost_tell(operation, MCA_COLL_SYMM_CANNOT_SHARE);
        mca_coll_symm_module_disable(module);
        end_fallback(operation, SYMM_REASON_DISABLED);
        return;
    }
    module->state = MCA_COLL_SYMM_READY;
    go_to(operation, SYMM_OPERATION_WAITING_FOR_SLOT);
}

/* ---- agreement --------------------------------------------------------------------------------- */

/* Whether all ranks have finished the call that had this slot before. */
static bool slot_is_free(struct symm_team *team, uint64_t sequence)
{
    if (sequence <= SYMM_RING || team->finished_by_all >= sequence - SYMM_RING) {
        return true;
    }
    /* The lines have not told (calls that went below were not read to the end): ask. */
    uint64_t least = UINT64_MAX;
    for (int rank = 0; rank < team->size; rank++) {
        uint64_t finished = atomic_load_explicit(&team->control.finished[rank].value,
                                                 memory_order_acquire);
        least = finished < least ? finished : least;
    }
    team->finished_by_all = least;
    return least >= sequence - SYMM_RING;
}

static void step_wait_for_slot(struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    struct symm_call *call = &operation->call;
    bool is_small = mca_coll_symm_choose_slot(call->collective, team, call->payload_bytes);
    enum symm_left left =
        is_small ? SYMM_LEFT_NOT : mca_coll_symm_choose_left(call, team);
    if (left == SYMM_LEFT_MUTE) {
        end_fallback(operation, SYMM_REASON_LEFT);
        return;
    }
    if (!slot_is_free(team, team->sequence + 1)) {
        return;
    }
    if (left == SYMM_LEFT_VETO && call->veto == SYMM_REASON_NONE) {
        call->veto = SYMM_REASON_LEFT;
    }
    operation->sequence = ++team->sequence;
    /* This rank's processor does not reach device memory. */
    operation->in_slot =
        call->veto == SYMM_REASON_NONE && call->device < 0 && is_small;
    if (call->gaps != 0 && !operation->in_slot && call->veto == SYMM_REASON_NONE) {
        mca_coll_symm_packing_review(call, team);
    }
    if (call->device >= 0 && !operation->in_slot && !operation->again) {
        mca_coll_symm_elsewhere_prepare(operation);
    }
    mca_coll_symm_line_post(operation);
    if (call->veto != SYMM_REASON_NONE) {
        end_fallback(operation, call->veto);
        return;
    }
    mca_coll_symm_device_start_early(operation);
    operation->mismatch = -1;
    operation->least_finished = (uint32_t)team->finished;
    go_to(operation, SYMM_OPERATION_AGREEING);
}

static void run_start(struct symm_operation *operation, enum symm_algorithm algorithm,
                      bool packed)
{
    struct symm_run *run = &operation->run;
    const struct symm_call *call = &operation->call;
    run->team = operation->module->team;
    run->algorithm = algorithm;
    run->sequence = operation->sequence;
    run->count = call->count;
    run->reduction = &call->reduction;
    run->input = call->input;
    run->output = call->output;
    run->failure = SYMM_OK;
    mca_coll_symm_device_run_start(operation);
    run->stage = 0;
    run->seen = 0;
    run->position = 0;
    run->piece = 0;
    operation->packed = packed;
    go_to(operation, SYMM_OPERATION_RUNNING);
}

static void scratch_leave(struct symm_operation *operation)
{
    if (operation->scratch != NULL) {
        symm_run_settle_early(&operation->run);
        mca_coll_symm_scratch_give(operation->call.device);
        operation->scratch = NULL;
    }
}

/*
 * All ranks post new lines for the same call, with what scratch they have; and offer it at once in the next calls,
 * as programs repeat themselves.
 */
static void agree_again(struct symm_operation *operation)
{
    operation->module->calls_in_stages = CALLS_IN_STAGES;
    operation->again = true;
    scratch_leave(operation);
    slot_leave(operation);
    go_to(operation, SYMM_OPERATION_WAITING_FOR_SLOT);
}

/* Scratch that is offered in vain is missing elsewhere: after a few such calls, ranks wait to be asked for it. */
static void note_stages(struct symm_operation *operation, enum symm_algorithm algorithm)
{
    if (operation->call.device >= 0 && algorithm != SYMM_ALLREDUCE_CUDA_SCRATCH &&
        algorithm != SYMM_ALLGATHER_CUDA_SCRATCH) {
        operation->module->calls_in_stages /= 8;
    }
}

/* All lines are there and alike, and the segments they name are mapped or given up. */
static void choose_and_start(struct symm_operation *operation)
{
    struct symm_facts facts;
    bool unknown;
    symm_team_forget_refusals(operation->module->team, operation->sequence);
    mca_coll_symm_facts_gather(operation, &facts, &unknown);
    if (unknown) {
        operation->map_status = SYMM_OK;
        operation->map_told = false;
        symm_vote_open(&operation->module->vote, operation->comm);
        go_to(operation, SYMM_OPERATION_MAPPING);
        return;
    }
    enum symm_algorithm algorithm = mca_coll_symm_choose(&facts);
    if (algorithm == SYMM_ALGORITHM_COUNT && mca_coll_symm_choose_again(&facts)) {
        agree_again(operation);
        return;
    }
    if (algorithm == SYMM_ALGORITHM_COUNT) {
        end_fallback(operation, mca_coll_symm_choose_not(&facts));
        return;
    }
    if (mca_coll_symm_multicast_begin(operation, algorithm)) {
        go_to(operation, SYMM_OPERATION_MULTICASTING);
        return;
    }
    if (!mca_coll_symm_leave_or_enter(operation)) {
        return;
    }
    note_stages(operation, algorithm);
    run_start(operation, algorithm, facts.gaps);
    operation->run.scratch_size = facts.scratch_size;
    mca_coll_symm_verbose_choice(operation, &facts);
    if (!mca_coll_symm_buffers_resolve(operation)) {
        mca_coll_symm_device_run_refuse(operation);
    }
}

static void step_agree(struct symm_operation *operation)
{
    switch (mca_coll_symm_lines_read(operation)) {
    case SYMM_AGREEMENT_PENDING:
        return;
    case SYMM_AGREEMENT_VETO:
        end_fallback(operation, SYMM_REASON_PEER);
        return;
    case SYMM_AGREEMENT_MISMATCH:
        end_mismatch(operation);
        return;
    case SYMM_AGREEMENT_ALIKE:
        break;
    }
    if (operation->in_slot) {
        run_start(operation, operation->call.collective == SYMM_ALLREDUCE ? SYMM_ALLREDUCE_SLOT
                                                                           : SYMM_ALLGATHER_SLOT,
                  operation->call.gaps != 0);
        mca_coll_symm_verbose_choice(operation, NULL);
    } else {
        choose_and_start(operation);
    }
}

/* ---- mapping ----------------------------------------------------------------------------------- */

static void step_map(struct symm_operation *operation)
{
    struct mca_coll_symm_module_t *module = operation->module;
    if (mca_coll_symm_segments_map(operation) == SYMM_PENDING) {
        return;
    }
    if (operation->map_status != SYMM_OK) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_TROUBLE, operation->comm,
                                    "rank %d cannot map a peer's memory, such buffers are staged "
                                    "instead: %s", module->team->rank,
                                    symm_status_string(operation->map_status));
    }
    symm_vote_cast(&module->vote, operation->comm,
                   mca_coll_symm_shortage(operation->map_status, operation->map_errno) |
                       (operation->map_told ? MCA_COLL_SYMM_TOLD : 0));
    go_to(operation, SYMM_OPERATION_VOTING_ON_MAPS);
}

static void step_vote_on_maps(struct symm_operation *operation)
{
    struct mca_coll_symm_module_t *module = operation->module;
    bool all_yes;
    enum symm_status status = symm_vote_test(&module->vote, operation->comm, &all_yes);
    if (status == SYMM_PENDING) {
        return;
    }
    if (status != SYMM_OK && mca_coll_symm_leave_vote(operation)) {
        return;
    }
    if (status != SYMM_OK) {
        slot_leave(operation);
        end_error(operation, module->vote.error);
        return;
    }
    if (!all_yes) {
        vote_lost_tell(operation, MCA_COLL_SYMM_CANNOT_MAP);
    }
    mca_coll_symm_segments_settle(operation, all_yes);
    choose_and_start(operation);
}

static void step_multicast(struct symm_operation *operation)
{
    enum symm_status status = mca_coll_symm_multicast_step(operation);
    if (status == SYMM_OK) {
        choose_and_start(operation);
    } else if (status != SYMM_PENDING && !mca_coll_symm_leave_vote(operation)) {
        slot_leave(operation);
        end_error(operation, operation->module->vote.error);
    }
}

static void step_leave(struct symm_operation *operation)
{
    int error;
    if (mca_coll_symm_leave_step(operation, &error) == SYMM_OK) {
        end_error(operation, error);
    }
}

/* ---- driving ----------------------------------------------------------------------------------- */

void mca_coll_symm_operation_start(struct symm_operation *operation)
{
    struct mca_coll_symm_module_t *module = operation->module;
    operation->sequence = 0;
    operation->scratch = NULL;
    operation->again = false;
    operation->stages_expected = false;
    operation->imports = NULL;
    operation->dropped = 0;
    operation->run.worked = false;
    if (module->state == MCA_COLL_SYMM_DISABLED && --module->calls_until_retry == 0) {
        module->state = MCA_COLL_SYMM_NEW; /* all ranks count the same calls */
    }
    switch (module->state) {
    case MCA_COLL_SYMM_NEW:
        symm_vote_open(&module->vote, operation->comm);
        go_to(operation, SYMM_OPERATION_SETTING_UP);
        break;
    case MCA_COLL_SYMM_READY:
        go_to(operation, SYMM_OPERATION_WAITING_FOR_SLOT);
        break;
    case MCA_COLL_SYMM_DISABLED:
        end_fallback(operation, SYMM_REASON_DISABLED);
        break;
    case MCA_COLL_SYMM_FAILED:
        end_error(operation, symm_ompi_comm_failure(operation->comm));
        break;
    }
}

/* Do what the state asks for, once. */
static void step_once(struct symm_operation *operation)
{
    switch (operation->state) {
    case SYMM_OPERATION_SETTING_UP:
        step_set_up(operation);
        break;
    case SYMM_OPERATION_VOTING_ON_SET_UP:
        step_vote_on_set_up(operation);
        break;
    case SYMM_OPERATION_WAITING_FOR_SLOT:
        step_wait_for_slot(operation);
        break;
    case SYMM_OPERATION_AGREEING:
        step_agree(operation);
        break;
    case SYMM_OPERATION_HEARING:
        step_hear(operation);
        break;
    case SYMM_OPERATION_MAPPING:
        step_map(operation);
        break;
    case SYMM_OPERATION_VOTING_ON_MAPS:
        step_vote_on_maps(operation);
        break;
    case SYMM_OPERATION_MULTICASTING:
        step_multicast(operation);
        break;
    case SYMM_OPERATION_RUNNING:
        if ((operation->packed ? mca_coll_symm_packed_step(operation)
                               : symm_run_step(&operation->run)) == SYMM_OK) {
            if (operation->run.failure == SYMM_OK) {
                end_served(operation);
            } else {
                slot_leave(operation);
                end_error(operation, mca_coll_symm_device_failure(operation));
            }
        }
        break;
    case SYMM_OPERATION_LEAVING:
        step_leave(operation);
        break;
    case SYMM_OPERATION_DONE:
    case SYMM_OPERATION_BELOW:
        break;
    }
}

enum symm_status mca_coll_symm_operation_step(struct symm_operation *operation)
{
    enum symm_operation_state before;
    do {
        before = operation->state;
        step_once(operation);
    } while (operation->state != before && operation->state != SYMM_OPERATION_DONE);
    if (operation->state != SYMM_OPERATION_DONE) {
        return SYMM_PENDING;
    }
    scratch_leave(operation);
    mca_coll_symm_elsewhere_end(operation);
    return SYMM_OK;
}
