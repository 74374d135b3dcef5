/*
 * allgather_staged.c - all-gather of memory that the peers cannot reach, through staging buffers.
 *
 * Per piece k of the blocks each rank copies its own into its staging input, raises k + 1, waits for the
 * others to do so, and copies all pieces to their places.  Input buffer k mod 2 is written again for
 * piece k + 2 when all ranks have been seen at k + 2 (piece k + 1), which they raise after copying
 * piece k out.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

enum { STARTING, GATHERING };

/* Copy a piece in, if there is one. */
static void input_copy(struct symm_run *run, uint64_t piece)
{
    const struct symm_team *team = run->team;
    const unsigned char *input = run->input;
    size_t piece_size = team->control.piece_size;
    size_t begin = (size_t)piece * piece_size;
    if (begin < run->count) {
        memcpy(symm_stage_input(&team->control, team->rank, piece), input + begin,
               symm_least(piece_size, run->count - begin));
        symm_run_raise(run, piece + 1);
    }
}

static void output_copy(struct symm_run *run)
{
    const struct symm_team *team = run->team;
    unsigned char *output = run->output;
    size_t piece_size = team->control.piece_size;
    size_t begin = (size_t)run->piece * piece_size;
    size_t bytes = symm_least(piece_size, run->count - begin);
    for (int turn = 0; turn < team->size; turn++) {
        int rank = symm_run_rotate(run, turn);
        unsigned char *target = output + (size_t)rank * run->count + begin;
        if (turn == 0 && run->input == output + (size_t)rank * run->count) {
            continue; /* in place: my own block is there */
        }
        memcpy(target, symm_stage_input(&team->control, rank, run->piece), bytes);
    }
}

enum symm_status symm_allgather_staged_step(struct symm_run *run)
{
    if (run->count == 0) {
        return SYMM_OK;
    }
    if (run->stage == STARTING) {
        input_copy(run, 0);
        run->stage = GATHERING;
    }
    if (!symm_run_reached(run, run->piece + 1)) {
        return SYMM_PENDING;
    }
    output_copy(run);
    run->piece++;
    input_copy(run, run->piece);
    bool more = run->piece * run->team->control.piece_size < run->count;
    return more ? symm_run_more(run) : SYMM_OK;
}
