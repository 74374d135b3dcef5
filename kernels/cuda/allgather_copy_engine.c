/*
 * allgather_copy_engine.c - every rank has its block copied to all outputs by copy engines.
 *
 * It has the most bandwidth (391 GB/s; stores have 366, loads 338).  It takes nothing from a
 * computation, except in a blocking call out of place a few blocks of a kernel for the rank's own
 * copy.  Beside a computation an engine makes this copy, too: nobody waits for it at once.
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
    size_t offset = (size_t)run->work->team->rank * run->work->count;
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    for (int turn = 0; turn < ranks; turn++) {
        unsigned char *output = run->work->outputs[symm_work_rotate(run->work, turn)];
        pushes[turn] = (struct symm_cuda_push){run->work->input, output + offset, run->work->count};
    }
    bool in_place = pushes[0].output == run->work->input;
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

const struct symm_algorithm_row symm_allgather_cuda_copy_engine = {
    .number = SYMM_ALLGATHER_CUDA_COPY_ENGINE,
    .name = "cuda_copy_engine",
    .collective = SYMM_ALLGATHER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .slow = SYMM_SLOW_SMALL_PAGES,
    /* Up to these engines are as quick as with large pages. */
    .small_pages_most = 16 << 20,
    .small_pages_most_of_more = 4 << 20, /* bench/results/gpu-h100-4-ranks-odd.txt */
    .spares_multiprocessors = true,
    .keeps_order = true,
    /*
     * Medians of the slowest rank on two and four H200 with NVLink 4: gpu-2-ranks-*.txt and
     * gpu-4-ranks-*.txt in bench/results.  The floor is the time of small calls; start and rate fit
     * 256 KiB to 1 GiB.
     */
    .cost = {.floor = 0.4, .floor_rank = 4.55, .start = 1.1, .start_rank = 4.3,
             .rate_two = 383e3, .rate = 385e3, .own = 5.2, .link_bytes = symm_link_bytes_of_blocks},
    .step = step,
};
