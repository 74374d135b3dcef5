/*
 * reduce_staged_one_shot.c - reduce of memory that the peers cannot reach: the root reduces
 * everything, from its own input and the others' staging buffers.
 *
 * allreduce_staged.c divides the reduction among the ranks: they wait three times, and half of the
 * data of two ranks goes through buffers twice.  Here a byte goes through a buffer once, and who
 * copies in need not wait.  With many ranks the root's work takes longer than the others' waiting.
 *
 * Steps, buffers, and the reason why they suffice are as in rooted_staged.c for a gather.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/rooted.h"

/* The element with which a piece begins. */
static size_t piece_begin(const struct symm_work *work, uint64_t piece)
{
    size_t bytes = symm_flow_piece(work, work->team->control.piece_size,
                                   work->count * work->reduction->extent);
    return symm_piece_begin_of(work, piece, bytes);
}

static enum symm_status piece_done(struct symm_run *run)
{
    run->piece++;
    symm_run_raise(run, run->piece);
    return piece_begin(run->work, run->piece) < run->work->count ? symm_run_more(run) : SYMM_OK;
}

static void piece_reduce(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    size_t extent = run->work->reduction->extent;
    size_t begin = piece_begin(run->work, run->piece) * extent;
    size_t bytes = piece_begin(run->work, run->piece + 1) * extent - begin;
    for (int rank = 0; rank < team->size; rank++) {
        run->work->inputs[rank] = symm_work_stage(run->work, rank, run->piece);
    }
    run->work->inputs[team->rank] = (const unsigned char *)run->work->input + begin;
    symm_fold_into(run->work->reduction, team, run->work->inputs,
                   (unsigned char *)run->work->output + begin,
                   bytes, run->work->input == run->work->output);
}

static enum symm_status root_step(struct symm_run *run)
{
    for (; run->seen < run->work->team->size; run->seen++) { /* which raising begins anew */
        if (run->seen != run->work->root &&
            !symm_work_rank_reached(run->work, run->seen, run->piece + 1)) {
            return SYMM_PENDING;
        }
    }
    piece_reduce(run);
    return piece_done(run);
}

static enum symm_status step(struct symm_run *run)
{
    size_t extent = run->work->reduction->extent, begin = piece_begin(run->work, run->piece);
    if (run->work->count == 0) {
        return SYMM_OK;
    }
    if (symm_rooted_is_root(run->work)) {
        return root_step(run);
    }
    if (run->piece >= SYMM_STAGE_BUFFERS &&
        !symm_work_rank_reached(run->work, run->work->root, run->piece + 1 - SYMM_STAGE_BUFFERS)) {
        return SYMM_PENDING;
    }
    memcpy(symm_work_stage(run->work, run->work->team->rank, run->piece),
           (const unsigned char *)run->work->input + begin * extent,
           (piece_begin(run->work, run->piece + 1) - begin) * extent);
    return piece_done(run);
}

const struct symm_algorithm_row symm_reduce_staged_one_shot = {
    .number = SYMM_REDUCE_STAGED_ONE_SHOT,
    .name = "staged_one_shot",
    .collective = SYMM_REDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .keeps_order = true,
    .step = step,
};
