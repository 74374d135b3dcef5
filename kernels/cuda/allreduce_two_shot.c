/*
 * allreduce_two_shot.c - each rank owns a slice: it loads the slice from all inputs, reduces it,
 * and stores the result to all outputs, in one launch.
 *
 * Only the owner touches a slice, in any rank's memory, and each of its threads loads an element
 * from everywhere before it stores that element anywhere.  So it is right in place as well, even if
 * only some ranks are in place.  A rank stores to the outputs in the order me, me + 1, ... so that
 * not all begin with the same rank.
 *
 * (PyTorch: two_shot_all_reduce_.  NCCL: AllReduce_RSxLD_AGxST.)
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
    size_t begin, end;
    symm_slice(work->count, symm_cuda_type_extent(work->cuda_type), work->team->rank, ranks, &begin,
               &end);
    struct symm_cuda_reduce arguments = {
        .begin = begin, .end = end, .ranks = ranks, .output_count = ranks,
    };
    for (int turn = 0; turn < ranks; turn++) {
        arguments.inputs[turn] = work->inputs[turn];
        arguments.outputs[turn] = work->outputs[symm_work_rotate(work, turn)];
    }
    return symm_kernel_reduce(kernel, work->cuda_type, work->cuda_op, &arguments,
                              symm_cuda_store_blocks(work, ranks));
}

const struct symm_algorithm_row symm_allreduce_cuda_two_shot = {
    .number = SYMM_ALLREDUCE_CUDA_TWO_SHOT,
    .name = "cuda_two_shot",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    /*
     * Medians of the slowest rank on two and four H200 with NVLink 4: gpu-2-ranks-*.txt and
     * gpu-4-ranks-*.txt in bench/results.  The floor is the time of small calls; start and rate fit
     * 256 KiB to 1 GiB.
     */
    .cost = {.floor = 11.1, .floor_rank = 1.1, .start = 11.1, .start_rank = 1.1,
             .rate_two = 337e3, .rate = 318e3, .link_bytes = symm_link_bytes_of_slices},
    .step = symm_cuda_kernel_step,
    .make = make,
};
