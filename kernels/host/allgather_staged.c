/*
 * allgather_staged.c - all-gather of memory that the peers cannot reach, through staging buffers.
 *
 * Piece k of a rank's block goes through its staging buffer k mod 4.  A rank does
 *   copy in 0, copy in 1, copy out 0, copy in 2, copy out 1, ...
 * A rank raises k + 1 after copying piece k in.  Before it copies piece k of all others out, it
 * waits until all have raised k + 1.  So copying in is one piece ahead, and ranks seldom wait.
 *
 * Why four buffers suffice: piece k is copied into the buffer that held piece k - 4.  Before that,
 * this rank has copied out piece k - 2, so it has seen all ranks at k - 1.  A rank raises k - 1
 * after copying out piece k - 4.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

enum { STARTING, GATHERING };

_Static_assert(SYMM_STAGE_BUFFERS >= 4, "see above");

/* Where piece `piece` begins; *bytes is 0 behind the last. */
static size_t piece_bounds(const struct symm_work *work, uint64_t piece, size_t *bytes)
{
    size_t piece_size = work->team->control.piece_size;
    size_t begin = symm_least((size_t)piece * piece_size, work->count);
    *bytes = symm_least(piece_size, work->count - begin);
    return begin;
}

/* Copy a piece in, if there is one, and then to its place in my own output. */
static void input_copy(struct symm_run *run, uint64_t piece)
{
    const struct symm_team *team = run->work->team;
    const unsigned char *input = run->work->input;
    unsigned char *output =
        (unsigned char *)run->work->output + (size_t)team->rank * run->work->count;
    size_t bytes, begin = piece_bounds(run->work, piece, &bytes);
    if (bytes == 0) {
        return;
    }
    memcpy(symm_work_stage(run->work, team->rank, piece), input + begin, bytes);
    symm_run_raise(run, piece + 1);
    if (input != output) { /* in place: my own block is already there */
        memcpy(output + begin, input + begin, bytes);
    }
}

static void output_copy(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    size_t bytes, begin = piece_bounds(run->work, run->piece, &bytes);
    for (int turn = 1; turn < team->size; turn++) {
        int rank = symm_work_rotate(run->work, turn);
        unsigned char *target =
            (unsigned char *)run->work->output + (size_t)rank * run->work->count;
        memcpy(target + begin, symm_work_stage(run->work, rank, run->piece), bytes);
    }
}

static enum symm_status step(struct symm_run *run)
{
    if (run->work->count == 0) {
        return SYMM_OK;
    }
    if (run->stage == STARTING) {
        input_copy(run, 0);
        input_copy(run, 1);
        run->stage = GATHERING;
    }
    if (!symm_run_reached(run, run->piece + 1)) {
        return SYMM_PENDING;
    }
    output_copy(run);
    run->piece++;
    input_copy(run, run->piece + 1);
    size_t bytes;
    (void)piece_bounds(run->work, run->piece, &bytes);
    return bytes > 0 ? symm_run_more(run) : SYMM_OK;
}

const struct symm_algorithm_row symm_allgather_staged = {
    .number = SYMM_ALLGATHER_STAGED,
    .name = "staged",
    .collective = SYMM_ALLGATHER,
    .memory = SYMM_ALGORITHM_HOST,
    .slow = SYMM_SLOW_LARGE_BLOCKS,
    .packing = SYMM_PACKS_PIECE,
    .keeps_order = true,
    .step = step,
};
