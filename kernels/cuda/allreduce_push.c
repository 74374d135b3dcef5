/*
 * allreduce_push.c - kernels store the slices of an input in their owners' scratch; the owners' kernels add
 * them and store the results to all outputs.
 *
 * Kernels of a rank follow each other on one stream, so two pieces under way keep the link busy, and the
 * fewer pieces the better.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/pipeline.h"

static enum symm_status start(struct symm_run *run, const struct symm_cuda_push *pushes, int count,
                              struct symm_ticket *ticket)
{
    return symm_device_push_start(run->device, pushes, count, run->block_limit, ticket);
}

static const struct symm_mover kernel = {.depth = 2, .pieces = 1, .start = start};

size_t symm_allreduce_cuda_push_scratch(size_t bytes, int ranks)
{
    return symm_pipeline_scratch(&kernel, bytes, ranks);
}

enum symm_status symm_allreduce_cuda_push_step(struct symm_run *run)
{
    return symm_pipeline_step(run, &kernel);
}
