/*
 * allreduce_inline.c - all-reduce of small arrays: the inputs have come with the lines.
 *
 * Every rank reduces everything.  Nobody waits: the agreement that all lines are there was all the
 * synchronisation there is, and the ring keeps the lines until everybody has read them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/run_steps.h"

static enum symm_status step(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    for (int rank = 0; rank < team->size; rank++) {
        run->work->inputs[rank] = symm_control_line(&team->control, run->work->sequence,
                                                    rank)->payload;
    }
    symm_fold(run->work->reduction, team, run->work->inputs, 0, run->work->output,
              run->work->count);
    return SYMM_OK;
}

const struct symm_algorithm_row symm_allreduce_inline = {
    .number = SYMM_ALLREDUCE_INLINE,
    .name = "inline",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .in_slot = true,
    .keeps_order = true,
    .step = step,
};
