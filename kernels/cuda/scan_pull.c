/*
 * scan_pull.c - every rank loads the inputs of the ranks before it, and reduces them, in one
 * launch.
 *
 * Peers read inputs until all ranks have departed, so no rank may be in place.  The last rank loads
 * as much as in the one-shot of an all-reduce, the others load less.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"
#include "kernels/prefix.h"

static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    int ranks = symm_prefix_length(work, work->team->rank);
    struct symm_cuda_reduce arguments = {
        .begin = 0, .end = work->count, .ranks = ranks, .output_count = 1,
        .outputs = {work->output},
    };
    if (ranks == 0) { /* there is no result */
        return symm_kernel_nothing(kernel);
    }
    memcpy(arguments.inputs, work->inputs, (size_t)ranks * sizeof(*work->inputs));
    return symm_kernel_reduce(kernel, work->cuda_type, work->cuda_op, &arguments,
                              work->block_limit);
}

SYMM_ALGORITHM_ROWS(scan, SCAN, exscan, EXSCAN, cuda_pull, CUDA_PULL,
    .name = "cuda_pull",
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE,
    .keeps_order = true,
    .step = symm_cuda_kernel_step,
    .make = make);
