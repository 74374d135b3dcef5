/*
 * allgather_multimem.c - every rank stores its block by NVLink multicast, which sends it to all
 * outputs.
 *
 * The input may lie anywhere that its own device reaches.  In place a rank's own block is stored
 * over itself, because the switch stores to every rank.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/multimem.h"
#include "kernels/cuda/steps.h"

static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    int ranks = work->team->size;
    size_t offset = (size_t)work->team->rank * work->count;
    unsigned char *output = symm_multimem_pointer(&work->multicast_output, work->output);
    struct symm_cuda_multimem_copy arguments = {
        .unicast = {.input = work->input, .bytes = work->count, .output_count = ranks},
        .output = output + offset,
    };
    for (int rank = 0; rank < ranks; rank++) {
        arguments.unicast.outputs[rank] = (unsigned char *)work->outputs[rank] + offset;
    }
    return symm_kernel_multimem_copy(kernel, &arguments, work->block_limit);
}

/* All blocks enter, the rank's own as well. */
static double link_bytes(double ranks, double bytes)
{
    (void)ranks;
    return bytes;
}

const struct symm_algorithm_row symm_allgather_cuda_multimem = {
    .number = SYMM_ALLGATHER_CUDA_MULTIMEM,
    .name = "cuda_multimem",
    .collective = SYMM_ALLGATHER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUT_MULTICAST,
    .keeps_order = true,
    /*
     * Not measured.  The values are as in allreduce_multimem.c, but stores are taken to be as quick
     * as unicast.
     */
    .cost = {.floor = 12.4, .floor_rank = 0, .start = 12.9, .start_rank = 0,
             .rate_two = 335e3, .rate = 335e3, .is_guess = true, .link_bytes = link_bytes},
    .step = symm_cuda_kernel_step,
    .make = make,
};
