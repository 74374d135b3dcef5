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

#define PULL_ROW(row, algorithm, served, needed)                                                  \
    const struct symm_algorithm_row row = {                                                       \
        .number = algorithm,                                                                      \
        .name = "pull",                                                                           \
        .collective = served,                                                                     \
        .memory = SYMM_ALGORITHM_HOST,                                                            \
        .needs = needed,                                                                          \
        .packing = SYMM_PACKS_ALL,                                                                \
        .keeps_order = true,                                                                      \
        .step = step,                                                                             \
    }

PULL_ROW(symm_alltoall_pull, SYMM_ALLTOALL_PULL, SYMM_ALLTOALL,
         SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE);
PULL_ROW(symm_allgatherv_pull, SYMM_ALLGATHERV_PULL, SYMM_ALLGATHERV, SYMM_NEEDS_INPUTS);
PULL_ROW(symm_alltoallv_pull, SYMM_ALLTOALLV_PULL, SYMM_ALLTOALLV,
         SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE);
PULL_ROW(symm_alltoallw_pull, SYMM_ALLTOALLW_PULL, SYMM_ALLTOALLW,
         SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE);
PULL_ROW(symm_gatherv_pull, SYMM_GATHERV_PULL, SYMM_GATHERV, SYMM_NEEDS_INPUTS);
PULL_ROW(symm_scatterv_pull, SYMM_SCATTERV_PULL, SYMM_SCATTERV, SYMM_NEEDS_INPUTS);
