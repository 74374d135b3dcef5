/*
 * reduce_scatter_pull.c - every rank reads its own block of all inputs, and reduces it.
 *
 * There is one phase, at the end, so that no rank changes its input while a peer still reads it.
 * In place a result would be stored where a peer still reads, so no rank may be in place.
 *
 * (NCCL: ReduceScatter_LD.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/host/steps.h"

static enum symm_status step(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    size_t extent = run->work->reduction->extent, begin = run->work->begins[team->rank];
    size_t count = run->work->begins[team->rank + 1] - begin;
    if (run->stage != SYMM_HOST_DEPARTING && run->position < count) {
        size_t block = symm_least(count - run->position, 1 + SYMM_STEP_BYTES / extent);
        unsigned char *output = run->work->output;
        symm_fold(run->work->reduction, team, run->work->inputs, (begin + run->position) * extent,
                  output + run->position * extent, block);
        run->position += block;
    }
    return symm_host_depart(run, count);
}

#define PULL_ROW(collective_, COLLECTIVE)                                                          \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, pull, PULL, .name = "pull",                        \
                       .memory = SYMM_ALGORITHM_HOST,                                              \
                       .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE, .keeps_order = true,  \
                       .on_device = SYMM_##COLLECTIVE##_CUDA_PULL, .step = step)

PULL_ROW(reduce_scatter, REDUCE_SCATTER);
PULL_ROW(reduce_scatter_block, REDUCE_SCATTER_BLOCK);
