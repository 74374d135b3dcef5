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

SYMM_ALGORITHM_ROWS(reduce_scatter, REDUCE_SCATTER, reduce_scatter_block, REDUCE_SCATTER_BLOCK,
                    cuda_push, CUDA_PUSH,
    .name = "cuda_push",
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_SLICE_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .scratch_least = symm_pipeline_scratch_least,
    .scratch_fair = symm_pipeline_scratch_least,
    .step = step);
