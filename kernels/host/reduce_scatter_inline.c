/*
 * reduce_scatter_inline.c - reduce-scatter of small arrays: the inputs have come with the lines.
 *
 * Every rank reduces its own block.  Nobody waits, as in allreduce_inline.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/run_steps.h"

static enum symm_status step(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    size_t begin = run->work->begins[team->rank], count = run->work->begins[team->rank + 1] - begin;
    for (int rank = 0; rank < team->size; rank++) {
        run->work->inputs[rank] = symm_control_line(&team->control, run->work->sequence,
                                                    rank)->payload;
    }
    if (count > 0) {
        symm_fold(run->work->reduction, team, run->work->inputs,
                  begin * run->work->reduction->extent,
                  run->work->output, count);
    }
    return SYMM_OK;
}

const struct symm_algorithm_row symm_reduce_scatter_inline = {
    .number = SYMM_REDUCE_SCATTER_INLINE,
    .name = "inline",
    .collective = SYMM_REDUCE_SCATTER,
    .memory = SYMM_ALGORITHM_HOST,
    .in_slot = true,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_reduce_scatter_block_inline = {
    .number = SYMM_REDUCE_SCATTER_BLOCK_INLINE,
    .name = "inline",
    .collective = SYMM_REDUCE_SCATTER_BLOCK,
    .memory = SYMM_ALGORITHM_HOST,
    .in_slot = true,
    .keeps_order = true,
    .step = step,
};
