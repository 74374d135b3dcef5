/*
 * exchange_copy_engine.c - every rank has its blocks copied to the outputs that they are for by
 * copy engines.
 *
 * They have the most bandwidth (391 GB/s; stores have 366, loads 338).  They take nothing from a
 * computation, except in a blocking call out of place a few blocks of a kernel for the rank's own
 * copy.  Beside a computation an engine makes this copy, too: nobody waits for it at once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/blocks.h"
#include "kernels/cuda/link.h"

static enum symm_status start(struct symm_run *run)
{
    const struct symm_work *work = run->work;
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    bool own_last;
    int count = symm_cuda_pushes(work, pushes, &own_last), others = own_last ? count - 1 : count;
    return symm_device_engine_start(work->device, pushes, others, -1,
                                    own_last ? &pushes[others] : NULL,
                                    work->beside ? SYMM_DEVICE_NO_BLOCKS : work->block_limit,
                                    &run->completion);
}

static enum symm_status step(struct symm_run *run)
{
    return symm_cuda_step(run, start);
}

/*
 * Medians of the slowest rank in all-gathers on two and four H200 with NVLink 4: gpu-2-ranks-*.txt
 * and gpu-4-ranks-*.txt in bench/results.  The floor is the time of small calls; start and rate fit
 * 256 KiB to 1 GiB.  Other exchanges move as many bytes in the same way.
 */
#define COST(is_guess_) {.floor = 0.4, .floor_rank = 4.55, .start = 1.1, .start_rank = 4.3,        \
                         .rate_two = 383e3, .rate = 385e3, .own = 5.2, .is_guess = is_guess_,      \
                         .link_bytes = symm_link_bytes_of_blocks}

/*
 * Up to small_pages_most engines are as quick as with large pages.  `of_more` is that limit for
 * more than two ranks, 0 for the same as of two: in an allgatherv of the largest block, else of
 * what a rank sends on average.  Allgathervs and scattervs of 8 MiB to each peer take 1.3 to 1.4
 * times as long as to large pages (bench/results/gpu-h100-4-ranks-odd.txt).  In a gather engines
 * store to one device, and are not slower.
 */
#define ENGINE_ROW(collective_, COLLECTIVE, needed, of_more, ...)                                  \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, cuda_copy_engine, CUDA_COPY_ENGINE,                \
                       .name = "cuda_copy_engine", .memory = SYMM_ALGORITHM_DEVICE,                \
                       .needs = needed, .slow = SYMM_SLOW_SMALL_PAGES,                             \
                       .small_pages_most = 16 << 20, .small_pages_most_of_more = of_more,          \
                       .spares_multiprocessors = true, .keeps_order = true, .step = step,          \
                       __VA_ARGS__)
#define EXCHANGE_ROW(collective_, COLLECTIVE, needed, of_more, is_guess_)                          \
    ENGINE_ROW(collective_, COLLECTIVE, needed, of_more, .cost = COST(is_guess_))
#define ROOTED_ROW(collective_, COLLECTIVE)                                                        \
    ENGINE_ROW(collective_, COLLECTIVE, SYMM_NEEDS_OUTPUTS, 0, )

EXCHANGE_ROW(allgather, ALLGATHER, SYMM_NEEDS_OUTPUTS, 4 << 20, false);
EXCHANGE_ROW(alltoall, ALLTOALL, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE, 0, true);
EXCHANGE_ROW(allgatherv, ALLGATHERV, SYMM_NEEDS_OUTPUTS, 4 << 20, true);
EXCHANGE_ROW(alltoallv, ALLTOALLV, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE, 0, true);
EXCHANGE_ROW(alltoallw, ALLTOALLW, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE, 0, true);
EXCHANGE_ROW(gatherv, GATHERV, SYMM_NEEDS_OUTPUTS, 0, true);
EXCHANGE_ROW(scatterv, SCATTERV, SYMM_NEEDS_OUTPUTS, 4 << 20, true);
ROOTED_ROW(bcast, BCAST);
ROOTED_ROW(gather, GATHER);
ROOTED_ROW(scatter, SCATTER);
