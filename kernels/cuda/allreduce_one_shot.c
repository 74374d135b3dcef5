/*
 * allreduce_one_shot.c - every rank loads all inputs and reduces everything for itself.
 *
 * Peers read inputs until all ranks have departed, so no rank's output may be its input.  It takes
 * the least time for small arrays, and with two ranks it has as much bandwidth as two-shot.
 *
 * (PyTorch: one_shot_all_reduce.  NCCL: AllReduce_AGxLL family.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/link.h"
#include "kernels/cuda/steps.h"

static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    int ranks = work->team->size;
    struct symm_cuda_reduce arguments = {
        .begin = 0, .end = work->count, .ranks = ranks, .output_count = 1,
        .outputs = {work->output},
    };
    memcpy(arguments.inputs, work->inputs, (size_t)ranks * sizeof(*work->inputs));
    return symm_kernel_reduce(kernel, work->cuda_type, work->cuda_op, &arguments,
                              work->block_limit);
}

const struct symm_algorithm_row symm_allreduce_cuda_one_shot = {
    .number = SYMM_ALLREDUCE_CUDA_ONE_SHOT,
    .name = "cuda_one_shot",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE,
    .keeps_order = true,
    /*
     * Medians of the slowest rank on two and four H200 with NVLink 4: gpu-2-ranks-*.txt and
     * gpu-4-ranks-*.txt in bench/results.  The floor is the time of small calls; start and rate fit
     * 256 KiB to 1 GiB.
     */
    .cost = {.floor = 11.9, .floor_rank = 1.1, .start = 11.9, .start_rank = 1.1,
             .rate_two = 337e3, .rate = 288e3, .link_bytes = symm_link_bytes_of_arrays},
    .step = symm_cuda_kernel_step,
    .make = make,
};
