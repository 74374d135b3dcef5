/*
 * rooted_scratch.c - broadcast, gather and scatter through scratch: for outputs that other ranks
 * cannot reach.  relay.h says how.
 *
 * Piece p of all blocks goes through
 *
 *   push  stage p:     the input to the scratch of whose output it is for,
 *   out   stage p + 1: own scratch to own output.
 *
 * In a gather the root's scratch has a row for each other rank.
 *
 * Large broadcasts to several ranks are passed on from rank to rank instead (bcast_chain.c).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay.h"
#include "kernels/cuda/rooted.h"

enum {
    FILL = 1, PARTS = 2, UNIT = 256,
    PASSED_LEAST = 5 << 20,         /* bytes, as of broadcasts to outputs (choose/built_in.c) */
    PASSED_SCRATCH_LEAST = 1 << 20, /* with less, pieces take longer to start than to move */
    SMALL_PAGES_LEAST = 24 << 20,   /* bench/results/gpu-h100-4-ranks-odd-again.txt */
};

/* Rows of a part of the scratch. */
static size_t rows_of(enum symm_collective collective, int ranks)
{
    return collective == SYMM_GATHER ? symm_cuda_scratch_rows(ranks) : 1;
}

/*
 * Bytes of a piece of a block.  Over the root's links goes one of each other rank, so that a
 * meeting costs the less, the more bytes these have together.
 */
static size_t piece_of(size_t bytes, int ranks)
{
    size_t rows = symm_cuda_scratch_rows(ranks), all = symm_relay_piece(bytes * rows, FILL);
    return all == bytes * rows ? bytes : all / rows;
}

struct cut {
    size_t row;
    size_t piece; /* bytes */
    uint64_t pieces;
};

static struct cut cut_make(const struct symm_work *work)
{
    int ranks = work->team->size;
    size_t rows = rows_of(symm_rooted_collective(work), ranks) * PARTS;
    struct cut cut = {.row = symm_relay_row(work->scratch_size, rows)};
    cut.piece = symm_least(piece_of(work->count, ranks), cut.row);
    if (cut.piece < work->count && cut.piece > UNIT) {
        cut.piece -= cut.piece % UNIT;
    }
    cut.pieces = (work->count + cut.piece - 1) / cut.piece;
    return cut;
}

static size_t begin_of(const struct cut *cut, uint64_t piece)
{
    return (size_t)piece * cut->piece;
}

static size_t bytes_of(const struct symm_work *work, const struct cut *cut, uint64_t piece)
{
    return symm_least(work->count - begin_of(cut, piece), cut->piece);
}

/* Where a piece of the block of `rank`, who is not the root, is in scratch. */
static unsigned char *row_of(const struct symm_work *work, const struct cut *cut, int rank,
                             uint64_t piece)
{
    if (symm_rooted_is_from_root(work)) {
        return (unsigned char *)work->scratches[rank] + piece % PARTS * cut->row;
    }
    return symm_cuda_scratch_row(work, work->root, rank, piece % PARTS, cut->row);
}

/* ---- launches -------------------------------------------------------------------------------- */

static struct symm_kernel *bcast_push(const struct symm_work *work, const struct cut *cut,
                                      uint64_t piece, struct symm_kernel *kernel)
{
    struct symm_cuda_copy arguments = {
        .input = (const unsigned char *)work->input + begin_of(cut, piece),
        .bytes = bytes_of(work, cut, piece),
    };
    for (int turn = 1; turn < work->team->size; turn++) {
        arguments.outputs[arguments.output_count++] =
            row_of(work, cut, symm_work_rotate(work, turn), piece);
    }
    return symm_kernel_copy(kernel, &arguments, work->block_limit);
}

