/*
 * allgather_kernel.c - every rank stores its block to all outputs, by a kernel.
 *
 * The input may lie anywhere that its own device reaches.  Starts sooner than copy engines do, and needs
 * multiprocessors, which they do not.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"

/* Peers first, in the order me + 1, me + 2, ...; in place my own block is there. */
static enum symm_status start(struct symm_run *run)
{
    int ranks = run->team->size;
    size_t offset = (size_t)run->team->rank * run->count;
    unsigned char *own = (unsigned char *)run->output + offset;
    struct symm_cuda_copy arguments = {.input = run->input, .bytes = run->count};
    for (int turn = 1; turn < ranks; turn++) {
        unsigned char *output = run->outputs[symm_run_rotate(run, turn)];
        arguments.outputs[arguments.output_count++] = output + offset;
    }
    if (own != run->input) {
        arguments.outputs[arguments.output_count++] = own;
    }
    return symm_device_copy_start(run->device, &arguments, run->block_limit, &run->ticket);
}

enum symm_status symm_allgather_cuda_kernel_step(struct symm_run *run)
{
    return symm_cuda_step(run, start);
}
