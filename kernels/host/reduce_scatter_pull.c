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

const struct symm_algorithm_row symm_reduce_scatter_pull = {
    .number = SYMM_REDUCE_SCATTER_PULL,
    .name = "pull",
    .collective = SYMM_REDUCE_SCATTER,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE,
    .keeps_order = true,
    .on_device = SYMM_REDUCE_SCATTER_CUDA_PULL,
    .step = step,
};

const struct symm_algorithm_row symm_reduce_scatter_block_pull = {
    .number = SYMM_REDUCE_SCATTER_BLOCK_PULL,
    .name = "pull",
    .collective = SYMM_REDUCE_SCATTER_BLOCK,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE,
    .keeps_order = true,
    .on_device = SYMM_REDUCE_SCATTER_BLOCK_CUDA_PULL,
    .step = step,
};
