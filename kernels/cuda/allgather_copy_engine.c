/*
 * allgather_copy_engine.c - every rank has its block copied to all outputs by copy engines.
 *
 * The most bandwidth there is (LIMITS: 391 GB/s, stores 366, loads 338), and nothing is taken from a
 * computation but, out of place, a few blocks for the rank's own copy.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"

/* In the order me + 1, me + 2, ... so that not all begin with the same rank. */
static enum symm_status start(struct symm_run *run)
{
    int ranks = run->team->size, count = 0;
    size_t offset = (size_t)run->team->rank * run->count;
    unsigned char *own = (unsigned char *)run->output + offset;
    void *targets[SYMM_CUDA_RANKS_MAX];
    for (int turn = 1; turn < ranks; turn++) {
        unsigned char *output = run->outputs[symm_run_rotate(run, turn)];
        targets[count++] = output + offset;
    }
    return symm_device_push_start(run->device, run->input, targets, count,
                                  own != run->input ? own : NULL, run->count, run->block_limit,
                                  &run->ticket);
}

enum symm_status symm_allgather_cuda_copy_engine_step(struct symm_run *run)
{
    return symm_cuda_step(run, start);
}
