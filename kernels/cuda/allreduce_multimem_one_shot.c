/*
 * allreduce_multimem_one_shot.c - every rank loads all elements by NVLink multicast, and the switch
 * reduces them.
 *
 * Two loads of one element through the switch may round differently, so this is for integers and
 * bitwise operations (symm_multimem_can_reduce()).  Peers read inputs until all ranks have
 * departed, so no rank's output may be its input.  Outputs may lie anywhere that their own devices
 * reach.
 *
 * (PyTorch: multimem_one_shot_all_reduce.  NCCL: AllReduce_AGxLLMC family.)
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
    struct symm_cuda_multimem arguments = {
        .unicast = {.end = work->count, .ranks = ranks, .output_count = 1,
                    .outputs = {work->output}},
        .input = symm_multimem_pointer(&work->multicast_input, work->input),
    };
    for (int rank = 0; rank < ranks; rank++) {
        arguments.unicast.inputs[rank] = work->inputs[rank];
    }
    return symm_kernel_multimem(kernel, work->cuda_type, work->cuda_op, &arguments,
                                work->block_limit);
}

/* A GPU sends its whole array to each rank, itself included. */
static double link_bytes(double ranks, double bytes)
{
    return ranks * bytes;
}

const struct symm_algorithm_row symm_allreduce_cuda_multimem_one_shot = {
    .number = SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT,
    .name = "cuda_multimem_one_shot",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUT_MULTICAST | SYMM_NEEDS_EXACT_REDUCTION | SYMM_NEEDS_OUT_OF_PLACE,
    /*
     * Not measured.  The values are as in allreduce_multimem.c, but one-shot saves the way of a
     * store to the switch and back, half a microsecond.
     */
    .cost = {.floor = 12.8, .floor_rank = 0, .start = 12.8, .start_rank = 0,
             .rate_two = 310e3, .rate = 310e3, .is_guess = true, .link_bytes = link_bytes},
    .step = symm_cuda_kernel_step,
    .make = make,
};
