/*
 * allreduce_scratch.c - pieces of the array are copied to scratch, reduced there, and copied out
 * again.
 *
 * It is for buffers that other ranks cannot reach; relay.h says how.  Piece p goes through
 *
 *   in      stage p:     own input to own scratch,
 *   reduce  stage p + 1: two-shot in place, on the scratch of all ranks,
 *   out     stage p + 2: own scratch to own output.
 *
 * A small array, or an array of two ranks, is reduced by one-shot.  One-shot reads the scratch of
 * all ranks and stores to its own output at once.  This saves a stage, and with two ranks no more
 * bytes cross the link.  Pairs with padding are also reduced by one-shot, because kernels leave
 * padding in outputs alone and copies do not.
 *
 * It is right in place as well: a piece is copied in before it is copied out.  The sums are, bit
 * for bit, the sums of two-shot on buffers: rank order, one rounding.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay.h"

/*
 * The most bytes that a rank loads from others by one-shot.  Loading them takes less time than a
 * stage.
 */
static const size_t one_shot_loads = 1024 * 1024;

/* How the array is cut, alike on all ranks. */
struct cut {
    bool one_shot;
    size_t extent;
    size_t row;      /* bytes of a part of the scratch */
    size_t elements; /* of a piece */
    uint64_t pieces;
    unsigned parts;
};

static bool is_one_shot(size_t bytes, int ranks, size_t scratch_size)
{
    return ranks <= 2 || (bytes <= one_shot_loads / (size_t)(ranks - 1) &&
                          bytes <= symm_relay_row(scratch_size, 1));
}

static unsigned stages_beside(bool one_shot)
{
    return one_shot ? 1 : 2;
}

static size_t scratch_wanted(size_t bytes, int ranks)
{
    unsigned fill = stages_beside(is_one_shot(bytes, ranks, SIZE_MAX));
    size_t piece = symm_relay_piece(bytes, fill);
    return piece == bytes ? piece + 256 : piece * (fill + 1);
}

static struct cut cut_make(const struct symm_run *run)
{
    const size_t unit = 256; /* elements of which a piece is a multiple, so that slices are alike */
    size_t extent = symm_cuda_type_extent(run->cuda_type), bytes = run->count * extent;
    struct cut cut = {.extent = extent};
    cut.one_shot = is_one_shot(bytes, run->team->size, run->scratch_size) ||
                   symm_cuda_type_is_padded(run->cuda_type);
    unsigned fill = stages_beside(cut.one_shot);
    bool is_whole = symm_relay_piece(bytes, fill) == bytes &&
                    bytes <= symm_relay_row(run->scratch_size, 1);
    cut.parts = is_whole ? 1 : fill + 1;
    cut.row = symm_relay_row(run->scratch_size, cut.parts);
    cut.elements = symm_least(cut.row, symm_relay_piece(bytes, fill)) / extent;
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

static enum symm_status one_shot_start(struct symm_run *run, const struct cut *cut, uint64_t piece,
                                       struct symm_ticket *ticket)
{
    int ranks = run->team->size;
    struct symm_cuda_reduce arguments = {
        .end = count_of(run, cut, piece), .ranks = ranks, .output_count = 1,
        .outputs = {(unsigned char *)run->output + begin_of(cut, piece) * cut->extent},
    };
    for (int rank = 0; rank < ranks; rank++) {
        arguments.inputs[rank] = part_of(run, cut, rank, piece);
    }
    return symm_device_reduce_start(run->device, run->cuda_type, run->cuda_op, &arguments,
                                    run->block_limit, ticket);
}

static enum symm_status two_shot_start(struct symm_run *run, const struct cut *cut, uint64_t piece,
                                       struct symm_ticket *ticket)
{
    int ranks = run->team->size;
    size_t begin, end;
    symm_slice(count_of(run, cut, piece), cut->extent, run->team->rank, ranks, &begin, &end);
    struct symm_cuda_reduce arguments = {
        .begin = begin, .end = end, .ranks = ranks, .output_count = ranks,
    };
    for (int turn = 0; turn < ranks; turn++) {
        arguments.inputs[turn] = part_of(run, cut, turn, piece);
        arguments.outputs[turn] = part_of(run, cut, symm_run_rotate(run, turn), piece);
    }
    return symm_device_reduce_start(run->device, run->cuda_type, run->cuda_op, &arguments,
                                    run->block_limit, ticket);
}

static enum symm_status reduce_start(struct symm_run *run, uint64_t stage,
                                     struct symm_ticket *ticket)
{
    struct cut cut = cut_make(run);
    uint64_t piece = stage - 1;
    if (stage == 0 || piece >= cut.pieces) {
        return SYMM_OK;
    }
    return cut.one_shot ? one_shot_start(run, &cut, piece, ticket)
                        : two_shot_start(run, &cut, piece, ticket);
}

static enum symm_status copies_start(struct symm_run *run, uint64_t stage,
                                     struct symm_ticket *ticket)
{
    struct cut cut = cut_make(run);
    struct symm_cuda_push copies[2];
    int count = 0, me = run->team->rank;
    if (stage < cut.pieces) {
        copies[count++] = (struct symm_cuda_push){
            .input = (const unsigned char *)run->input + begin_of(&cut, stage) * cut.extent,
            .output = part_of(run, &cut, me, stage),
            .bytes = count_of(run, &cut, stage) * cut.extent,
        };
    }
    if (!cut.one_shot && stage >= 2) {
        uint64_t piece = stage - 2;
        copies[count++] = (struct symm_cuda_push){
            .input = part_of(run, &cut, me, piece),
            .output = (unsigned char *)run->output + begin_of(&cut, piece) * cut.extent,
            .bytes = count_of(run, &cut, piece) * cut.extent,
        };
    }
    return symm_device_beside_start(run->device, copies, count, run->block_limit, ticket);
}

static enum symm_status step(struct symm_run *run)
{
    static const symm_stage_start launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = reduce_start, [SYMM_STAGE_BESIDE] = copies_start};
    struct cut cut = cut_make(run);
    return symm_relay_step(run, cut.pieces + stages_beside(cut.one_shot), launches);
}

const struct symm_algorithm_row symm_allreduce_cuda_scratch = {
    .number = SYMM_ALLREDUCE_CUDA_SCRATCH,
    .name = "cuda_scratch",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_RELAY_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .step = step,
};
