/*
 * rooted_staged.c - broadcast, gather and scatter of memory that the peers cannot reach, through
 * staging buffers.
 *
 * Piece k goes through buffer k mod 4: of the root in a broadcast, of which all others copy it out,
 * and in a scatter, where each of the others has a row of it; and of each other rank in a gather.
 * Pieces are quarters of the data, within limits, so that copying out begins early.
 * A rank raises k + 1 when it has copied piece k, in or out.
 *   A rank that copies out waits until the one that copies in has raised k + 1.
 *   A rank that copies in waits before piece k until the one that copies out has raised k - 3: the
 *   buffer has been read.
 * A rank that has copied its last piece leaves.  A buffer that others still read then is not
 * written to before the next call, for which all ranks have posted their lines, and have left this
 * one.  The root of a scatter stays until the others have their blocks: where ranks outnumber
 * cores, what it does next would take a core from them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/rooted.h"

/* Bytes of a block in a piece. */
static size_t piece_size(const struct symm_work *work)
{
    const struct symm_control *control = &work->team->control;
    bool has_rows = symm_rooted_collective(work) == SYMM_SCATTER;
    return symm_flow_piece(work, has_rows ? symm_stage_row(control) : control->piece_size,
                           work->count);
}

/* Where the piece under way begins in a block, and how long it is. */
static size_t piece_bounds(const struct symm_run *run, size_t *bytes)
{
    size_t size = piece_size(run->work);
    size_t begin = symm_least((size_t)run->piece * size, run->work->count);
    *bytes = symm_least(size, run->work->count - begin);
    return begin;
}

/* Where a rank's part of the piece is. */
static unsigned char *part_at(const struct symm_run *run, int rank)
{
    const struct symm_control *control = &run->work->team->control;
    if (!symm_rooted_is_from_root(run->work)) {
        return symm_work_stage(run->work, rank, run->piece);
    }
    size_t row = symm_rooted_collective(run->work) == SYMM_SCATTER ? (size_t)rank : 0;
    return symm_work_stage(run->work, run->work->root, run->piece) + row * symm_stage_row(control);
}

/*
 * Copy the next so many bytes of the root's own block, of which it has copied run->position.
 * Returns whether there were any.
 */
static bool own_copy(struct symm_run *run, size_t most)
{
    const void *from;
    void *to;
    size_t begin = run->position, bytes = symm_least(most, run->work->count - begin);
    if (bytes == 0 || !symm_rooted_own(run->work, &from, &to)) {
        return false;
    }
    memcpy((unsigned char *)to + begin, (const unsigned char *)from + begin, bytes);
    run->position += bytes;
    return true;
}

/*
 * Nobody waits for the root's own block: it is copied while the root would wait, and last.  In
 * scatters of two ranks from 32 to 128 KiB that takes 0.85 to 0.92 of the time, in gathers 0.91 to
 * 0.96 (bench/results/host-2-ranks-own-last.txt).  In scatters of more ranks a part of it is copied
 * behind each piece: else four ranks on two cores take 1.01 to 1.09 of the time
 * (bench/results/host-4-ranks-own-last.txt).
 */
static enum symm_status own_copy_meanwhile(struct symm_run *run)
{
    return own_copy(run, piece_size(run->work)) ? symm_run_more(run) : SYMM_PENDING;
}

/* All pieces are done, and maybe not all of the root's own block. */
static enum symm_status own_finish(struct symm_run *run)
{
    return own_copy(run, SYMM_STEP_BYTES) ? symm_run_more(run) : SYMM_OK;
}

/* Whether there is a piece to do. */
static bool has_piece(const struct symm_run *run)
{
    size_t bytes;
    (void)piece_bounds(run, &bytes);
    return bytes > 0;
}

static enum symm_status piece_done(struct symm_run *run)
{
    run->piece++;
    symm_run_raise(run, run->piece);
    return has_piece(run) ? symm_run_more(run) : SYMM_OK;
}

/* The step that the rank that copies out has to raise before this piece is copied in; 0: none. */
static uint64_t step_before(const struct symm_run *run)
{
    return run->piece < SYMM_STAGE_BUFFERS ? 0 : run->piece + 1 - SYMM_STAGE_BUFFERS;
}

