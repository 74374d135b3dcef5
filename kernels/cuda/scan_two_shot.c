/*
 * scan_two_shot.c - each rank owns a slice: it loads the slice from all inputs, and stores each
 * prefix of it to the output of its rank, in one launch.
 *
 * (ranks - 1) / ranks of an array enter each device, and as much leaves it.  With scan_pull.c as
 * many arrays enter a device as there are ranks before it.
 *
 * Only the owner touches a slice, in any rank's memory.  Each of its threads stores an element to a
 * rank's output when it has loaded that element of that rank's input, which nobody loads again.  So
 * it is right in place as well, even if only some ranks are in place.
 *
 * In an exclusive scan the first rank has no result, and may have no output.  The last rank's input
 * is part of no result.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"
#include "kernels/prefix.h"

static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    int ranks = work->team->size;
    int first = symm_prefix_is_inclusive(work) ? 0 : 1; /* rank with a result */
    size_t begin, end;
    symm_slice(work->count, symm_cuda_type_extent((enum symm_cuda_type)work->cuda_type),
               work->team->rank, ranks, &begin, &end);
    struct symm_cuda_reduce arguments = {
        .begin = begin, .end = end, .ranks = ranks - first, .output_count = ranks - first,
    };
    if (ranks == first) { /* there is no result */
        return symm_kernel_nothing(kernel);
    }
    for (int rank = first; rank < ranks; rank++) {
        arguments.inputs[rank - first] = work->inputs[rank - first];
        arguments.outputs[rank - first] = work->outputs[rank];
    }
    return symm_kernel_scan(kernel, work->cuda_type, work->cuda_op, &arguments, work->block_limit);
}

SYMM_ALGORITHM_ROWS(scan, SCAN, exscan, EXSCAN, cuda_two_shot, CUDA_TWO_SHOT,
    .name = "cuda_two_shot",
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .step = symm_cuda_kernel_step,
    .make = make);
