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

static const struct symm_mover kernel = {.depth = 2, .lead = 2, .pieces = 1, .scatters = true};

SYMM_PIPELINE_FUNCTIONS(kernel, kernel)

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
