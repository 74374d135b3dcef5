/*
 * rooted_copy_engine.c - broadcast and scatter: copy engines of the root's device store to all
 * outputs.  Gather: engines of each device store its rank's block to the root's output.
 *
 * As in allgather_copy_engine.c, a kernel of few blocks copies the root's own block, except beside
 * a computation.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/rooted.h"

static enum symm_status start(struct symm_run *run)
{
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX], own;
    int count = symm_rooted_pushes(run, pushes);
    bool has_own = symm_rooted_own_push(run, &own);
    return symm_device_engine_start(run->device, pushes, count, -1, has_own ? &own : NULL,
                                    run->beside ? SYMM_DEVICE_NO_BLOCKS : run->block_limit,
                                    &run->completion);
}

static enum symm_status step(struct symm_run *run)
{
    return symm_cuda_step(run, start);
}

const struct symm_algorithm_row symm_bcast_cuda_copy_engine = {
    .number = SYMM_BCAST_CUDA_COPY_ENGINE,
    .name = "cuda_copy_engine",
    .collective = SYMM_BCAST,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .slow = SYMM_SLOW_SMALL_PAGES,
    .small_pages_most = 16 << 20, /* as in allgather_copy_engine.c */
    .spares_multiprocessors = true,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_gather_cuda_copy_engine = {
    .number = SYMM_GATHER_CUDA_COPY_ENGINE,
    .name = "cuda_copy_engine",
    .collective = SYMM_GATHER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .slow = SYMM_SLOW_SMALL_PAGES,
    .small_pages_most = 16 << 20,
    .spares_multiprocessors = true,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_scatter_cuda_copy_engine = {
    .number = SYMM_SCATTER_CUDA_COPY_ENGINE,
    .name = "cuda_copy_engine",
    .collective = SYMM_SCATTER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .slow = SYMM_SLOW_SMALL_PAGES,
    .small_pages_most = 16 << 20,
    .spares_multiprocessors = true,
    .keeps_order = true,
    .step = step,
};
