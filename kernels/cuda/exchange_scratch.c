/*
 * exchange_scratch.c - every rank stores pieces of its blocks in the scratch of the ranks that they
 * are for, who copy them to their outputs.
 *
 * It is for outputs that other ranks cannot reach, and for calls in place.
 *
 * Blocks that fit the scratch, up to 127 MiB in all, go in one piece.  A kernel pushes them, part
 * after part, and copies out what comes meanwhile (device_code/exchange.cuh, handover.h).  Ranks
 * that share a device have no such kernel.
 *
 * Others go in pieces (relay_blocks.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/handover.h"
#include "kernels/cuda/relay_blocks.h"

enum {
    WHOLE_MOST = 127 << 20, /* bytes of all blocks that a rank receives in one piece */
    PART_LEAST = 8 << 20,   /* of a block between two ranks, copied out while the next one comes */
    PARTS_MOST = SYMM_CUDA_HANDOVER_WORDS / SYMM_CUDA_EXCHANGE_WORDS,
};

static bool is_whole(size_t block, size_t rows)
{
    return block <= WHOLE_MOST / rows;
}

static size_t block_scratch(size_t block, int ranks)
{
    const size_t unit = 512; /* by which a row may be shorter than its share of the scratch */
    size_t rows = symm_cuda_scratch_rows(ranks);
    return rows * (is_whole(block, rows) ? block + unit
                                         : (symm_relay_blocks_piece(block, ranks) + unit) *
                                             SYMM_RELAY_PARTS);
}

/* Of an exchange, all blocks of a rank are known together. */
static size_t blocks_scratch(size_t bytes, int ranks)
{
    return block_scratch((bytes + (size_t)ranks - 1) / (size_t)ranks, ranks);
}

/* Set *whole to all blocks in one piece.  Returns whether they go so. */
static bool whole_cut(const struct symm_work *work, struct symm_relay_cut *whole)
{
    size_t rows = symm_cuda_scratch_rows(work->team->size);
    *whole = (struct symm_relay_cut){
        .row = symm_relay_row(work->scratch_size, rows), .piece = work->largest, .pieces = 1};
    return work->largest <= whole->row && is_whole(work->largest, rows) && !work->shared;
}

/* ---- in one piece ---------------------------------------------------------------------------- */

/*
 * Bytes of a part.  All ranks agree.  More than two ranks have blocks of several others, of which
 * they copy one while the next one comes.  Each part that others are told of holds the pushes up:
 * in one run of four H200 blocks of 4 to 32 MiB take 1.09 to 1.22 times as long in four parts as in
 * one (bench/results/gpu-h200-exchange-parts.txt).
 */
static size_t whole_part(const struct symm_work *work)
{
    const size_t unit = 256;
    size_t parts = symm_least(work->largest / PART_LEAST, PARTS_MOST);
    return work->team->size > 2 || parts < 2 ? work->largest
                                            : (work->largest / parts + unit - 1) / unit * unit;
}

/*
 * Part `number` of the blocks between this rank and `rank`, or of the one for this rank itself.  A
 * buffer without data may be anywhere, and no device need reach it.
 */
static struct symm_cuda_turn turn_make(const struct symm_work *work,
                                       const struct symm_relay_cut *parts,
                                       int rank, uint64_t number)
{
    int me = work->team->rank;
    const struct symm_block *block = &work->blocks[rank];
    size_t words = number * SYMM_CUDA_EXCHANGE_WORDS, bytes, come_bytes;
    size_t begin = symm_relay_part(parts, block->send_bytes, number, &bytes);
    size_t come_begin = symm_relay_part(parts, symm_block_incoming(block), number, &come_bytes);
    struct symm_cuda_turn turn = {.bytes = bytes, .come_bytes = come_bytes};
    const unsigned char *input = (const unsigned char *)work->input + block->send_at + begin;
    if (rank != me && bytes > 0) {
        turn.input = input;
        turn.row = symm_relay_blocks_row(work, parts, rank, me, 0) + begin;
    }
    if (come_bytes > 0) {
        turn.come = rank == me ? input
            : symm_relay_blocks_row(work, parts, me, rank, 0) + come_begin;
        turn.output = (unsigned char *)work->output + block->receive_at + come_begin;
    }
    if (rank != me) {
        turn.told = symm_cuda_handover_words(work, rank, me) + words;
        turn.words = symm_cuda_handover_words(work, me, rank) + words;
    }
    return turn;
}

