/*
 * allreduce_one_shot.c - every rank reads all inputs and reduces everything for itself.
 *
 * One phase only, at the end, so that no rank changes its input while a peer still reads it.
 * Because peers read inputs until then, no rank's output may be its input.
 *
 * (PyTorch: one_shot_all_reduce.  NCCL: AllReduce_AGxLL family.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/run_steps.h"

enum { REDUCING, DEPARTING };
enum { STEP_DEPART = 1 };

static enum symm_status step(struct symm_run *run)
{
    size_t extent = run->work->reduction->extent;
    if (run->stage == REDUCING) {
        size_t block = symm_least(run->work->count - run->position, 1 + SYMM_SCRATCH_SIZE / extent);
        unsigned char *output = run->work->output;
        size_t offset = run->position * extent;
        symm_fold(run->work->reduction, run->work->team, run->work->inputs, offset,
                  output + offset, block);
        run->position += block;
        if (run->position < run->work->count) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = DEPARTING;
    }
    return symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}

const struct symm_algorithm_row symm_allreduce_one_shot = {
    .number = SYMM_ALLREDUCE_ONE_SHOT,
    .name = "one_shot",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE,
    .keeps_order = true,
    .on_device = SYMM_ALLREDUCE_CUDA_ONE_SHOT,
    .step = step,
};
