/*
 * gather_start.h - the copies of an all-gather by a kernel, of blocks with equal counts or not.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_GATHER_START_H
#define SYMM_KERNELS_CUDA_GATHER_START_H

#include "kernels/cuda/steps.h"

/*
 * A kernel that copies a block to all outputs, the rank's own last if it is among them.  A block is
 * read once.  Between two ranks a large one is read twice, and the own output is written beside the
 * link's.  32 MiB into small pages took 122 us by reading once, and 109 so (allgatherv in
 * bench/results/gpu-h100-2-ranks-collectives-elsewhere.txt, before and now).  Blocks of 1 to 4 MiB
 * seem to take longer so.
 */
static inline struct symm_kernel *symm_cuda_gather(const struct symm_work *work,
                                                   const struct symm_cuda_copy *copy,
                                                   struct symm_kernel *kernel)
{
    const uint64_t twice_least = 8 << 20; /* bytes */
    /*
     * More go to small pages, else by engines.  With 132 blocks 32 MiB took 1.21 and 1.25 times as
     * long as to large pages, with 64 blocks 1.12 (bench/results/gpu-h100-4-ranks-odd.txt).
     */
    const uint64_t many_most = 16 << 20;
    if (copy->output_count == 2 && work->team->size == 2 && copy->bytes >= twice_least) {
        const struct symm_cuda_push pushes[] = {
            {copy->input, copy->outputs[0], copy->bytes},
            {copy->input, copy->outputs[1], copy->bytes},
        };
        return symm_kernel_push(kernel, pushes, 2, true, work->block_limit);
    }
    unsigned limit = copy->bytes > many_most ? work->block_limit
                                             : symm_cuda_store_blocks(work, copy->output_count);
    return symm_kernel_copy(kernel, copy, limit);
}

#endif /* SYMM_KERNELS_CUDA_GATHER_START_H */
