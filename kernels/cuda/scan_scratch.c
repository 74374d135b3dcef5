/*
 * scan_scratch.c - pieces of the inputs are copied to scratch, and every rank loads those of the
 * ranks before it from there.
 *
 * It is for inputs that other ranks cannot reach, and for calls in place; relay.h says how.  Piece
 * p goes through
 *
 *   in      stage p:     own input to own scratch,
 *   reduce  stage p + 1: the scratch of the ranks before, and own input from own scratch, to own
 *                        output.
 *
 * It is right in place: a piece is copied in before its result is stored.  The results are, bit for
 * bit, those of scan_pull.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay.h"
#include "kernels/prefix.h"

enum { FILL = 1, PARTS = 2 };

/* How the array is cut, alike on all ranks. */
struct cut {
    size_t extent;
    size_t row;      /* bytes of a part of the scratch */
    size_t elements; /* of a piece */
    uint64_t pieces;
    unsigned parts;
};

static size_t scratch_wanted(size_t bytes, int ranks)
{
    size_t piece = symm_relay_piece(bytes, FILL);
    (void)ranks;
    return piece == bytes ? piece + 256 : piece * PARTS;
}

static struct cut cut_make(const struct symm_run *run)
{
    const size_t unit = 256; /* elements of which a piece is a multiple, so that vectors do */
    size_t extent = symm_cuda_type_extent(run->cuda_type), bytes = run->count * extent;
    size_t piece = symm_relay_piece(bytes, FILL);
    bool is_whole = piece == bytes && bytes <= symm_relay_row(run->scratch_size, 1);
    struct cut cut = {.extent = extent, .parts = is_whole ? 1 : PARTS};
    cut.row = symm_relay_row(run->scratch_size, cut.parts);
    cut.elements = symm_least(cut.row, piece) / extent;
    if (!is_whole && cut.elements > unit) {
        cut.elements -= cut.elements % unit;
    }
    cut.pieces = run->count == 0 ? 1 : (run->count + cut.elements - 1) / cut.elements;
    return cut;
}

static size_t begin_of(const struct cut *cut, uint64_t piece)
{
    return (size_t)piece * cut->elements;
}

static size_t count_of(const struct symm_run *run, const struct cut *cut, uint64_t piece)
{
    return symm_least(run->count - begin_of(cut, piece), cut->elements);
}

static unsigned char *part_of(const struct symm_run *run, const struct cut *cut, int rank,
                              uint64_t piece)
{
    return (unsigned char *)run->scratches[rank] + piece % cut->parts * cut->row;
}

/* ---- launches -------------------------------------------------------------------------------- */

static enum symm_status reduce_start(struct symm_run *run, uint64_t stage,
                                     struct symm_ticket *ticket)
{
    struct cut cut = cut_make(run);
    uint64_t piece = stage - 1;
    int ranks = symm_prefix_length(run, run->team->rank);
    if (stage == 0 || ranks == 0) {
        return SYMM_OK;
    }
    struct symm_cuda_reduce arguments = {
        .end = count_of(run, &cut, piece), .ranks = ranks, .output_count = 1,
        .outputs = {(unsigned char *)run->output + begin_of(&cut, piece) * cut.extent},
    };
    for (int rank = 0; rank < ranks; rank++) {
        arguments.inputs[rank] = part_of(run, &cut, rank, piece);
    }
    return symm_device_reduce_start(run->device, run->cuda_type, run->cuda_op, &arguments,
                                    run->block_limit, ticket);
}

static enum symm_status copy_start(struct symm_run *run, uint64_t stage,
                                   struct symm_ticket *ticket)
{
    struct cut cut = cut_make(run);
    if (stage >= cut.pieces) {
        return SYMM_OK;
    }
    const struct symm_cuda_push copy = {
        .input = (const unsigned char *)run->input + begin_of(&cut, stage) * cut.extent,
        .output = part_of(run, &cut, run->team->rank, stage),
        .bytes = count_of(run, &cut, stage) * cut.extent,
    };
    return symm_device_beside_start(run->device, &copy, 1, run->block_limit, ticket);
}

static enum symm_status step(struct symm_run *run)
{
    static const symm_stage_start launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = reduce_start, [SYMM_STAGE_BESIDE] = copy_start};
    return symm_relay_step(run, cut_make(run).pieces + FILL, launches);
}

const struct symm_algorithm_row symm_scan_cuda_scratch = {
    .number = SYMM_SCAN_CUDA_SCRATCH,
    .name = "cuda_scratch",
    .collective = SYMM_SCAN,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_RELAY_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .step = step,
};

const struct symm_algorithm_row symm_exscan_cuda_scratch = {
    .number = SYMM_EXSCAN_CUDA_SCRATCH,
    .name = "cuda_scratch",
    .collective = SYMM_EXSCAN,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_RELAY_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .step = step,
};