/* ---- from the root --------------------------------------------------------------------------- */

static void input_copy(const struct symm_run *run)
{
    const unsigned char *input = run->work->input;
    size_t bytes, begin = piece_bounds(run, &bytes);
    if (symm_rooted_collective(run->work) == SYMM_BCAST) {
        memcpy(part_at(run, run->work->root), input + begin, bytes);
        return;
    }
    for (int turn = 1; turn < run->work->team->size; turn++) {
        int rank = symm_work_rotate(run->work, turn);
        memcpy(part_at(run, rank), input + symm_rooted_begin(run->work, rank) + begin, bytes);
    }
}

static enum symm_status root_step(struct symm_run *run)
{
    uint64_t before = step_before(run);
    bool stays = symm_rooted_collective(run->work) == SYMM_SCATTER;
    if (run->piece > 0 && !has_piece(run)) {
        if (own_copy(run, SYMM_STEP_BYTES)) {
            return symm_run_more(run);
        }
        return symm_run_reached(run, run->piece) ? SYMM_OK : SYMM_PENDING;
    }
    if (before > 0 && !symm_run_reached(run, before)) {
        return own_copy_meanwhile(run);
    }
    input_copy(run);
    run->piece++;
    symm_run_raise(run, run->piece);
    if (run->work->team->size > 2) {
        (void)own_copy(run, piece_size(run->work));
    }
    return stays || has_piece(run) ? symm_run_more(run) : SYMM_OK;
}

static enum symm_status from_root_step(struct symm_run *run)
{
    size_t bytes, begin = piece_bounds(run, &bytes);
    if (symm_rooted_is_root(run->work)) {
        return root_step(run);
    }
    if (!symm_work_rank_reached(run->work, run->work->root, run->piece + 1)) {
        return SYMM_PENDING;
    }
    memcpy((unsigned char *)run->work->output + begin, part_at(run, run->work->team->rank), bytes);
    return piece_done(run);
}

/* ---- to the root ----------------------------------------------------------------------------- */

static enum symm_status blocks_collect(struct symm_run *run)
{
    size_t bytes, begin = piece_bounds(run, &bytes);
    if (run->piece > 0 && bytes == 0) {
        return own_finish(run);
    }
    for (; run->seen < run->work->team->size; run->seen++) { /* which raising begins anew */
        int rank = run->seen;
        if (rank == run->work->root) {
            continue;
        }
        if (!symm_work_rank_reached(run->work, rank, run->piece + 1)) {
            return own_copy_meanwhile(run);
        }
        memcpy((unsigned char *)run->work->output + symm_rooted_begin(run->work, rank) + begin,
               part_at(run, rank), bytes);
    }
    enum symm_status status = piece_done(run);
    return status == SYMM_OK ? own_finish(run) : status;
}

static enum symm_status to_root_step(struct symm_run *run)
{
    size_t bytes, begin = piece_bounds(run, &bytes);
    uint64_t before = step_before(run);
    if (symm_rooted_is_root(run->work)) {
        return blocks_collect(run);
    }
    if (before > 0 && !symm_work_rank_reached(run->work, run->work->root, before)) {
        return SYMM_PENDING;
    }
    memcpy(part_at(run, run->work->team->rank), (const unsigned char *)run->work->input + begin,
           bytes);
    return piece_done(run);
}

/* ---- rows ------------------------------------------------------------------------------------ */

SYMM_ALGORITHM_ROWS(bcast, BCAST, scatter, SCATTER, staged, STAGED,
    .name = "staged",
    .memory = SYMM_ALGORITHM_HOST,
    .packing = SYMM_PACKS_PIECE,
    .keeps_order = true,
    .step = from_root_step);

const struct symm_algorithm_row symm_gather_staged = {
    .number = SYMM_GATHER_STAGED,
    .name = "staged",
    .collective = SYMM_GATHER,
    .memory = SYMM_ALGORITHM_HOST,
    .packing = SYMM_PACKS_PIECE,
    .keeps_order = true,
    .step = to_root_step,
};
