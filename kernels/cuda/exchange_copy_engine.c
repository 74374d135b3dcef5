/*
 * exchange_copy_engine.c - every rank has its blocks copied to the outputs that they are for
 * by copy engines.
 *
 * In a blocking call a kernel of few blocks makes the rank's own copy, as in
 * allgather_copy_engine.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/link.h"
#include "kernels/cuda/steps.h"

/* Copy in the order me + 1, me + 2, ... so that not all begin with the same rank. */
static enum symm_status start(struct symm_run *run)
{
    int ranks = run->work->team->size;
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    for (int turn = 0; turn < ranks; turn++) {
        int rank = symm_work_rotate(run->work, turn);
        const struct symm_block *block = &run->work->blocks[rank];
        pushes[turn] = (struct symm_cuda_push){
            .input = (const unsigned char *)run->work->input + block->send_at,
            .output = (unsigned char *)run->work->outputs[rank] + block->to_at,
            .bytes = symm_block_outgoing(block),
        };
    }
    bool in_place = pushes[0].output == pushes[0].input;
    return symm_device_engine_start(run->work->device, pushes + 1, ranks - 1, -1,
                                    in_place ? NULL : &pushes[0],
                                    run->work->beside ? SYMM_DEVICE_NO_BLOCKS
                                        : run->work->block_limit,
                                    &run->completion);
}

static enum symm_status step(struct symm_run *run)
{
    return symm_cuda_step(run, start);
}

/* Those of an all-gather, which moves as many bytes in the same way. */
#define COST {.floor = 0.4, .floor_rank = 4.55, .start = 1.1, .start_rank = 4.3,                   \
              .rate_two = 383e3, .rate = 385e3, .own = 5.2, .is_guess = true,                      \
              .link_bytes = symm_link_bytes_of_blocks}

/*
 * `of_more` is the limit for small pages of more than two ranks, 0 for the same as of two: in an
 * allgatherv of the largest block, else of what a rank sends on average.  Allgathervs and scattervs
 * of 8 MiB to each peer take 1.3 to 1.4 times as long as to large pages
 * (bench/results/gpu-h100-4-ranks-odd.txt).  In a gather engines store to one device, and are not
 * slower.
 */
#define COPY_ENGINE_ROW(collective_, COLLECTIVE, needed, of_more)                                  \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, cuda_copy_engine, CUDA_COPY_ENGINE,                \
                       .name = "cuda_copy_engine", .memory = SYMM_ALGORITHM_DEVICE,                \
                       .needs = needed, .slow = SYMM_SLOW_SMALL_PAGES,                             \
                       .small_pages_most = 16 << 20, .small_pages_most_of_more = of_more,          \
                       .spares_multiprocessors = true, .keeps_order = true, .cost = COST,          \
                       .step = step)

COPY_ENGINE_ROW(alltoall, ALLTOALL, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE, 0);
COPY_ENGINE_ROW(allgatherv, ALLGATHERV, SYMM_NEEDS_OUTPUTS, 4 << 20);
COPY_ENGINE_ROW(alltoallv, ALLTOALLV, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE, 0);
COPY_ENGINE_ROW(alltoallw, ALLTOALLW, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE, 0);
COPY_ENGINE_ROW(gatherv, GATHERV, SYMM_NEEDS_OUTPUTS, 0);
COPY_ENGINE_ROW(scatterv, SCATTERV, SYMM_NEEDS_OUTPUTS, 4 << 20);
