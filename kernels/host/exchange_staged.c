/*
 * exchange_staged.c - exchanges of memory that the peers cannot reach, or in place, through staging
 * buffers.
 *
 * A piece has so many bytes of each block.  A staging buffer has a row for each peer; that of an
 * all-gather, whose block is the same for all peers, is one row, and so is that of a gather, whose
 * blocks are all for the root.  Of piece k each rank copies the blocks for its peers into its
 * staging buffer k mod 4, one piece ahead of copying out.  All ranks take as many pieces as the
 * largest block of all has.  A rank does
 *   copy in 0, copy in 1, copy out 0, copy in 2, copy out 1, ...
 * It raises k + 1 after copying piece k in.  Before it copies piece k of all others out, it waits
 * until all have raised k + 1.  So copying in is one piece ahead, and ranks seldom wait.
 *
 * Why four buffers suffice: piece k is copied into the buffer that held piece k - 4.  Before that,
 * this rank has copied out piece k - 2, so it has seen all ranks at k - 1.  A rank raises k - 1
 * after copying out piece k - 4.
 *
 * In a gatherv the others wait for the root only: it raises k - 1 before they copy piece k in, and
 * has copied piece k - 4 out then.  They leave when they have copied their last piece in.
 *
 * In place a block is received where the block for the same rank has been sent from.  What piece k
 * is copied over is piece k of that block, which has been copied in.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

enum { STARTING, EXCHANGING };

_Static_assert(SYMM_STAGE_BUFFERS >= 4, "see above");

/* Whether a rank has the same block for all peers. */
static bool is_gather(const struct symm_work *work)
{
    return symm_work_collective(work)->gathers;
}

/* Whether a rank has one block for its peers. */
static bool has_one_row(const struct symm_work *work)
{
    return is_gather(work) || symm_work_collective(work)->to_root;
}

/* Bytes of a row.  Data from or to a root go one way. */
static size_t row_length(const struct symm_work *work)
{
    const struct symm_control *control = &work->team->control;
    size_t most = has_one_row(work) ? control->piece_size : symm_stage_row(control);
    bool one_way = symm_work_collective(work)->is_rooted;
    return one_way ? symm_flow_piece(work, most, symm_work_largest(work)) : most;
}

static unsigned char *row_at(const struct symm_work *work, int source, int target, uint64_t piece)
{
    size_t row = has_one_row(work) ? 0 : (size_t)target;
    return symm_work_stage(work, source, piece) + row * row_length(work);
}

/* The part of a block that is in a piece; *bytes is 0 behind the block's end. */
static size_t part_of(const struct symm_work *work, size_t block, uint64_t piece, size_t *bytes)
{
    size_t length = row_length(work), begin = symm_least((size_t)piece * length, block);
    *bytes = symm_least(length, block - begin);
    return begin;
}

static bool has_piece(const struct symm_work *work, uint64_t piece)
{
    return (size_t)piece * row_length(work) < symm_work_largest(work);
}

static void row_copy_in(struct symm_run *run, int rank, uint64_t piece)
{
    const struct symm_block block = symm_work_block(run->work, rank);
    size_t bytes, begin = part_of(run->work, block.send_bytes, piece, &bytes);
    if (bytes > 0) {
        memcpy(row_at(run->work, run->work->team->rank, rank, piece),
               (const unsigned char *)run->work->input + block.send_at + begin, bytes);
    }
}

/* A rank's block for itself, which nobody else sees. */
static void own_copy(struct symm_run *run, uint64_t piece)
{
    const struct symm_block block = symm_work_block(run->work, run->work->team->rank);
    const unsigned char *source = (const unsigned char *)run->work->input + block.send_at;
    unsigned char *target = (unsigned char *)run->work->output + block.receive_at;
    size_t bytes, begin = part_of(run->work, symm_block_incoming(&block), piece, &bytes);
    if (bytes > 0 && source != target) {
        memcpy(target + begin, source + begin, bytes);
    }
}

/* Copy a piece in, if there is one. */
static void input_copy(struct symm_run *run, uint64_t piece)
{
    const struct symm_team *team = run->work->team;
    int last = is_gather(run->work) ? 2 : team->size;
    if (!has_piece(run->work, piece)) {
        return;
    }
    for (int turn = 1; turn < last && turn < team->size; turn++) {
        row_copy_in(run, symm_work_rotate(run->work, turn), piece);
    }
    symm_run_raise(run, piece + 1);
}

