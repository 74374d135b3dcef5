/*
 * bcast_multimem.c - the root stores its array by NVLink multicast, which sends it to all ranks.
 *
 * The root's own array is stored over itself, because the switch stores to every rank.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/multimem.h"
#include "kernels/cuda/rooted.h"

static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    int ranks = work->team->size;
    struct symm_cuda_multimem_copy arguments = {
        .unicast = {.input = work->input, .bytes = work->count, .output_count = ranks},
        .output = symm_multimem_pointer(&work->multicast_output, work->output),
    };
    if (!symm_rooted_is_root(work)) {
        return symm_kernel_nothing(kernel);
    }
    for (int rank = 0; rank < ranks; rank++) {
        arguments.unicast.outputs[rank] = work->outputs[rank];
    }
    return symm_kernel_multimem_copy(kernel, &arguments, work->block_limit);
}

const struct symm_algorithm_row symm_bcast_cuda_multimem = {
    .number = SYMM_BCAST_CUDA_MULTIMEM,
    .name = "cuda_multimem",
    .collective = SYMM_BCAST,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUT_MULTICAST,
    .keeps_order = true,
    .step = symm_cuda_kernel_step,
    .make = make,
};
