/*
 * reduce_scatter_pull.c - every rank loads its own block of all inputs, and reduces it, in one
 * launch.
 *
 * Peers read inputs until all ranks have departed, so no rank may be in place.
 *
 * (NCCL: ReduceScatter_LD.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"

static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    int ranks = work->team->size;
    size_t begin = work->begins[work->team->rank];
    size_t offset = begin * symm_cuda_type_extent((enum symm_cuda_type)work->cuda_type);
    struct symm_cuda_reduce arguments = {
        .begin = 0, .end = work->begins[work->team->rank + 1] - begin, .ranks = ranks,
        .output_count = 1, .outputs = {work->output},
    };
    for (int rank = 0; rank < ranks; rank++) {
        arguments.inputs[rank] = (const unsigned char *)work->inputs[rank] + offset;
    }
    return symm_kernel_reduce(kernel, work->cuda_type, work->cuda_op, &arguments,
                              work->block_limit);
}

SYMM_ALGORITHM_ROWS(reduce_scatter, REDUCE_SCATTER, reduce_scatter_block, REDUCE_SCATTER_BLOCK,
                    cuda_pull, CUDA_PULL,
    .name = "cuda_pull",
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE,
    .keeps_order = true,
    .step = symm_cuda_kernel_step,
    .make = make);
