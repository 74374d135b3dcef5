/*
 * scan_staged.c - scans of memory that the peers cannot reach: prefixes go from rank to rank
 * through staging buffers.
 *
 * Of piece k each rank joins the prefix of the ranks before it, which is in staging buffer k mod 4
 * of the rank before, and its own input, puts the result into its own buffer k mod 4, and raises
 * k + 1.  Pieces are quarters of the data, within limits, so that the ranks behind begin early.  A
 * rank reads and writes each byte once, however many ranks there are, and ranks work on pieces one
 * behind the other.  The last rank comes to its first piece when all others have done theirs.
 *
 * A rank waits for the rank before it: it has raised k + 1.  It also waits for the rank behind it,
 * because buffer k mod 4 still has piece k - 4: that rank has raised k - 3.  Nobody waits for other
 * ranks.
 *
 * It is right in place as well.  A block of the input is read before its place in the output is
 * written.  In an exclusive scan the output gets the prefix that comes from the rank before.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/host/prefix.h"
#include "kernels/prefix.h"
#include "kernels/run_steps.h"

/* The element with which a piece begins. */
static size_t piece_begin(const struct symm_work *work, uint64_t piece)
{
    size_t bytes = symm_flow_piece(work, work->team->control.piece_size,
                                   work->count * work->reduction->extent);
    return symm_piece_begin_of(work, piece, bytes);
}

/* Whether this rank can do the piece now. */
static bool is_ready(const struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    const struct symm_control *control = &team->control;
    uint64_t piece = run->piece;
    return (team->rank == 0 ||
            symm_phase_of(control, run->work->sequence, team->rank - 1) >= piece + 1) &&
           (team->rank == team->size - 1 || piece < SYMM_STAGE_BUFFERS ||
            symm_phase_of(control, run->work->sequence, team->rank + 1) >=
            piece + 1 - SYMM_STAGE_BUFFERS);
}

/* Where this rank's blocks of a piece are. */
struct block {
    const unsigned char *before, *input; /* before: NULL on rank 0 */
    unsigned char *output, *shared;      /* shared: NULL on the last rank of an exclusive scan */
};

static void inclusive_block(const struct symm_reduction *reduction, const struct block *block,
                            size_t bytes)
{
    if (block->before != NULL) {
        symm_prefix_join(reduction, block->before, block->input, block->shared,
                         bytes / reduction->extent);
    } else {
        memcpy(block->shared, block->input, bytes);
    }
    if (block->before != NULL || block->output != block->input) {
        memcpy(block->output, block->shared, symm_result_bytes(reduction, bytes));
    }
}

static void exclusive_block(const struct symm_reduction *reduction, const struct block *block,
                            size_t bytes)
{
    if (block->shared != NULL && block->before != NULL) {
        symm_prefix_join(reduction, block->before, block->input, block->shared,
                         bytes / reduction->extent);
    } else if (block->shared != NULL) {
        memcpy(block->shared, block->input, bytes);
    }
    if (block->before != NULL) { /* the first rank has no result */
        memcpy(block->output, block->before, symm_result_bytes(reduction, bytes));
    }
}

/* A block at a time, so that a prefix is still in the cache when it is copied. */
static void piece_scan(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    size_t extent = run->work->reduction->extent;
    size_t begin = piece_begin(run->work, run->piece) * extent;
    size_t bytes = piece_begin(run->work, run->piece + 1) * extent - begin;
    bool inclusive = symm_prefix_is_inclusive(run->work), is_last = team->rank == team->size - 1;
    const unsigned char *before =
        team->rank == 0 ? NULL : symm_work_stage(run->work, team->rank - 1, run->piece);
    unsigned char *shared = symm_work_stage(run->work, team->rank, run->piece);
    for (size_t done = 0; done < bytes;) {
        size_t some = symm_least(bytes - done, symm_block_bytes(extent));
        const struct block block = {
            .before = before == NULL ? NULL : before + done,
            .input = (const unsigned char *)run->work->input + begin + done,
            .output = (unsigned char *)run->work->output + begin + done,
            .shared = is_last && !inclusive ? NULL : shared + done,
        };
        (inclusive ? inclusive_block : exclusive_block)(run->work->reduction, &block, some);
        done += some;
    }
}

static enum symm_status step(struct symm_run *run)
{
    if (piece_begin(run->work, run->piece) == run->work->count) {
        return SYMM_OK;
    }
    if (!is_ready(run)) {
        return SYMM_PENDING;
    }
    piece_scan(run);
    run->piece++;
    symm_run_raise(run, run->piece);
    return piece_begin(run->work, run->piece) < run->work->count ? symm_run_more(run) : SYMM_OK;
}

SYMM_ALGORITHM_ROWS(scan, SCAN, exscan, EXSCAN, staged, STAGED,
    .name = "staged",
    .memory = SYMM_ALGORITHM_HOST,
    .packing = SYMM_PACKS_SHIFTED,
    .keeps_order = true,
    .step = step);