static void output_copy(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    for (int turn = 1; turn < team->size; turn++) {
        int rank = symm_work_rotate(run->work, turn);
        const struct symm_block block = symm_work_block(run->work, rank);
        size_t bytes, begin = part_of(run->work, symm_block_incoming(&block), run->piece, &bytes);
        if (bytes > 0) {
            memcpy((unsigned char *)run->work->output + block.receive_at + begin,
                   row_at(run->work, rank, team->rank, run->piece), bytes);
        }
    }
}

/* Whether this rank only sends, and only to the root. */
static bool gives(const struct symm_work *work)
{
    return symm_work_collective(work)->to_root && work->team->rank != work->root;
}

/* Whether this rank has nothing more to do: it copies in one piece ahead. */
static bool is_over(const struct symm_run *run)
{
    return !has_piece(run->work, run->piece + (gives(run->work) ? 2 : 0));
}

/* Whether the piece under way can be copied out, and the one behind the next can be copied in. */
static bool is_ready(struct symm_run *run)
{
    uint64_t step = run->piece + 1;
    return gives(run->work) ? symm_work_rank_reached(run->work, run->work->root, step)
                            : symm_run_reached(run, step);
}

static enum symm_status step(struct symm_run *run)
{
    if (!has_piece(run->work, run->piece)) {
        return SYMM_OK; /* nobody sends anything */
    }
    if (run->stage == STARTING) {
        input_copy(run, 0);
        input_copy(run, 1);
        own_copy(run, 0); /* nobody waits for these */
        own_copy(run, 1);
        run->stage = EXCHANGING;
        if (is_over(run)) {
            return SYMM_OK;
        }
    }
    if (!is_ready(run)) {
        return SYMM_PENDING;
    }
    output_copy(run);
    run->piece++;
    input_copy(run, run->piece + 1);
    own_copy(run, run->piece + 1);
    return is_over(run) ? SYMM_OK : symm_run_more(run);
}

#define STAGED_ROW(row, algorithm, served, slow_where)                                            \
    const struct symm_algorithm_row row = {                                                       \
        .number = algorithm,                                                                      \
        .name = "staged",                                                                         \
        .collective = served,                                                                     \
        .memory = SYMM_ALGORITHM_HOST,                                                            \
        .slow = slow_where,                                                                       \
        .packing = SYMM_PACKS_PIECE,                                                              \
        .keeps_order = true,                                                                      \
        .step = step,                                                                             \
    }

/* Each rank copies in and out all the time, and with many ranks nothing of it stays in a cache. */
enum {
    SLOW_ALL_TO_ALL = SYMM_SLOW_LARGE_BLOCKS | SYMM_SLOW_LARGE_BLOCKS_OF_MANY |
                      SYMM_SLOW_TWO_COPIES
};

STAGED_ROW(symm_alltoall_staged, SYMM_ALLTOALL_STAGED, SYMM_ALLTOALL, SLOW_ALL_TO_ALL);
STAGED_ROW(symm_allgather_staged, SYMM_ALLGATHER_STAGED, SYMM_ALLGATHER, SYMM_SLOW_LARGE_BLOCKS);
STAGED_ROW(symm_allgatherv_staged, SYMM_ALLGATHERV_STAGED, SYMM_ALLGATHERV, SYMM_SLOW_LARGE_BLOCKS);
STAGED_ROW(symm_alltoallv_staged, SYMM_ALLTOALLV_STAGED, SYMM_ALLTOALLV, SLOW_ALL_TO_ALL);
STAGED_ROW(symm_alltoallw_staged, SYMM_ALLTOALLW_STAGED, SYMM_ALLTOALLW, SLOW_ALL_TO_ALL);
STAGED_ROW(symm_gatherv_staged, SYMM_GATHERV_STAGED, SYMM_GATHERV, SYMM_SLOW_LARGE_BLOCKS);
STAGED_ROW(symm_scatterv_staged, SYMM_SCATTERV_STAGED, SYMM_SCATTERV, SYMM_SLOW_LARGE_BLOCKS);
