/*
 * blocks.h - what a rank stores in a collective that moves blocks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_BLOCKS_H
#define SYMM_KERNELS_CUDA_BLOCKS_H

#include "kernels/cuda/steps.h"

/*
 * Its blocks for the others, in the order me + 1, me + 2, ... so that not all begin with the same
 * rank, and then its own.  Empty ones are left out, and its own if that is in place.  Returns how
 * many.
 */
static inline int symm_cuda_pushes(const struct symm_work *work,
                                   struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX],
                                   bool *own_last)
{
    int count = 0;
    *own_last = false;
    for (int turn = 1; turn <= work->team->size; turn++) {
        int rank = symm_work_rotate(work, turn % work->team->size);
        const struct symm_block block = symm_work_block(work, rank);
        const struct symm_cuda_push push = {
            .input = (const unsigned char *)work->input + block.send_at,
            .output = (unsigned char *)work->outputs[rank] + block.to_at,
            .bytes = symm_block_outgoing(&block),
        };
        bool is_own = rank == work->team->rank;
        if (push.bytes > 0 && !(is_own && push.input == push.output)) {
            pushes[count++] = push;
            *own_last = is_own;
        }
    }
    return count;
}

/* Whether what a rank stores is one block, the same for all who get it. */
static inline bool symm_cuda_has_one_block(const struct symm_work *work)
{
    const struct symm_collective_row *row = symm_work_collective(work);
    return row == symm_collective_get(SYMM_BCAST) || (row->gathers && !row->is_rooted);
}

/* Such a block, to be read once and stored to where `count` pushes, one at least, store it. */
static inline struct symm_cuda_copy symm_cuda_copy_of(const struct symm_cuda_push *pushes,
                                                      int count)
{
    struct symm_cuda_copy copy = {.input = pushes[0].input, .bytes = pushes[0].bytes};
    for (int i = 0; i < count; i++) {
        copy.outputs[copy.output_count++] = pushes[i].output;
    }
    return copy;
}

#endif /* SYMM_KERNELS_CUDA_BLOCKS_H */
