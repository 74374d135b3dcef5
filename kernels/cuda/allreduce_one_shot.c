/*
 * allreduce_one_shot.c - every rank loads all inputs and reduces everything for itself.
 *
 * Peers read inputs until all have departed, so no rank's output may be its input.  The least time for
 * small messages, and as much bandwidth as two-shot with two ranks.
 *
 * (PyTorch: one_shot_all_reduce.  NCCL: AllReduce_AGxLL family.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"

static enum symm_status start(struct symm_run *run)
{
    int ranks = run->team->size;
    struct symm_cuda_reduce arguments = {
        .begin = 0, .end = run->count, .ranks = ranks, .output_count = 1,
        .outputs = {run->output},
    };
    memcpy(arguments.inputs, run->inputs, (size_t)ranks * sizeof(*run->inputs));
    return symm_device_reduce_start(run->device, run->cuda_type, run->cuda_op, &arguments,
                                    run->block_limit, &run->ticket);
}

enum symm_status symm_allreduce_cuda_one_shot_step(struct symm_run *run)
{
    return symm_cuda_step(run, start);
}