/*
 * Whom a rank sends to in a turn, 1 to N - 1, and receives from.  An even number of ranks are pairs
 * in each turn, another one each time, so that all of a turn's blocks can be copied at its end: the
 * last rank stays, and the others go round in a circle (a round-robin tournament).  An odd number
 * has no such pairs.  There the ranks are in a circle, nobody gets from two at a time, and blocks
 * that come early are copied after the last turn.
 */
static int partner(const struct symm_work *work, int turn)
{
    int ranks = work->team->size, me = work->team->rank, last = ranks - 1;
    if (ranks % 2 != 0) {
        return symm_work_rotate(work, turn);
    }
    if (me == last) {
        return turn - 1;
    }
    int other = (2 * (turn - 1) + last - me) % last;
    return other == me ? last : other;
}

/* A block of the rank for itself is copied before the others' come, but for calls in place. */
static struct symm_kernel *whole_make(const struct symm_work *work, struct symm_kernel *kernel)
{
    struct symm_cuda_turn turns[SYMM_CUDA_RANKS_MAX];
    struct symm_relay_cut whole, parts;
    (void)whole_cut(work, &whole);
    parts = whole;
    int ranks = work->team->size, me = work->team->rank, count = 0;
    turns[0] = turn_make(work, &whole, me, 0);
    count += turns[0].come_bytes > 0 && turns[0].output != turns[0].come;
    parts.piece = whole_part(work);
    for (uint64_t part = 0; part == 0 || part * parts.piece < work->largest; part++) {
        for (int turn = 1; turn < ranks; turn++) {
            turns[count++] = turn_make(work, &parts, partner(work, turn), part);
        }
    }
    unsigned blocks = work->block_limit == 0 &&
        work->beside ? SYMM_DEVICE_BLOCKS : work->block_limit;
    return symm_kernel_exchange(kernel, turns, count, SYMM_HANDOVER_PATIENCE, blocks);
}

/* What others have sent.  A kernel that has come back late has copied the own block as well. */
static int whole_outs(const struct symm_work *work,
                      struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX])
{
    struct symm_relay_cut whole;
    (void)whole_cut(work, &whole);
    return symm_relay_blocks_outs(work, &whole, 0, false, copies);
}

/* ---- the run --------------------------------------------------------------------------------- */

static enum symm_status step(struct symm_run *run)
{
    static const struct symm_handover whole = {.make = whole_make, .copies = whole_outs};
    struct symm_relay_cut cut;
    return whole_cut(run->work, &cut) ? symm_handover_step(run, &whole)
                                      : symm_relay_blocks_step(run);
}

#define SCRATCH_ROW(collective_, COLLECTIVE, scratch)                                              \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, cuda_scratch, CUDA_SCRATCH,                        \
                       .name = "cuda_scratch", .memory = SYMM_ALGORITHM_DEVICE,                    \
                       .needs = SYMM_NEEDS_RELAY_SCRATCH, .keeps_order = true,                     \
                       .scratch_wanted = scratch, .step = step)

SCRATCH_ROW(alltoall, ALLTOALL, blocks_scratch);
SCRATCH_ROW(allgatherv, ALLGATHERV, block_scratch);
SCRATCH_ROW(alltoallv, ALLTOALLV, blocks_scratch);
SCRATCH_ROW(alltoallw, ALLTOALLW, blocks_scratch);
SCRATCH_ROW(gatherv, GATHERV, blocks_scratch);
SCRATCH_ROW(scatterv, SCATTERV, blocks_scratch);
