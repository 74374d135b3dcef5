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

static struct symm_kernel *bcast_make(const struct symm_work *work, struct symm_kernel *kernel)
{
    struct symm_cuda_copy arguments = {.input = work->input, .bytes = work->count};
    if (!symm_rooted_is_root(work)) {
        return symm_kernel_nothing(kernel);
    }
    for (int turn = 1; turn < work->team->size; turn++) {
        arguments.outputs[arguments.output_count++] = work->outputs[symm_work_rotate(work, turn)];
    }
    return symm_kernel_copy(kernel, &arguments, work->block_limit);
}

static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX], own;
    int count = symm_rooted_pushes(work, pushes);
    bool own_last = symm_rooted_own_push(work, &own);
    if (own_last) {
        pushes[count++] = own;
    }
    return count == 0 ? symm_kernel_nothing(kernel)
                      : symm_kernel_push(kernel, pushes, count, own_last,
                                         symm_cuda_store_blocks(work, count));
}

const struct symm_algorithm_row symm_bcast_cuda_push = {
    .number = SYMM_BCAST_CUDA_PUSH,
    .name = "cuda_push",
    .collective = SYMM_BCAST,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .step = symm_cuda_kernel_step,
    .make = bcast_make,
};

SYMM_ALGORITHM_ROWS(gather, GATHER, scatter, SCATTER, cuda_push, CUDA_PUSH,
    .name = "cuda_push",
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .step = symm_cuda_kernel_step,
    .make = make);
