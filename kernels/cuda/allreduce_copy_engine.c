/*
 * allreduce_copy_engine.c - copy engines move the slices of an input to their owners' scratch, and results
 * to all outputs; kernels only add, within a device.
 *
 * The most bandwidth of all between two devices, and multiprocessors are taken for the sums alone.  All
 * copies of a rank are queued on one stream: engines lose time with every change between streams, and with
 * more than one peer much (4 H200: a third of the bandwidth).
 *
 * (NCCL has copy engines in all-gather, NCCL_CTA_POLICY_ZERO.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/pipeline.h"

static enum symm_status start(struct symm_run *run, const struct symm_cuda_push *pushes, int count,
                              struct symm_ticket *ticket)
{
    const int lane = 0;
    return symm_device_engine_start(run->device, pushes, count, lane, NULL, 0, ticket);
}

/* A copy starts in some 4 us: pieces of 32 MiB lose a few percent, and the first and last are small. */
static const struct symm_mover engine = {
    .depth = 4, .pieces = 16, .stores = true, .start = start,
};

size_t symm_allreduce_cuda_copy_engine_scratch(size_t bytes, int ranks)
{
    return symm_pipeline_scratch(&engine, bytes, ranks);
}

enum symm_status symm_allreduce_cuda_copy_engine_step(struct symm_run *run)
{
    return symm_pipeline_step(run, &engine);
}
