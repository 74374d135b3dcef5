/*
 * allgather_kernel.c - every rank stores its block to all outputs, by a kernel.
 *
 * The input may lie anywhere that its own device reaches.  The kernel starts sooner than copy
 * engines do, but it needs multiprocessors, and copy engines do not.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/gather_start.h"
#include "kernels/cuda/link.h"
#include "kernels/cuda/steps.h"

/*
 * Store to peers first, in the order me + 1, me + 2, ...; in place my own block is already there.
 */
static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    int ranks = work->team->size;
    size_t offset = (size_t)work->team->rank * work->count;
    unsigned char *own = (unsigned char *)work->output + offset;
    struct symm_cuda_copy arguments = {.input = work->input, .bytes = work->count};
    for (int turn = 1; turn < ranks; turn++) {
        unsigned char *output = work->outputs[symm_work_rotate(work, turn)];
        arguments.outputs[arguments.output_count++] = output + offset;
    }
    if (own != work->input) {
        arguments.outputs[arguments.output_count++] = own;
    }
    return symm_cuda_gather(work, &arguments, kernel);
}

const struct symm_algorithm_row symm_allgather_cuda_kernel = {
    .number = SYMM_ALLGATHER_CUDA_KERNEL,
    .name = "cuda_kernel",
    .collective = SYMM_ALLGATHER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    /*
     * Medians of the slowest rank on two and four H200 with NVLink 4: gpu-2-ranks-*.txt and
     * gpu-4-ranks-*.txt in bench/results.  The floor is the time of small calls; start and rate fit
     * 256 KiB to 1 GiB.
     */
    .cost = {.floor = 10.4, .floor_rank = 1.0, .start = 10.9, .start_rank = 1.0,
             .rate_two = 335e3, .rate = 335e3, .link_bytes = symm_link_bytes_of_blocks},
    .step = symm_cuda_kernel_step,
    .make = make,
};
