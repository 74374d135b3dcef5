/*
 * reduce_scatter_staged.c - reduce-scatter of memory that the peers cannot reach, or in place:
 * every rank reduces its own block, from its own input and the others' staging buffers.
 *
 * A piece has so many elements of each rank's block, which have a row each in a staging buffer.  Of
 * piece k each rank copies the others' rows into its staging buffer k mod 4, one piece ahead of the
 * reduction.  The steps, and the reason why four buffers suffice, are as in exchange_staged.c,
 * with "reduced" for "copied out".
 *
 * In place the results of piece k are stored over elements of the input that nobody needs any more:
 * an element at index i of the array lies no further than i from the beginning of the block that it
 * is in, and that far all blocks have been copied.  Of its own block this rank reads an element no
 * later than it stores there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

enum { STARTING, REDUCING };

_Static_assert(SYMM_STAGE_BUFFERS >= 4, "see exchange_staged.c");

/* Elements of a row. */
static size_t row_length(const struct symm_work *work)
{
    return symm_stage_row(&work->team->control) / work->reduction->extent;
}

static unsigned char *row_at(const struct symm_work *work, int source, int owner, uint64_t piece)
{
    const struct symm_control *control = &work->team->control;
    return symm_work_stage(work, source, piece) + (size_t)owner * symm_stage_row(control);
}

/* The elements of a rank's block that are in a piece, counted from the beginning of the array. */
static void row_range(const struct symm_work *work, int owner, uint64_t piece, size_t *begin,
                      size_t *end)
{
    size_t length = row_length(work), last = work->begins[owner + 1];
    *begin = symm_least(work->begins[owner] + (size_t)piece * length, last);
    *end = symm_least(*begin + length, last);
}

static bool has_piece(const struct symm_work *work, uint64_t piece)
{
    size_t most = 0;
    for (int rank = 0; rank < work->team->size; rank++) {
        size_t count = work->begins[rank + 1] - work->begins[rank];
        most = count > most ? count : most;
    }
    return (size_t)piece * row_length(work) < most;
}

/* Copy the others' rows of a piece in, if there is such a piece. */
static void input_copy(struct symm_run *run, uint64_t piece)
{
    const struct symm_team *team = run->work->team;
    size_t extent = run->work->reduction->extent, begin, end;
    if (!has_piece(run->work, piece)) {
        return;
    }
    for (int turn = 1; turn < team->size; turn++) {
        int owner = symm_work_rotate(run->work, turn);
        row_range(run->work, owner, piece, &begin, &end);
        memcpy(row_at(run->work, team->rank, owner, piece),
               (const unsigned char *)run->work->input + begin * extent, (end - begin) * extent);
    }
    symm_run_raise(run, piece + 1);
}

/* In place the output may still hold this rank's input. */
static void row_reduce(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    size_t extent = run->work->reduction->extent, begin, end;
    row_range(run->work, team->rank, run->piece, &begin, &end);
    size_t bytes = (end - begin) * extent;
    unsigned char *output =
        (unsigned char *)run->work->output + (begin - run->work->begins[team->rank]) * extent;
    for (int rank = 0; rank < team->size; rank++) {
        run->work->inputs[rank] = row_at(run->work, rank, team->rank, run->piece);
    }
    run->work->inputs[team->rank] = (const unsigned char *)run->work->input + begin * extent;
    symm_fold_into(run->work->reduction, team, run->work->inputs, output, bytes,
                   run->work->input == run->work->output);
}

static enum symm_status step(struct symm_run *run)
{
    if (!has_piece(run->work, run->piece)) {
        return SYMM_OK; /* nothing to reduce */
    }
    if (run->stage == STARTING) {
        input_copy(run, 0);
        input_copy(run, 1);
        run->stage = REDUCING;
    }
    if (!symm_run_reached(run, run->piece + 1)) {
        return SYMM_PENDING;
    }
    row_reduce(run);
    run->piece++;
    input_copy(run, run->piece + 1);
    return has_piece(run->work, run->piece) ? symm_run_more(run) : SYMM_OK;
}

SYMM_ALGORITHM_ROWS(reduce_scatter, REDUCE_SCATTER, reduce_scatter_block, REDUCE_SCATTER_BLOCK,
                    staged, STAGED,
    .name = "staged",
    .memory = SYMM_ALGORITHM_HOST,
    .packing = SYMM_PACKS_SHIFTED,
    .keeps_order = true,
    .step = step);
