/*
 * allgather_multimem.c - every rank stores its block, which goes to all outputs, by multicast.
 *
 * The input may lie anywhere, since only its owner reads it.  One phase at the end: my output is
 * complete when all have stored.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/host/multimem.h"
#include "kernels/host/steps.h"

static void store_block(struct symm_run *run, size_t bytes)
{
    const unsigned char *source = (const unsigned char *)run->work->input + run->position;
    symm_multimem_store(run, (size_t)run->work->team->rank * run->work->count + run->position,
                        source, bytes);
}

static enum symm_status step(struct symm_run *run)
{
    return symm_host_block_step(run, store_block);
}

const struct symm_algorithm_row symm_allgather_multimem = {
    .number = SYMM_ALLGATHER_MULTIMEM,
    .name = "multimem",
    .collective = SYMM_ALLGATHER,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_OUTPUT_MULTICAST,
    .keeps_order = true,
    .on_device = SYMM_ALLGATHER_CUDA_MULTIMEM,
    .step = step,
};
