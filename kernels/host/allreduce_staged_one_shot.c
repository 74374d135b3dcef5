/*
 * allreduce_staged_one_shot.c - all-reduce of memory that the peers cannot reach: every rank
 * reduces everything, from its own input and the others' staging buffers.
 *
 * This has half the waiting of allreduce_staged.c, and for two ranks no more copying.  With more
 * ranks allreduce_staged.c reads less, which counts for large arrays.
 *
 * Piece k goes through staging buffer k mod 4, and is copied in one piece ahead of the reduction.
 * The steps, and the reason why four buffers suffice, are as in exchange_staged.c, with "reduced"
 * for "copied out".
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

enum { STARTING, REDUCING };

_Static_assert(SYMM_STAGE_BUFFERS >= 4, "see exchange_staged.c");

/* Copy a piece in, if there is one. */
static void input_copy(struct symm_run *run, uint64_t piece)
{
    const struct symm_team *team = run->work->team;
    size_t extent = run->work->reduction->extent;
    size_t begin = symm_piece_begin(run->work, piece), end = symm_piece_begin(run->work, piece + 1);
    if (begin < end) {
        memcpy(symm_work_stage(run->work, team->rank, piece),
               (const unsigned char *)run->work->input + begin * extent, (end - begin) * extent);
        symm_run_raise(run, piece + 1);
    }
}

static void piece_reduce(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    size_t extent = run->work->reduction->extent;
    size_t offset = symm_piece_begin(run->work, run->piece) * extent;
    size_t bytes = symm_piece_begin(run->work, run->piece + 1) * extent - offset;
    for (int rank = 0; rank < team->size; rank++) {
        run->work->inputs[rank] = symm_work_stage(run->work, rank, run->piece);
    }
    run->work->inputs[team->rank] = (const unsigned char *)run->work->input + offset;
    symm_fold_into(run->work->reduction, team, run->work->inputs,
                   (unsigned char *)run->work->output + offset,
                   bytes, run->work->input == run->work->output);
}

static enum symm_status step(struct symm_run *run)
{
    if (run->work->count == 0) {
        return SYMM_OK;
    }
    if (run->stage == STARTING) {
        input_copy(run, 0);
        input_copy(run, 1);
        run->stage = REDUCING;
    }
    if (!symm_run_reached(run, run->piece + 1)) {
        return SYMM_PENDING;
    }
    piece_reduce(run);
    run->piece++;
    input_copy(run, run->piece + 1);
    return symm_piece_begin(run->work, run->piece) < run->work->count ? symm_run_more(run)
                                                                      : SYMM_OK;
}

const struct symm_algorithm_row symm_allreduce_staged_one_shot = {
    .number = SYMM_ALLREDUCE_STAGED_ONE_SHOT,
    .name = "staged_one_shot",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .keeps_order = true,
    .step = step,
};
