/*
 * reduce_scatter_copy_engine.c - copy engines move the blocks of an input to their owners' scratch;
 * the owners' kernels add them, within a device.
 *
 * This is the first half of allreduce_copy_engine.c.  Other ranks need to reach neither inputs nor
 * outputs, and ranks may be in place.  Engines move more than the loads of reduce_scatter_pull.c:
 * 1 GiB on two H100 takes 1633 us by pull and 1504 by this.  With sums of 64 blocks it takes 1639
 * (bench/results/gpu-h100-2-ranks-engine-sums.txt).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/pipeline.h"

static const struct symm_mover of_two = {
    .depth = 4, .lead = 2, .pieces = 16, .sum_blocks = 24, .scatters = true, .by_engines = true};

/* 1 GiB on four H100: 3391 us in 16 pieces, 2263 in four (gpu-h100-4-ranks-engines.txt). */
static const struct symm_mover of_more = {
    .depth = 2, .lead = 1, .pieces = 4, .sum_blocks = 24, .scatters = true, .by_engines = true};

SYMM_PIPELINE_FUNCTIONS(of_two, of_more)

SYMM_ALGORITHM_ROWS(reduce_scatter, REDUCE_SCATTER, reduce_scatter_block, REDUCE_SCATTER_BLOCK,
                    cuda_copy_engine, CUDA_COPY_ENGINE,
    .name = "cuda_copy_engine",
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_SLICE_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .scratch_least = symm_pipeline_scratch_least,
    .scratch_fair = symm_pipeline_scratch_fair,
    .step = step);