static struct symm_kernel *push_make(const struct symm_work *work, uint64_t stage,
                                     struct symm_kernel *kernel)
{
    struct cut cut = cut_make(work);
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    int count = 0;
    if (stage >= cut.pieces || symm_rooted_is_root(work) != symm_rooted_is_from_root(work)) {
        return symm_kernel_nothing(kernel);
    }
    if (symm_rooted_collective(work) == SYMM_BCAST) {
        return bcast_push(work, &cut, stage, kernel);
    }
    const unsigned char *input = (const unsigned char *)work->input + begin_of(&cut, stage);
    size_t bytes = bytes_of(work, &cut, stage);
    if (!symm_rooted_is_root(work)) {
        pushes[count++] =
            (struct symm_cuda_push){input, row_of(work, &cut, work->team->rank, stage), bytes};
    }
    for (int turn = 1; symm_rooted_is_root(work) && turn < work->team->size; turn++) {
        int rank = symm_work_rotate(work, turn);
        pushes[count++] = (struct symm_cuda_push){input + symm_rooted_begin(work, rank),
                                                  row_of(work, &cut, rank, stage), bytes};
    }
    return symm_kernel_push(kernel, pushes, count, false, work->block_limit);
}

/* Copy a piece out, or in the first stage the root's own block. */
static struct symm_kernel *out_make(const struct symm_work *work, uint64_t stage,
                                    struct symm_kernel *kernel)
{
    struct cut cut = cut_make(work);
    struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX];
    int count = 0, me = work->team->rank;
    unsigned char *output = work->output;
    if (stage == 0) {
        count += symm_rooted_own_push(work, &copies[0]);
    } else if (!symm_rooted_is_root(work) && symm_rooted_is_from_root(work)) {
        copies[count++] = (struct symm_cuda_push){row_of(work, &cut, me, stage - 1),
                                                  output + begin_of(&cut, stage - 1),
                                                  bytes_of(work, &cut, stage - 1)};
    } else if (symm_rooted_is_root(work) && !symm_rooted_is_from_root(work)) {
        for (int turn = 1; turn < work->team->size; turn++) {
            int rank = symm_work_rotate(work, turn);
            size_t begin = symm_rooted_begin(work, rank) + begin_of(&cut, stage - 1);
            copies[count++] = (struct symm_cuda_push){row_of(work, &cut, rank, stage - 1),
                                                      output + begin,
                                                      bytes_of(work, &cut, stage - 1)};
        }
    }
    return count == 0 ? symm_kernel_nothing(kernel)
                      : symm_kernel_beside(kernel, copies, count, work->block_limit);
}

static enum symm_status step(struct symm_run *run)
{
    static const symm_stage_make launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = push_make, [SYMM_STAGE_BESIDE] = out_make};
    struct cut cut = cut_make(run->work);
    return symm_relay_step(run, cut.pieces + FILL, launches);
}

static bool is_passed(size_t bytes, int ranks)
{
    return ranks > 2 && bytes >= PASSED_LEAST;
}

static enum symm_status bcast_step(struct symm_run *run)
{
    return is_passed(run->work->count, run->work->team->size) &&
        run->work->scratch_size >= PASSED_SCRATCH_LEAST
               ? symm_bcast_slots_step(run) : step(run);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t part_wanted(size_t bytes, int ranks)
{
    return piece_of(bytes, ranks) + 2 * UNIT;
}

static size_t bcast_wanted(size_t bytes, int ranks)
{
    return is_passed(bytes, ranks) ? symm_bcast_slots_wanted(bytes, ranks)
                                   : part_wanted(bytes, ranks) * PARTS;
}

static size_t gather_wanted(size_t bytes, int ranks)
{
    return part_wanted(bytes, ranks) * rows_of(SYMM_GATHER, ranks) * PARTS;
}

/* Of all blocks together. */
static size_t scatter_wanted(size_t bytes, int ranks)
{
    return part_wanted(bytes / (size_t)ranks, ranks) * PARTS;
}

const struct symm_algorithm_row symm_bcast_cuda_scratch = {
    .number = SYMM_BCAST_CUDA_SCRATCH,
    .name = "cuda_scratch",
    .collective = SYMM_BCAST,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_RELAY_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = bcast_wanted,
    .small_pages_least = SMALL_PAGES_LEAST,
    .step = bcast_step,
};

const struct symm_algorithm_row symm_gather_cuda_scratch = {
    .number = SYMM_GATHER_CUDA_SCRATCH,
    .name = "cuda_scratch",
    .collective = SYMM_GATHER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_RELAY_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = gather_wanted,
    .step = step,
};

const struct symm_algorithm_row symm_scatter_cuda_scratch = {
    .number = SYMM_SCATTER_CUDA_SCRATCH,
    .name = "cuda_scratch",
    .collective = SYMM_SCATTER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_RELAY_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scatter_wanted,
    .step = step,
};
