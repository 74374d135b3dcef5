/*
 * serve/below.c - see serve/below.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/below.h"

#include "kernels/cuda/steps.h"
#include "mca/coll/symm/base/module.h"
#include "mca/help.h"

/*
 * Below, no rank has a result to which a rank with a mark has not contributed, so each rank that
 * has a result sees the mark.  A phase of the slot is not raised again before: that takes the lines
 * of all ranks for the call a ring later, and calls within this one, which use up slots, have this
 * call look when they end.
 */
static void look_for_marks(struct symm_below *below)
{
    const struct symm_team *team = below->module->blocking.team;
    if (below->sequence != 0 && !below->spoilt) {
        below->spoilt = symm_cuda_failed_rank(&team->control, below->sequence) >= 0;
    }
}

void mca_coll_symm_below_begin(struct symm_below *below, struct symm_operation *operation)
{
    struct mca_coll_symm_module_t *module = operation->lane->module;
    *below = (struct symm_below){.module = module, .outer = module->super.below,
                                 .sequence = operation->work.sequence};
    module->super.below = below;
    operation->state = SYMM_OPERATION_BELOW;
}

void mca_coll_symm_below_spoil(const struct symm_below *below)
{
    const struct symm_team *team = below->module->blocking.team;
    if (below->sequence != 0) {
        symm_phase_raise(&team->control, below->sequence, team->rank, SYMM_CUDA_STEP_FAILED);
    }
}

int mca_coll_symm_below_end(struct symm_below *below, int rc)
{
    struct mca_coll_symm_module_t *module = below->module;
    look_for_marks(below);
    module->super.below = below->outer;
    module->blocking.operation.state = SYMM_OPERATION_DONE;
    return rc == OMPI_SUCCESS && below->spoilt ? OMPI_ERROR : rc;
}

bool mca_coll_symm_below_interrupt(struct symm_operation *operation,
                                   struct ompi_communicator_t *comm, const char *function)
{
    if (operation->state != SYMM_OPERATION_BELOW) {
        symm_help_show("help-coll-symm.txt", "call within a call", function, comm->c_name,
                       ompi_comm_rank(comm));
        return false;
    }
    operation->state = SYMM_OPERATION_DONE;
    return true;
}

void mca_coll_symm_below_resume(struct symm_operation *operation)
{
    for (struct symm_below *below = operation->lane->module->super.below; below != NULL;
         below = below->outer) {
        look_for_marks(below);
    }
    operation->state = SYMM_OPERATION_BELOW;
}
