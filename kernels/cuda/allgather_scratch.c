/*
 * allgather_scratch.c - every rank stores pieces of its block in the scratch of all others, who
 * copy them to their outputs.
 *
 * It is for outputs that other ranks cannot reach; relay.h says how.  Piece p goes through
 *
 *   push  stage p:     own input to a row of each other rank's scratch,
 *   out   stage p + 1: the rows of own scratch, and own input, to own output.
 *
 * A small block is copied to its rank's own scratch instead, and all other ranks load it from
 * there.  This takes as many launches, but the first need not wait until the ranks agree.  Only its
 * own rank reads an input.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay.h"
#include "kernels/cuda/steps.h"

enum { FILL = 1, PARTS = 2 };

/*
 * Bytes of a piece of a block.  The more bytes the pieces of all other ranks have together, the
 * less a meeting costs.
 */
static size_t piece_of(size_t bytes, int ranks)
{
    size_t rows = symm_cuda_scratch_rows(ranks), all = symm_relay_piece(bytes * rows, FILL);
    return all == bytes * rows ? bytes : all / rows;
}

static size_t scratch_wanted(size_t bytes, int ranks)
{
    return (piece_of(bytes, ranks) + 512) * symm_cuda_scratch_rows(ranks) * PARTS;
}

struct cut {
    size_t row;
    size_t piece; /* bytes */
    uint64_t pieces;
};

static bool is_loaded(const struct symm_work *work)
{
    return work->count <= symm_least(symm_relay_early_most, work->scratch_size);
}

static struct cut cut_make(const struct symm_work *work)
{
    const size_t unit = 256;
    int ranks = work->team->size;
    size_t rows = symm_cuda_scratch_rows(ranks) * PARTS;
    struct cut cut = {.row = symm_relay_row(work->scratch_size, rows)};
    cut.piece = is_loaded(work) ? work->count : symm_least(piece_of(work->count, ranks), cut.row);
    if (cut.piece < work->count && cut.piece > unit) {
        cut.piece -= cut.piece % unit;
    }
    cut.pieces = work->count == 0 ? 1 : (work->count + cut.piece - 1) / cut.piece;
    return cut;
}

static size_t begin_of(const struct cut *cut, uint64_t piece)
{
    return (size_t)piece * cut->piece;
}

static size_t count_of(const struct symm_work *work, const struct cut *cut, uint64_t piece)
{
    return symm_least(work->count - begin_of(cut, piece), cut->piece);
}

/* Where `source` puts its pieces for `owner`. */
static unsigned char *row_of(const struct symm_work *work, const struct cut *cut, int owner,
                             int source, uint64_t piece)
{
    return symm_cuda_scratch_row(work, owner, source, piece % PARTS, cut->row);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Store to the ranks in the order me + 1, me + 2, ... so that not all begin with the same rank. */
static struct symm_kernel *push_make(const struct symm_work *work, uint64_t stage,
                                     struct symm_kernel *kernel)
{
    struct cut cut = cut_make(work);
    if (stage >= cut.pieces || is_loaded(work)) {
        return symm_kernel_nothing(kernel);
    }
    struct symm_cuda_copy arguments = {
        .input = (const unsigned char *)work->input + begin_of(&cut, stage),
        .bytes = count_of(work, &cut, stage),
    };
    for (int turn = 1; turn < work->team->size; turn++) {
        arguments.outputs[arguments.output_count++] =
            row_of(work, &cut, symm_work_rotate(work, turn), work->team->rank, stage);
    }
    return symm_kernel_copy(kernel, &arguments, work->block_limit);
}

/* Where a piece of rank `rank` comes from in its last stage. */
static const unsigned char *source_of(const struct symm_work *work, const struct cut *cut, int rank,
                                      uint64_t piece)
{
    int me = work->team->rank;
    if (rank == me) {
        return (const unsigned char *)work->input + begin_of(cut, piece);
    }
    return is_loaded(work) ? work->scratches[rank] : row_of(work, cut, me, rank, piece);
}

/* In place my own block is already in the output. */
static struct symm_kernel *out_make(const struct symm_work *work, uint64_t stage,
                                    struct symm_kernel *kernel)
{
    struct cut cut = cut_make(work);
    struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX];
    uint64_t piece = stage - 1;
    int count = 0;
    for (int rank = 0; rank < work->team->size; rank++) {
        const unsigned char *input = source_of(work, &cut, rank, piece);
        unsigned char *output = (unsigned char *)work->output + (size_t)rank * work->count +
                                begin_of(&cut, piece);
        if (output != input) {
            copies[count++] = (struct symm_cuda_push){input, output, count_of(work, &cut, piece)};
        }
    }
    return symm_kernel_beside(kernel, copies, count, work->block_limit);
}

static struct symm_kernel *beside_make(const struct symm_work *work, uint64_t stage,
                                       struct symm_kernel *kernel)
{
    const struct symm_cuda_push in = {work->input, work->scratches[work->team->rank], work->count};
    if (stage > 0) {
        return out_make(work, stage, kernel);
    }
    return is_loaded(work) ? symm_kernel_beside(kernel, &in, 1, work->block_limit)
                          : symm_kernel_nothing(kernel);
}

static enum symm_status step(struct symm_run *run)
{
    static const symm_stage_make launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = push_make, [SYMM_STAGE_BESIDE] = beside_make};
    struct cut cut = cut_make(run->work);
    return symm_relay_step(run, cut.pieces + FILL, launches);
}

const struct symm_algorithm_row symm_allgather_cuda_scratch = {
    .number = SYMM_ALLGATHER_CUDA_SCRATCH,
    .name = "cuda_scratch",
    .collective = SYMM_ALLGATHER,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_RELAY_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .step = step,
};
