/*
 * progress_thread/safe_steps.c - see progress_thread/safe_steps.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/progress_thread/safe_steps.h"

#include "mca/coll/symm/agree/loose.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/base/steps.h"
#include "mca/coll/symm/choose/choose.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/resources/resource.h"
#include "mca/coll/symm/serve/end.h"
#include "mca/coll/symm/serve/slot.h"
#include "mca/coll/symm/serve/start.h"

bool mca_coll_symm_safe_to_step(const struct symm_call *call)
{
    bool reduces = symm_collective_get(call->collective)->reduces;
    return call->device < 0 && !call->asymmetric && !call->unusable && call->gaps == 0 &&
           (!reduces ||
            (ompi_op_is_intrinsic(call->op) && ompi_datatype_is_predefined(call->dtype)));
}

bool mca_coll_symm_safe_to_start(const struct mca_coll_symm_lane *lane)
{
    return lane->state == MCA_COLL_SYMM_READY;
}

/*
 * Whether the step behind the agreement starts a run, and nothing else.  Looking changes nothing,
 * so that step comes to the same result.
 */
static bool starts_run(struct symm_operation *operation)
{
    if (mca_coll_symm_agree(operation) != SYMM_AGREEMENT_ALIKE ||
        mca_coll_symm_is_verbose(SYMM_VERBOSE_COMMUNICATORS)) { /* a choice may be explained */
        return false;
    }
    if (operation->in_slot) {
        return true; /* calls with tables of blocks do not come here: they have gaps between them */
    }
    const struct symm_facts facts = mca_coll_symm_facts_gather(operation);
    if (facts.unmapped || facts.gaps) { /* a vote; others' gaps have this rank unpack their data */
        return false;
    }
    enum symm_algorithm algorithm = mca_coll_symm_choose(&facts);
    return algorithm != SYMM_ALGORITHM_COUNT && !symm_algorithm_is_multimem(algorithm);
}

/* A run in host memory cannot fail. */
static bool run_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (symm_run_step(run) == SYMM_OK) {
        mca_coll_symm_end_served(operation);
        if (!operation->in_slot) {
            mca_coll_symm_resources_leave(operation);
        }
    }
    bool worked = run->worked;
    run->worked = false;
    return worked;
}

/* One step; whether it did anything beside changing the state. */
static bool step(struct symm_operation *operation)
{
    if (operation->state == SYMM_OPERATION_WAITING_FOR_SLOT) {
        mca_coll_symm_step_wait_for_slot(operation);
    } else if (operation->state == SYMM_OPERATION_AGREEING && starts_run(operation)) {
        mca_coll_symm_step_agree(operation);
    } else if (operation->state == SYMM_OPERATION_RUNNING &&
               operation->steps == &mca_coll_symm_steps_plain) {
        return run_step(operation);
    }
    return false;
}

bool mca_coll_symm_safe_step(struct symm_operation *operation)
{
    enum symm_operation_state before;
    bool moved = false;
    do {
        before = operation->state;
        moved |= step(operation);
        moved |= operation->state != before;
    } while (operation->state != before && operation->state != SYMM_OPERATION_DONE);
    return moved;
}
