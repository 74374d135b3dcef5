/*
 * rooted_push.c - broadcast and scatter: the root's kernel stores to all outputs.  Gather: each
 * rank's kernel stores its block to the root's output.
 *
 * Inputs may lie anywhere that their own device reaches.  A broadcast reads the input once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/rooted.h"

static enum symm_status bcast_start(struct symm_run *run)
{
    struct symm_cuda_copy arguments = {.input = run->input, .bytes = run->count};
    if (!symm_rooted_is_root(run)) {
        return symm_rooted_nothing(run);
    }
    for (int turn = 1; turn < run->team->size; turn++) {
        arguments.outputs[arguments.output_count++] = run->outputs[symm_run_rotate(run, turn)];
    }
    return symm_device_copy_start(run->device, &arguments, run->block_limit, &run->completion);
}

static enum symm_status bcast_step(struct symm_run *run)
{
    return symm_cuda_step(run, bcast_start);
}

static enum symm_status start(struct symm_run *run)
{
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX], own;
    int count = symm_rooted_pushes(run, pushes);
    bool own_last = symm_rooted_own_push(run, &own);
    if (own_last) {
        pushes[count++] = own;
    }
    return count == 0 ? symm_rooted_nothing(run)
                      : symm_device_push_start(run->device, pushes, count, own_last,
                                               symm_cuda_store_blocks(run, count),
                                               &run->completion);
}

static enum symm_status step(struct symm_run *run)
{
    return symm_cuda_step(run, start);
}

const struct symm_algorithm_row symm_bcast_cuda_push = {
    .number = SYMM_BCAST_CUDA_PUSH,
    .name = "cuda_push",
    .collective = SYMM_BCAST,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .step = bcast_step,
};

const struct symm_algorithm_row symm_gather_cuda_push = {
    .number = SYMM_GATHER_CUDA_PUSH,
    .name = "cuda_push",
    .collective = SYMM_GATHER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_scatter_cuda_push = {
    .number = SYMM_SCATTER_CUDA_PUSH,
    .name = "cuda_push",
    .collective = SYMM_SCATTER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .step = step,
};
