/*
 * exchange_kernel.c - every rank stores its blocks to the outputs that they are for, by a kernel.
 *
 * The input may lie anywhere that its own device reaches.  Ranks begin with the rank behind them,
 * so that no link is hit by all at once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/blocks.h"
#include "kernels/cuda/link.h"

/*
 * One block is for all outputs, the rank's own last if it is among them.  It is read once.  Between
 * two ranks a large one is read twice, and the own output is written beside the link's.  32 MiB
 * into small pages took 122 us by reading once, and 109 so (allgatherv in
 * bench/results/gpu-h100-2-ranks-collectives-elsewhere.txt, before and now).  Blocks of 1 to 4 MiB
 * seem to take longer so.
 */
static struct symm_kernel *one_block_make(const struct symm_work *work,
                                          const struct symm_cuda_push *pushes, int count,
                                          bool own_last, struct symm_kernel *kernel)
{
    const uint64_t twice_least = 8 << 20; /* bytes */
    /*
     * More go to small pages, else by engines.  With 132 blocks 32 MiB took 1.21 and 1.25 times as
     * long as to large pages, with 64 blocks 1.12 (bench/results/gpu-h100-4-ranks-odd.txt).
     */
    const uint64_t many_most = 16 << 20;
    if (own_last && count == 2 && pushes[0].bytes >= twice_least) {
        return symm_kernel_push(kernel, pushes, count, true, work->block_limit);
    }
    const struct symm_cuda_copy copy = symm_cuda_copy_of(pushes, count);
    bool takes_many = copy.bytes <= many_most && !symm_work_collective(work)->is_rooted;
    return symm_kernel_copy(kernel, &copy, takes_many ? symm_cuda_store_blocks(work, count)
                                                      : work->block_limit);
}

static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    bool own_last;
    int count = symm_cuda_pushes(work, pushes, &own_last);
    if (count == 0) {
        return symm_kernel_nothing(kernel);
    }
    return symm_cuda_has_one_block(work)
               ? one_block_make(work, pushes, count, own_last, kernel)
               : symm_kernel_push(kernel, pushes, count, own_last,
                                  symm_cuda_store_blocks(work, count));
}

/*
 * Medians of the slowest rank in all-gathers on two and four H200 with NVLink 4: gpu-2-ranks-*.txt
 * and gpu-4-ranks-*.txt in bench/results.  The floor is the time of small calls; start and rate fit
 * 256 KiB to 1 GiB.  Other exchanges move as many bytes in the same way.
 */
#define COST(is_guess_) {.floor = 10.4, .floor_rank = 1.0, .start = 10.9, .start_rank = 1.0,       \
                         .rate_two = 335e3, .rate = 335e3, .is_guess = is_guess_,                  \
                         .link_bytes = symm_link_bytes_of_blocks}

#define STORE_ROW(collective_, COLLECTIVE, way, WAY, needed, ...)                                  \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, way, WAY, .name = #way,                            \
                       .memory = SYMM_ALGORITHM_DEVICE, .needs = needed, .keeps_order = true,      \
                       .step = symm_cuda_kernel_step, .make = make, __VA_ARGS__)
#define KERNEL_ROW(collective_, COLLECTIVE, needed, is_guess_)                                     \
    STORE_ROW(collective_, COLLECTIVE, cuda_kernel, CUDA_KERNEL, needed, .cost = COST(is_guess_))
#define PUSH_ROW(collective_, COLLECTIVE)                                                          \
    STORE_ROW(collective_, COLLECTIVE, cuda_push, CUDA_PUSH, SYMM_NEEDS_OUTPUTS, )

KERNEL_ROW(allgather, ALLGATHER, SYMM_NEEDS_OUTPUTS, false);
KERNEL_ROW(alltoall, ALLTOALL, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE, true);
KERNEL_ROW(allgatherv, ALLGATHERV, SYMM_NEEDS_OUTPUTS, true);
KERNEL_ROW(alltoallv, ALLTOALLV, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE, true);
KERNEL_ROW(alltoallw, ALLTOALLW, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE, true);
KERNEL_ROW(gatherv, GATHERV, SYMM_NEEDS_OUTPUTS, true);
KERNEL_ROW(scatterv, SCATTERV, SYMM_NEEDS_OUTPUTS, true);
PUSH_ROW(bcast, BCAST);
PUSH_ROW(gather, GATHER);
PUSH_ROW(scatter, SCATTER);
