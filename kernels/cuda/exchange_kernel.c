/*
 * exchange_kernel.c - every rank stores its blocks to the outputs that they are for, by a
 * kernel.
 *
 * The input may lie anywhere that its own device reaches.  Ranks begin with the rank behind them,
 * so that no link is hit by all at once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/gather_start.h"
#include "kernels/cuda/link.h"
#include "kernels/cuda/steps.h"

static struct symm_kernel *gather_make(const struct symm_work *work, struct symm_kernel *kernel)
{
    const struct symm_block *own = &work->blocks[work->team->rank];
    const unsigned char *input = (const unsigned char *)work->input + own->send_at;
    struct symm_cuda_copy arguments = {.input = input, .bytes = own->send_bytes};
    for (int turn = 1; turn <= work->team->size; turn++) {
        int rank = symm_work_rotate(work, turn % work->team->size);
        unsigned char *output = (unsigned char *)work->outputs[rank] + work->blocks[rank].to_at;
        if (output != input) { /* in place my own block is already there */
            arguments.outputs[arguments.output_count++] = output;
        }
    }
    return symm_cuda_gather(work, &arguments, kernel);
}

static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    bool own_last = false;
    int count = 0;
    if (symm_collective_get(symm_algorithm_get(work->algorithm)->collective)->gathers) {
        return gather_make(work, kernel);
    }
    for (int turn = 1; turn <= work->team->size; turn++) {
        int rank = symm_work_rotate(work, turn % work->team->size);
        const struct symm_block *block = &work->blocks[rank];
        if (symm_block_outgoing(block) > 0) {
            own_last = rank == work->team->rank; /* the last turn's */
            pushes[count++] = (struct symm_cuda_push){
                .input = (const unsigned char *)work->input + block->send_at,
                .output = (unsigned char *)work->outputs[rank] + block->to_at,
                .bytes = symm_block_outgoing(block),
            };
        }
    }
    return symm_kernel_push(kernel, pushes, count, own_last, symm_cuda_store_blocks(work, count));
}

/* Those of an all-gather, which moves as many bytes in the same way. */
#define COST {.floor = 10.4, .floor_rank = 1.0, .start = 10.9, .start_rank = 1.0,                  \
              .rate_two = 335e3, .rate = 335e3, .is_guess = true,                                  \
              .link_bytes = symm_link_bytes_of_blocks}

#define KERNEL_ROW(collective_, COLLECTIVE, needed)                                                \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, cuda_kernel, CUDA_KERNEL,                          \
                       .name = "cuda_kernel", .memory = SYMM_ALGORITHM_DEVICE, .needs = needed,    \
                       .keeps_order = true, .cost = COST, .step = symm_cuda_kernel_step,           \
                       .make = make)

KERNEL_ROW(alltoall, ALLTOALL, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE);
KERNEL_ROW(allgatherv, ALLGATHERV, SYMM_NEEDS_OUTPUTS);
KERNEL_ROW(alltoallv, ALLTOALLV, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE);
KERNEL_ROW(alltoallw, ALLTOALLW, SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_OUT_OF_PLACE);
KERNEL_ROW(gatherv, GATHERV, SYMM_NEEDS_OUTPUTS);
KERNEL_ROW(scatterv, SCATTERV, SYMM_NEEDS_OUTPUTS);
