/*
 * allreduce_staged_one_shot.c - all-reduce of memory that the peers cannot reach: every rank
 * reduces everything, from its own input and the others' staging buffers.
 *
 * This has half the waiting of allreduce_staged.c, and for two ranks no more copying.  With more
 * ranks allreduce_staged.c reads less, which counts for large arrays.
 *
 * Piece k goes through staging buffer k mod 4, and is copied in one piece ahead of the reduction.
 * The steps, and the reason why four buffers suffice, are as in allgather_staged.c, with "reduced"
 * for "copied out".
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

enum { STARTING, REDUCING };

_Static_assert(SYMM_STAGE_BUFFERS >= 4, "see allgather_staged.c");

/* Copy a piece in, if there is one. */
static void input_copy(struct symm_run *run, uint64_t piece)
{
    const struct symm_team *team = run->team;
    size_t extent = run->reduction->extent;
    size_t begin = symm_piece_begin(run, piece), end = symm_piece_begin(run, piece + 1);
    if (begin < end) {
        memcpy(symm_run_stage(run, team->rank, piece),
               (const unsigned char *)run->input + begin * extent, (end - begin) * extent);
        symm_run_raise(run, piece + 1);
    }
}

static void piece_reduce(struct symm_run *run)
{
    const struct symm_team *team = run->team;
    size_t extent = run->reduction->extent;
    size_t offset = symm_piece_begin(run, run->piece) * extent;
    size_t bytes = symm_piece_begin(run, run->piece + 1) * extent - offset;
    for (int rank = 0; rank < team->size; rank++) {
        run->inputs[rank] = symm_run_stage(run, rank, run->piece);
    }
    run->inputs[team->rank] = (const unsigned char *)run->input + offset;
    symm_fold_into(run->reduction, team, run->inputs, (unsigned char *)run->output + offset,
                   bytes, run->input == run->output);
}

static enum symm_status step(struct symm_run *run)
{
    if (run->count == 0) {
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
    return symm_piece_begin(run, run->piece) < run->count ? symm_run_more(run) : SYMM_OK;
}

const struct symm_algorithm_row symm_allreduce_staged_one_shot = {
    .number = SYMM_ALLREDUCE_STAGED_ONE_SHOT,
    .name = "staged_one_shot",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .keeps_order = true,
    .step = step,
};
