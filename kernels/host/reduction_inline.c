/*
 * reduction_inline.c - all-reduce, reduce and reduce-scatter of small arrays: the inputs have come
 * with the lines.
 *
 * Every rank reduces all that it gets.  Nobody waits: the agreement that all lines are there was
 * all the synchronisation there is, and the ring keeps the lines until everybody has read them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/rooted.h"

/* Reduce `count` elements from element `begin` on. */
static inline enum symm_status lines_reduce(const struct symm_work *work, size_t begin,
                                            size_t count)
{
    const struct symm_team *team = work->team;
    for (int rank = 0; rank < team->size; rank++) {
        work->inputs[rank] = symm_control_line(&team->control, work->sequence, rank)->payload;
    }
    symm_fold(work->reduction, team, work->inputs, begin * work->reduction->extent, work->output,
              count);
    return SYMM_OK;
}

static enum symm_status allreduce_step(struct symm_run *run)
{
    return lines_reduce(run->work, 0, run->work->count);
}

static enum symm_status reduce_step(struct symm_run *run)
{
    return symm_rooted_is_root(run->work) ? lines_reduce(run->work, 0, run->work->count) : SYMM_OK;
}

/* A rank's own block, which may be empty. */
static enum symm_status scatter_step(struct symm_run *run)
{
    const size_t *begins = &run->work->begins[run->work->team->rank];
    size_t count = begins[1] - begins[0];
    return count > 0 ? lines_reduce(run->work, begins[0], count) : SYMM_OK;
}

#define INLINE_ROW(collective_, COLLECTIVE, step_)                                                 \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, inline, INLINE, .name = "inline",                  \
                       .memory = SYMM_ALGORITHM_HOST, .in_slot = true, .keeps_order = true,        \
                       .step = step_)

INLINE_ROW(allreduce, ALLREDUCE, allreduce_step);
INLINE_ROW(reduce, REDUCE, reduce_step);
INLINE_ROW(reduce_scatter, REDUCE_SCATTER, scatter_step);
INLINE_ROW(reduce_scatter_block, REDUCE_SCATTER_BLOCK, scatter_step);
