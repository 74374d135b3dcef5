/*
 * exchange_inline.c - exchanges of small blocks: the inputs have come with the lines.
 *
 * Each rank copies its block of every line, in an all-gather the line's one block.  Nobody waits.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

/*
 * An all-to-all: all blocks are alike, so they need no description.  The block for the rank itself
 * need not be in its line.
 */
static enum symm_status even_step(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    const unsigned char *input = run->work->input;
    unsigned char *output = run->work->output;
    size_t bytes = run->work->count / (size_t)team->size, mine = (size_t)team->rank * bytes;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = symm_control_line(&team->control, run->work->sequence, rank);
        if (rank != team->rank) {
            memcpy(output + (size_t)rank * bytes,
                   line->payload + symm_slot_place(team, rank, team->rank) * bytes, bytes);
        } else if (output != input) { /* in place my own block is already there */
            memcpy(output + mine, input + mine, bytes);
        }
    }
    return SYMM_OK;
}

static enum symm_status step(struct symm_run *run)
{
    unsigned char *output = run->work->output;
    for (int rank = 0; rank < run->work->team->size; rank++) {
        const struct symm_block *block = &run->work->blocks[rank];
        size_t bytes = symm_block_incoming(block);
        if (bytes > 0) {
            memcpy(output + block->receive_at,
                   (const unsigned char *)run->work->inputs[rank] + block->from_at, bytes);
        }
    }
    return SYMM_OK;
}

#define INLINE_ROW(row, algorithm, served, steps)                                                  \
    const struct symm_algorithm_row row = {                                                        \
        .number = algorithm,                                                                       \
        .name = "inline",                                                                          \
        .collective = served,                                                                      \
        .memory = SYMM_ALGORITHM_HOST,                                                             \
        .in_slot = true,                                                                           \
        .keeps_order = true,                                                                       \
        .step = steps,                                                                             \
    }

INLINE_ROW(symm_alltoall_inline, SYMM_ALLTOALL_INLINE, SYMM_ALLTOALL, even_step);
INLINE_ROW(symm_allgatherv_inline, SYMM_ALLGATHERV_INLINE, SYMM_ALLGATHERV, step);
INLINE_ROW(symm_alltoallv_inline, SYMM_ALLTOALLV_INLINE, SYMM_ALLTOALLV, step);
INLINE_ROW(symm_alltoallw_inline, SYMM_ALLTOALLW_INLINE, SYMM_ALLTOALLW, step);
INLINE_ROW(symm_gatherv_inline, SYMM_GATHERV_INLINE, SYMM_GATHERV, step);
INLINE_ROW(symm_scatterv_inline, SYMM_SCATTERV_INLINE, SYMM_SCATTERV, step);
