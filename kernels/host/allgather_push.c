/*
 * allgather_push.c - every rank stores its block to all outputs.
 *
 * The input may lie anywhere, since only its owner reads it.  Stores go block by block, each to all
 * ranks, so that the source is read from memory once.  One phase at the end: my output is complete
 * when all have stored.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/host/steps.h"

/*
 * Store to the peers first, while the block is in the cache that has written it, and then to my own
 * output.
 */
static void store_block(struct symm_run *run, size_t bytes)
{
    const struct symm_team *team = run->work->team;
    const unsigned char *source = (const unsigned char *)run->work->input + run->position;
    size_t offset = (size_t)team->rank * run->work->count + run->position;
    for (int turn = 1; turn < team->size; turn++) {
        unsigned char *output = run->work->outputs[symm_work_rotate(run->work, turn)];
        memcpy(output + offset, source, bytes);
    }
    unsigned char *own = (unsigned char *)run->work->output + offset;
    if (own != source) { /* in place: my own block is already there */
        memcpy(own, source, bytes);
    }
}

static enum symm_status step(struct symm_run *run)
{
    return symm_host_block_step(run, store_block);
}

const struct symm_algorithm_row symm_allgather_push = {
    .number = SYMM_ALLGATHER_PUSH,
    .name = "push",
    .collective = SYMM_ALLGATHER,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .step = step,
};
