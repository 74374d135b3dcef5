/*
 * run_steps.h - what the step functions of several algorithms have in common.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_RUN_STEPS_H
#define SYMM_KERNELS_RUN_STEPS_H

#include <string.h>

#include "kernels/run.h"
#include "kernels/slice.h"

enum {
    SYMM_BLOCK_SIZE = 16 * 1024, /* bytes that go through a cache on their way; 64 KiB are slower */
    /* Bytes a step moves before it returns, so that a driver can look after other things. */
    SYMM_STEP_BYTES = 256 * 1024,
};

static inline size_t symm_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Tell the others that this rank has got to `step`. */
static inline void symm_run_raise(struct symm_run *run, uint64_t step)
{
    symm_phase_raise(&run->work->team->control, run->work->sequence, run->work->team->rank, step);
    run->seen = 0;
}

/* Whether all ranks have got to `step`.  After true, the next call asks about a later step. */
static inline bool symm_run_reached(struct symm_run *run, uint64_t step)
{
    if (!symm_phase_reached(&run->work->team->control, run->work->sequence, step, &run->seen)) {
        return false;
    }
    run->seen = 0;
    return true;
}

/* Whether one rank has got to `step`. */
static inline bool symm_work_rank_reached(const struct symm_work *work, int rank, uint64_t step)
{
    const struct symm_word *phases = symm_control_phases(&work->team->control, work->sequence);
    uint64_t steps = atomic_load_explicit(&phases[rank].value, memory_order_acquire) -
                     (work->sequence << SYMM_PHASE_BITS);
    return steps >> SYMM_PHASE_BITS == 0 && steps >= step;
}

/* To return from a step that has more to do. */
static inline enum symm_status symm_run_more(struct symm_run *run)
{
    run->worked = true;
    return SYMM_PENDING;
}

/* Ranks in the order me, me + 1, ... so that not all begin with the same one. */
static inline int symm_work_rotate(const struct symm_work *work, int turn)
{
    int rank = work->team->rank + turn;
    return rank < work->team->size ? rank : rank - work->team->size;
}

/*
 * In an all-to-all of little data: the place of the block for `rank` among those in the line of
 * `owner`.  The owner's block for itself is the last one, so that between two ranks a small block
 * shares the header's cache line.
 */
static inline size_t symm_slot_place(const struct symm_team *team, int owner, int rank)
{
    return (size_t)(rank == owner ? team->size - 1 : rank < owner ? rank : rank - 1);
}

/*
 * The staging buffer of a rank for a piece; algorithms count buffers from the first one of a call.
 * Calls begin with different buffers, so that a buffer that is written to was read some calls ago.
 * Where two cores share no cache, all-to-alls and all-gathers of 32 and 64 KiB take 0.7 of the
 * time (bench/results/host-two-copies.txt).
 */
static inline unsigned char *symm_work_stage(const struct symm_work *work, int rank, uint64_t piece)
{
    return symm_stage_buffer(&work->team->control, rank, work->sequence + piece);
}

/*
 * Bytes of a piece of `bytes` bytes that go one way, from a rank to the next, through staging
 * buffers of so many bytes.  Quarters, so that the next rank begins early; but to wait for a small
 * piece takes longer than to copy it, and whoever waits for a processor, too, waits for each piece.
 * Two ranks seldom do, and gain from pieces of 8 KiB (bench/results/host-two-copies.txt).
 * (Where all ranks copy in and out at the same time pieces are whole buffers.)
 */
static inline size_t symm_flow_piece(const struct symm_work *work, size_t buffer, size_t bytes)
{
    enum { PARTS = 4, LEAST = 16 * 1024, LEAST_OF_TWO = 8 * 1024 };
    size_t least = work->team->size == 2 ? LEAST_OF_TWO : LEAST;
    size_t part = (bytes / PARTS / SYMM_CACHE_LINE + 1) * SYMM_CACHE_LINE;
    return symm_least(part < least ? least : part, buffer);
}

/*
 * Copy the next bytes of a block of `all` bytes, `most` at the most, unless it is in its place.
 * run->position counts the bytes of the block, run->piece the blocks done.  Returns the bytes.
 */
static inline size_t symm_run_copy(struct symm_run *run, void *target, const void *source,
                                   size_t all, size_t most)
{
    size_t bytes = symm_least(all - run->position, most);
    if (bytes > 0 && source != target) {
        memcpy((unsigned char *)target + run->position,
               (const unsigned char *)source + run->position, bytes);
    }
    run->position += bytes;
    if (run->position == all) {
        run->position = 0;
        run->piece++;
    }
    return bytes;
}

/* ---- all-reduce in pieces and blocks --------------------------------------------------------- */

/* The element with which piece `piece` begins, when pieces have so many bytes, or one element. */
static inline size_t symm_piece_begin_of(const struct symm_work *work, uint64_t piece, size_t bytes)
{
    size_t extent = work->reduction->extent;
    return symm_least((size_t)piece * (bytes > extent ? bytes / extent : 1), work->count);
}

/* The same when pieces are as large as staging buffers. */
static inline size_t symm_piece_begin(const struct symm_work *work, uint64_t piece)
{
    return symm_piece_begin_of(work, piece, work->team->control.piece_size);
}

/*
 * Bytes of whole elements to reduce at a time, so that the result stays in the first-level cache.
 */
static inline size_t symm_block_bytes(size_t extent)
{
    return extent < SYMM_BLOCK_SIZE ? SYMM_BLOCK_SIZE / extent * extent : extent;
}

#endif /* SYMM_KERNELS_RUN_STEPS_H */
