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
    int count = symm_rooted_pushes(run->work, pushes);
    bool has_own = symm_rooted_own_push(run->work, &own);
    return symm_device_engine_start(run->work->device, pushes, count, -1, has_own ? &own : NULL,
                                    run->work->beside ? SYMM_DEVICE_NO_BLOCKS
                                        : run->work->block_limit,
                                    &run->completion);
}

static enum symm_status step(struct symm_run *run)
{
    return symm_cuda_step(run, start);
}

/* Small pages: as in allgather_copy_engine.c. */
#define COPY_ENGINE_ROW(collective_, COLLECTIVE)                                                   \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, cuda_copy_engine, CUDA_COPY_ENGINE,                \
                       .name = "cuda_copy_engine", .memory = SYMM_ALGORITHM_DEVICE,                \
                       .needs = SYMM_NEEDS_OUTPUTS, .slow = SYMM_SLOW_SMALL_PAGES,                 \
                       .small_pages_most = 16 << 20, .spares_multiprocessors = true,               \
                       .keeps_order = true, .step = step)

COPY_ENGINE_ROW(bcast, BCAST);
COPY_ENGINE_ROW(gather, GATHER);
COPY_ENGINE_ROW(scatter, SCATTER);
