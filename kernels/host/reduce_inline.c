/*
 * reduce_inline.c - reduce of small arrays: the inputs have come with the lines.
 *
 * The root reduces everything.  Nobody waits, as in allreduce_inline.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/rooted.h"

static enum symm_status step(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    if (!symm_rooted_is_root(run->work)) {
        return SYMM_OK;
    }
    for (int rank = 0; rank < team->size; rank++) {
        run->work->inputs[rank] = symm_control_line(&team->control, run->work->sequence,
                                                    rank)->payload;
    }
    symm_fold(run->work->reduction, team, run->work->inputs, 0, run->work->output,
              run->work->count);
    return SYMM_OK;
}

const struct symm_algorithm_row symm_reduce_inline = {
    .number = SYMM_REDUCE_INLINE,
    .name = "inline",
    .collective = SYMM_REDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .in_slot = true,
    .keeps_order = true,
    .step = step,
};
