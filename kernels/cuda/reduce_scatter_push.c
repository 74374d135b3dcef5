/*
 * reduce_scatter_push.c - kernels store the blocks of an input in their owners' scratch; the
 * owners' kernels add them.
 *
 * This is the first half of allreduce_push.c.  Other ranks need to reach neither inputs nor
 * outputs, and ranks may be in place.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/pipeline.h"

static enum symm_status start(struct symm_run *run, const struct symm_cuda_push *pushes, int count,
                              struct symm_completion *completion)
{
    return symm_device_push_start(run->device, pushes, count, false, run->block_limit, completion);
}

static const struct symm_mover kernel = {
    .depth = 2, .lead = 2, .pieces = 1, .scatters = true, .start = start};

static size_t scratch_wanted(size_t bytes, int ranks)
{
    return symm_pipeline_scratch(&kernel, bytes, ranks);
}

static enum symm_status step(struct symm_run *run)
{
    return symm_pipeline_step(run, &kernel);
}

const struct symm_algorithm_row symm_reduce_scatter_cuda_push = {
    .number = SYMM_REDUCE_SCATTER_CUDA_PUSH,
    .name = "cuda_push",
    .collective = SYMM_REDUCE_SCATTER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_SLICE_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .scratch_least = symm_pipeline_scratch_least,
    .scratch_fair = symm_pipeline_scratch_least,
    .step = step,
};

const struct symm_algorithm_row symm_reduce_scatter_block_cuda_push = {
    .number = SYMM_REDUCE_SCATTER_BLOCK_CUDA_PUSH,
    .name = "cuda_push",
    .collective = SYMM_REDUCE_SCATTER_BLOCK,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_SLICE_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .scratch_least = symm_pipeline_scratch_least,
    .scratch_fair = symm_pipeline_scratch_least,
    .step = step,
};
