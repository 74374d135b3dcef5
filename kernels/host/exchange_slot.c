/*
 * exchange_slot.c - exchanges of small blocks: the inputs have come with the lines.
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
    const struct symm_team *team = run->team;
    const unsigned char *input = run->input;
    unsigned char *output = run->output;
    size_t bytes = run->count / (size_t)team->size, mine = (size_t)team->rank * bytes;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = symm_control_line(&team->control, run->sequence, rank);
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
    unsigned char *output = run->output;
    for (int rank = 0; rank < run->team->size; rank++) {
        const struct symm_block *block = &run->blocks[rank];
        size_t bytes = symm_block_incoming(block);
        if (bytes > 0) {
            memcpy(output + block->receive_at,
                   (const unsigned char *)run->inputs[rank] + block->from_at, bytes);
        }
    }
    return SYMM_OK;
}

#define SLOT_ROW(row, algorithm, served, steps)                                                   \
    const struct symm_algorithm_row row = {                                                       \
        .number = algorithm,                                                                      \
        .name = "slot",                                                                           \
        .collective = served,                                                                     \
        .memory = SYMM_ALGORITHM_HOST,                                                            \
        .in_slot = true,                                                                          \
        .keeps_order = true,                                                                      \
        .step = steps,                                                                            \
    }

SLOT_ROW(symm_alltoall_slot, SYMM_ALLTOALL_SLOT, SYMM_ALLTOALL, even_step);
SLOT_ROW(symm_allgatherv_slot, SYMM_ALLGATHERV_SLOT, SYMM_ALLGATHERV, step);
SLOT_ROW(symm_alltoallv_slot, SYMM_ALLTOALLV_SLOT, SYMM_ALLTOALLV, step);
SLOT_ROW(symm_alltoallw_slot, SYMM_ALLTOALLW_SLOT, SYMM_ALLTOALLW, step);
SLOT_ROW(symm_gatherv_slot, SYMM_GATHERV_SLOT, SYMM_GATHERV, step);
SLOT_ROW(symm_scatterv_slot, SYMM_SCATTERV_SLOT, SYMM_SCATTERV, step);
