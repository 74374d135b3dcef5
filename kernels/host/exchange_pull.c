/*
 * exchange_pull.c - every rank copies its block out of each input.
 *
 * Ranks begin with the rank behind them, so that not all read the same memory at once.  There is
 * one phase at the end, so that no rank changes its input while a peer still reads it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

enum { COPYING, DEPARTING };
enum { STEP_DEPART = 1 };

/* `piece` counts the ranks done, `position` the bytes of the block under way. */
static void copy_some(struct symm_run *run)
{
    size_t left = SYMM_STEP_BYTES;
    while (left > 0 && run->piece < (uint64_t)run->team->size) {
        int rank = symm_run_rotate(run, (int)((run->piece + 1) % (uint64_t)run->team->size));
        const struct symm_block *block = &run->blocks[rank];
        size_t all = symm_block_incoming(block), bytes = symm_least(all - run->position, left);
        if (bytes > 0) {
            unsigned char *target = (unsigned char *)run->output + block->receive_at;
            const unsigned char *source = (const unsigned char *)run->inputs[rank] + block->from_at;
            if (source != target) { /* in place, an all-gather's own block */
                memcpy(target + run->position, source + run->position, bytes);
            }
        }
        left -= bytes;
        run->position += bytes;
        if (run->position == all) {
            run->position = 0;
            run->piece++;
        }
    }
}

static enum symm_status step(struct symm_run *run)
{
    if (run->stage == COPYING) {
        copy_some(run);
        if (run->piece < (uint64_t)run->team->size) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = DEPARTING;
    }
    return symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}

const struct symm_algorithm_row symm_alltoall_pull = {
    .number = SYMM_ALLTOALL_PULL,
    .name = "pull",
    .collective = SYMM_ALLTOALL,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE,
    .packing = SYMM_PACKS_ALL,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_allgatherv_pull = {
    .number = SYMM_ALLGATHERV_PULL,
    .name = "pull",
    .collective = SYMM_ALLGATHERV,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS,
    .packing = SYMM_PACKS_ALL,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_alltoallv_pull = {
    .number = SYMM_ALLTOALLV_PULL,
    .name = "pull",
    .collective = SYMM_ALLTOALLV,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE,
    .packing = SYMM_PACKS_ALL,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_alltoallw_pull = {
    .number = SYMM_ALLTOALLW_PULL,
    .name = "pull",
    .collective = SYMM_ALLTOALLW,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE,
    .packing = SYMM_PACKS_ALL,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_gatherv_pull = {
    .number = SYMM_GATHERV_PULL,
    .name = "pull",
    .collective = SYMM_GATHERV,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS,
    .packing = SYMM_PACKS_ALL,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_scatterv_pull = {
    .number = SYMM_SCATTERV_PULL,
    .name = "pull",
    .collective = SYMM_SCATTERV,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS,
    .packing = SYMM_PACKS_ALL,
    .keeps_order = true,
    .step = step,
};
