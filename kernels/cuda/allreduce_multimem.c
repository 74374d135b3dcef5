/*
 * allreduce_multimem.c - two-shot by NVLink multicast: each rank loads its slice, which the switch
 * reduces, and stores the result, which the switch sends to all outputs, in one launch.
 *
 * Only the owner touches a slice, in any rank's memory, and each of its threads has loaded a vector
 * before it stores that vector.  So it is right in place as well.  Each element is loaded only
 * once, by its owner, so the ranks get the same bits however the switch rounds.  The few elements
 * outside of vectors are reduced as in two-shot by loads and stores, in rank order.
 *
 * (PyTorch: multimem_all_reduce_.  NCCL: AllReduce_RSxLDMC_AGxSTMC.)
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
    size_t begin, end;
    symm_slice(work->count, symm_cuda_type_extent(work->cuda_type), work->team->rank, ranks, &begin,
               &end);
    struct symm_cuda_multimem arguments = {
        .unicast = {.begin = begin, .end = end, .ranks = ranks, .output_count = ranks},
        .input = symm_multimem_pointer(&work->multicast_input, work->input),
        .output = symm_multimem_pointer(&work->multicast_output, work->output),
    };
    for (int rank = 0; rank < ranks; rank++) {
        arguments.unicast.inputs[rank] = work->inputs[rank];
        arguments.unicast.outputs[rank] = work->outputs[rank];
    }
    return symm_kernel_multimem(kernel, work->cuda_type, work->cuda_op, &arguments,
                                work->block_limit);
}

/*
 * The switch reads the replicas of all ranks, including the rank that asks, and stores to all of
 * them.  So a GPU sends its whole array and its own slice of the result.
 */
static double link_bytes(double ranks, double bytes)
{
    return (1 + 1 / ranks) * bytes;
}

const struct symm_algorithm_row symm_allreduce_cuda_multimem = {
    .number = SYMM_ALLREDUCE_CUDA_MULTIMEM,
    .name = "cuda_multimem",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUT_MULTICAST | SYMM_NEEDS_OUTPUT_MULTICAST,
    /*
     * Not measured.  A vector takes one load and one store for any number of ranks, so floor and
     * start are taken from unicast between two.  NCCL with NVLS on eight H100 has a published bus
     * bandwidth of 480 GB/s, which is 310 GB/s on a link.
     */
    .cost = {.floor = 13.3, .floor_rank = 0, .start = 13.3, .start_rank = 0,
             .rate_two = 310e3, .rate = 310e3, .is_guess = true, .link_bytes = link_bytes},
    .step = symm_cuda_kernel_step,
    .make = make,
};
