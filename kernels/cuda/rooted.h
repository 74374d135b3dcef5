/*
 * rooted.h - what the algorithms on devices have in common that move data from or to a root.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_ROOTED_H
#define SYMM_KERNELS_CUDA_ROOTED_H

#include "kernels/cuda/steps.h"
#include "kernels/rooted.h"

/* What this rank stores to other ranks, in the order me + 1, me + 2, ...  Returns how many. */
static inline int symm_rooted_pushes(const struct symm_work *work,
                                     struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX])
{
    const unsigned char *input = work->input;
    int count = 0;
    if (!symm_rooted_is_from_root(work)) {
        if (!symm_rooted_is_root(work)) {
            unsigned char *output = work->outputs[work->root];
            pushes[count++] = (struct symm_cuda_push){
                input, output + symm_rooted_begin(work, work->team->rank), work->count};
        }
        return count;
    }
    for (int turn = 1; symm_rooted_is_root(work) && turn < work->team->size; turn++) {
        int rank = symm_work_rotate(work, turn);
        pushes[count++] = (struct symm_cuda_push){input + symm_rooted_begin(work, rank),
                                                  work->outputs[rank], work->count};
    }
    return count;
}

/* The root's own block.  Returns false if there is nothing to copy. */
static inline bool symm_rooted_own_push(const struct symm_work *work, struct symm_cuda_push *own)
{
    own->bytes = work->count;
    return symm_rooted_own(work, &own->input, &own->output);
}

/* This rank's kernel of a reduce by two-shot (reduce_direct.c). */
symm_kernel_maker symm_reduce_two_shot_make;

/*
 * Broadcasts that are passed on through slots in scratch (bcast_chain.c): bytes of scratch that one
 * of `bytes` is quickest with, and the step function.
 */
size_t symm_bcast_slots_wanted(size_t bytes, int ranks);
enum symm_status symm_bcast_slots_step(struct symm_run *run);

#endif /* SYMM_KERNELS_CUDA_ROOTED_H */
