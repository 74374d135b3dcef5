/*
 * reduce_one_shot.c - the root reads all inputs and reduces everything.
 *
 * It is for outputs that peers cannot reach.  There is one phase at the end, so that no rank
 * changes its input while the root still reads it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/host/steps.h"
#include "kernels/rooted.h"

static void some_reduce(struct symm_run *run)
{
    size_t extent = run->work->reduction->extent;
    size_t end = symm_least(run->work->count, run->position + SYMM_STEP_BYTES / extent + 1);
    bool in_place = run->work->input == run->work->output;
    void *scratch = in_place ? symm_scratch_take() : NULL;
    while (run->position < end) {
        size_t block = symm_least(end - run->position, symm_block_bytes(extent) / extent);
        unsigned char *output = (unsigned char *)run->work->output + run->position * extent;
        void *result = in_place ? scratch : (void *)output;
        symm_fold(run->work->reduction, run->work->team, run->work->inputs, run->position * extent,
                  result,
                  block);
        if (in_place) {
            memcpy(output, result, symm_result_bytes(run->work->reduction, block * extent));
        }
        run->position += block;
    }
    if (in_place) {
        symm_scratch_give(scratch);
    }
}

static enum symm_status step(struct symm_run *run)
{
    bool is_root = symm_rooted_is_root(run->work);
    if (is_root && run->stage != SYMM_HOST_DEPARTING) {
        some_reduce(run);
    }
    return symm_host_depart(run, is_root ? run->work->count : 0);
}

const struct symm_algorithm_row symm_reduce_one_shot = {
    .number = SYMM_REDUCE_ONE_SHOT,
    .name = "one_shot",
    .collective = SYMM_REDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS,
    .keeps_order = true,
    .on_device = SYMM_REDUCE_CUDA_ONE_SHOT,
    .step = step,
};
