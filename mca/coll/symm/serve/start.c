/*
 * serve/start.c - see serve/start.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/start.h"

#include "heap/nvtx.h"
#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/agree/loose.h"
#include "mca/coll/symm/agree/mismatch.h"
#include "mca/coll/symm/agree/read.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/base/steps.h"
#include "mca/coll/symm/choose/choose.h"
#include "mca/coll/symm/choose/explain.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/resources/resource.h"
#include "mca/coll/symm/serve/end.h"
#include "mca/coll/symm/serve/leave.h"

/* ---- calls that differ ----------------------------------------------------------------------- */

static void end_mismatch(struct symm_operation *operation)
{
    bool is_told = mca_coll_symm_mismatch_report(operation, &operation->error);
    mca_coll_symm_slot_leave(operation);
    if (is_told) {
        mca_coll_symm_end_error(operation, operation->error);
    } else {
        mca_coll_symm_go_to(operation, SYMM_OPERATION_AWAITING_REPORT);
    }
}

/* The error may end the job, so no rank returns it before rank 0 has told the user about it. */
void mca_coll_symm_step_await_report(struct symm_operation *operation)
{
    const struct symm_control *control = &operation->lane->team->control;
    if (atomic_load_explicit(&control->finished[0].value, memory_order_acquire) >=
        operation->work.sequence) {
        mca_coll_symm_end_error(operation, operation->error);
    }
}

/* ---- starting the run ------------------------------------------------------------------------ */

struct symm_facts mca_coll_symm_facts_gather(struct symm_operation *operation)
{
    struct symm_team *team = operation->lane->team;
    const struct symm_call *call = operation->call;
    struct symm_facts facts = {
        .table = mca_coll_symm_choose_table(team),
        .collective = call->collective,
        .ranks = team->size,
        .bytes = call->payload_bytes,
        .packed = call->payload_bytes,
        .piece_size = team->control.piece_size,
        .forced = mca_coll_symm_choose_forced(call->collective, team),
        .device = call->device >= 0,
        .beside = call->form != SYMM_CALL_BLOCKING,
    };
    symm_team_forget_refusals(team, operation->work.sequence);
    mca_coll_symm_resources_note(operation, &facts);
    if (symm_collective_get(call->collective)->has_blocks) {
        mca_coll_symm_blocks_facts(operation, &facts);
    }
    return facts;
}

static void range_begin(struct symm_operation *operation, enum symm_algorithm algorithm)
{
    const struct symm_call *call = operation->call;
    operation->range = symm_nvtx_begin(symm_collective_get(call->collective)->mpi_name,
                                       symm_algorithm_word(symm_algorithm_get(algorithm)),
                                       call->payload_bytes);
}

/* Inlined where it is used: else a small all-reduce takes 20 instructions more. */
__attribute__((always_inline))
static inline void run_start(struct symm_operation *operation, enum symm_algorithm algorithm,
                             const struct symm_steps *steps)
{
    struct symm_work *work = &operation->work;
    struct symm_run *run = &operation->run;
    const struct symm_call *call = operation->call;
    work->team = operation->lane->team;
    work->algorithm = algorithm;
    work->count = call->count;
    work->reduction = &call->reduction;
    work->root = call->root;
    work->output = call->output.at;
    run->failure = SYMM_OK;
    mca_coll_symm_device_run_start(operation);
    run->stage = 0;
    run->seen = 0;
    run->position = 0;
    run->piece = 0;
    operation->steps = steps;
    operation->lane->last_algorithm = algorithm;
    if (symm_nvtx_is_wanted) {
        range_begin(operation, algorithm);
    }
    mca_coll_symm_go_to(operation, SYMM_OPERATION_RUNNING);
}

/* All ranks post new lines for the same call, with what scratch they have. */
static void agree_again(struct symm_operation *operation)
{
    operation->again = true;
    mca_coll_symm_slot_leave(operation);
    mca_coll_symm_go_to(operation, SYMM_OPERATION_WAITING_FOR_SLOT);
}

