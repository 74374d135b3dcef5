/*
 * reduce_two_shot.c - each rank owns a slice: it reads the slice from all inputs, reduces it, and
 * stores the result to the root's output.
 *
 * The root owns a slice as well, because in host memory the cores are what there is least of.  In
 * place the owner reads a block of the root's input before it stores that block there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/host/steps.h"
#include "kernels/rooted.h"

static void reduce_block(struct symm_run *run, size_t block)
{
    size_t offset = run->position * run->work->reduction->extent;
    void *result = symm_scratch_take(); /* in place, the output still holds the input */
    symm_fold(run->work->reduction, run->work->team, run->work->inputs, offset, result, block);
    memcpy((unsigned char *)run->work->outputs[run->work->root] + offset, result,
           symm_result_bytes(run->work->reduction, block * run->work->reduction->extent));
    symm_scratch_give(result);
}

static enum symm_status step(struct symm_run *run)
{
    return symm_host_slice_step(run, reduce_block);
}

const struct symm_algorithm_row symm_reduce_two_shot = {
    .number = SYMM_REDUCE_TWO_SHOT,
    .name = "two_shot",
    .collective = SYMM_REDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .on_device = SYMM_REDUCE_CUDA_TWO_SHOT,
    .step = step,
};