/* All lines are there and alike. */
static void choose_and_start(struct symm_operation *operation)
{
    const struct symm_facts facts = mca_coll_symm_facts_gather(operation);
    enum symm_algorithm algorithm =
        facts.unmapped ? SYMM_ALGORITHM_COUNT : mca_coll_symm_choose(&facts);
    if (mca_coll_symm_resources_chosen(operation, algorithm, &facts)) {
        mca_coll_symm_go_to(operation, SYMM_OPERATION_ACQUIRING);
        return;
    }
    if (algorithm == SYMM_ALGORITHM_COUNT && mca_coll_symm_choose_again(&facts)) {
        agree_again(operation);
        return;
    }
    if (algorithm == SYMM_ALGORITHM_COUNT) {
        mca_coll_symm_end_fallback(operation, mca_coll_symm_choose_not(&facts));
        return;
    }
    if (!mca_coll_symm_leave_or_enter(operation)) {
        return;
    }
    run_start(operation, algorithm,
              facts.gaps ? &mca_coll_symm_steps_packed : &mca_coll_symm_steps_plain);
    operation->work.in_place = !facts.out_of_place;
    mca_coll_symm_verbose_choice(operation, &facts);
    if (!mca_coll_symm_resources_resolve(operation, &facts)) {
        mca_coll_symm_device_run_refuse(operation);
    }
    if (symm_collective_get(operation->call->collective)->has_blocks) {
        mca_coll_symm_blocks_resolve(operation);
    }
}

/* The data of all ranks have come with their lines. */
static void slot_start(struct symm_operation *operation)
{
    const struct symm_collective_row *collective =
        symm_collective_get(operation->call->collective);
    if (collective->has_tables && !mca_coll_symm_blocks_all_along(operation)) {
        operation->in_slot = false; /* this rank's have, and others take them from its line */
        choose_and_start(operation);
        return;
    }
    run_start(operation, (enum symm_algorithm)collective->inline_algorithm,
              (operation->gaps & SYMM_GAPS_ANY) != 0 ? &mca_coll_symm_steps_packed
                                                     : &mca_coll_symm_steps_plain);
    if (collective->has_blocks) {
        mca_coll_symm_blocks_resolve(operation);
    }
    mca_coll_symm_verbose_choice(operation, NULL);
}

/* Some ranks have left, and this one goes on without them. */
static void late_start(struct symm_operation *operation)
{
    operation->steps = &mca_coll_symm_steps_late;
    operation->steps->begin(operation);
    mca_coll_symm_go_to(operation, SYMM_OPERATION_RUNNING);
}

/* Why a call goes below in which some rank has vetoed. */
static enum symm_reason veto_reason(const struct symm_operation *operation)
{
    if (operation->veto != SYMM_REASON_NONE) { /* this rank's own, of a loose call */
        return operation->veto;
    }
    /* The peer has only found out sooner what all ranks would find. */
    return operation->peer_reason == SYMM_REASON_SLOWER ? SYMM_REASON_SLOWER : SYMM_REASON_PEER;
}

void mca_coll_symm_step_agree(struct symm_operation *operation)
{
    enum symm_agreement agreement = mca_coll_symm_agree(operation);
    if (agreement == SYMM_AGREEMENT_ALIKE && operation->in_slot) {
        slot_start(operation);
    } else if (agreement == SYMM_AGREEMENT_ALIKE) {
        choose_and_start(operation);
    } else if (agreement == SYMM_AGREEMENT_VETO) {
        mca_coll_symm_end_fallback(operation, veto_reason(operation));
    } else if (agreement == SYMM_AGREEMENT_MISMATCH) {
        end_mismatch(operation);
    } else if (agreement == SYMM_AGREEMENT_LEFT) {
        late_start(operation);
    }
}

/* ---- setting up ------------------------------------------------------------------------------ */

void mca_coll_symm_step_acquire(struct symm_operation *operation)
{
    enum symm_status status = mca_coll_symm_resources_set_up(operation);
    if (status == SYMM_OK) {
        choose_and_start(operation);
    } else if (status != SYMM_PENDING && !mca_coll_symm_leave_vote(operation)) {
        mca_coll_symm_slot_leave(operation);
        mca_coll_symm_end_error(operation, operation->lane->vote.error);
    }
}
