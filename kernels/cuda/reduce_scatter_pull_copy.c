/*
 * reduce_scatter_pull_copy.c - as reduce_scatter_pull.c, for ranks in place: results go to scratch,
 * and from there to the output when all ranks have read what lies there.
 *
 * It is a relay (relay.h), except that other ranks' inputs are read where they are.  Piece p of the
 * ranks' blocks goes through
 *
 *   reduce  stage p:     the rank's block of all inputs, to own scratch,
 *   out     stage p + 1: own scratch to own output.
 *
 * What piece p is written over is piece p of some block or an earlier one, counted from where a
 * block begins, and all ranks have read it in stage p or before.
 *
 * Bytes cross a link once, as by pull.  The copy takes a quarter of the time that they take, so
 * only large blocks are cut.  Two H100: 22 us instead of the 30 of reduce_scatter_push.c up to 256
 * KiB, and less up to 256 MiB (bench/results/gpu-h100-2-ranks-reduce_scatter.table).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/pipeline.h"
#include "kernels/cuda/relay.h"
#include "kernels/cuda/steps.h"

enum {
    PIECE_MOST = 32 << 20, /* bytes: copied in the time of three meetings */
    PIECE_UNIT = 256,      /* elements of which a piece is a multiple, so that vectors suit it */
    PARTS = 2,             /* of the scratch: one is filled, the other one is copied out */
};

static size_t scratch_wanted(size_t bytes, int ranks)
{
    size_t longest = bytes / (size_t)ranks + PIECE_UNIT; /* if blocks have one size */
    return longest <= PIECE_MOST ? longest : PARTS * PIECE_MOST;
}

/* How blocks are cut, alike on all ranks. */
struct cut {
    size_t extent, elements;
    size_t part; /* bytes */
    uint64_t pieces; /* of the longest block */
};

static struct cut cut_make(const struct symm_run *run)
{
    struct cut cut = {.extent = symm_cuda_type_extent((enum symm_cuda_type)run->cuda_type)};
    size_t longest = 0, half = symm_relay_row(run->scratch_size, PARTS);
    for (int rank = 0; rank < run->team->size; rank++) {
        size_t count = run->begins[rank + 1] - run->begins[rank];
        longest = count > longest ? count : longest;
    }
    bool is_whole = longest * cut.extent <= symm_least(run->scratch_size, PIECE_MOST);
    cut.part = is_whole ? 0 : half;
    cut.elements = is_whole ? longest : symm_least(half, PIECE_MOST) / cut.extent;
    if (!is_whole && cut.elements > PIECE_UNIT) {
        cut.elements -= cut.elements % PIECE_UNIT;
    }
    cut.pieces = longest == 0 ? 1 : (longest + cut.elements - 1) / cut.elements;
    return cut;
}

/* The elements of a piece of this rank's block; `begin` counts from the block's first. */
static size_t piece_of(const struct symm_run *run, const struct cut *cut, uint64_t piece,
                       size_t *begin)
{
    int me = run->team->rank;
    size_t count = run->begins[me + 1] - run->begins[me];
    *begin = symm_least((size_t)piece * cut->elements, count);
    return symm_least(count - *begin, cut->elements);
}

static unsigned char *part_of(const struct symm_run *run, const struct cut *cut, uint64_t piece)
{
    return (unsigned char *)run->scratches[run->team->rank] + piece % PARTS * cut->part;
}

static enum symm_status reduce_start(struct symm_run *run, uint64_t stage,
                                     struct symm_ticket *ticket)
{
    struct cut cut = cut_make(run);
    size_t begin, count = piece_of(run, &cut, stage, &begin);
    if (stage >= cut.pieces || count == 0) {
        return SYMM_OK;
    }
    struct symm_cuda_reduce arguments = {
        .end = count, .ranks = run->team->size, .output_count = 1,
        .outputs = {part_of(run, &cut, stage)},
    };
    for (int rank = 0; rank < run->team->size; rank++) {
        arguments.inputs[rank] = (const unsigned char *)run->inputs[rank] +
                                 (run->begins[run->team->rank] + begin) * cut.extent;
    }
    return symm_device_reduce_start(run->device, run->cuda_type, run->cuda_op, &arguments,
                                    run->block_limit, ticket);
}

static enum symm_status out_start(struct symm_run *run, uint64_t stage, struct symm_ticket *ticket)
{
    struct cut cut = cut_make(run);
    size_t begin, count = stage == 0 ? 0 : piece_of(run, &cut, stage - 1, &begin);
    if (count == 0) {
        return SYMM_OK;
    }
    const struct symm_cuda_push copy = {
        .input = part_of(run, &cut, stage - 1),
        .output = (unsigned char *)run->output + begin * cut.extent,
        .bytes = count * cut.extent,
    };
    return symm_device_beside_start(run->device, &copy, 1, run->block_limit, ticket);
}

static enum symm_status step(struct symm_run *run)
{
    static const symm_stage_start launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = reduce_start, [SYMM_STAGE_BESIDE] = out_start};
    return symm_relay_step(run, cut_make(run).pieces + 1, launches);
}

#define PULL_COPY_ROW(row, algorithm, served)                                                      \
    const struct symm_algorithm_row row = {                                                       \
        .number = algorithm,                                                                      \
        .name = "cuda_pull_copy",                                                                 \
        .collective = served,                                                                     \
        .memory = SYMM_ALGORITHM_DEVICE,                                                          \
        .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_SLICE_SCRATCH,                                    \
        .keeps_order = true,                                                                      \
        .scratch_wanted = scratch_wanted,                                                         \
        .scratch_least = symm_pipeline_scratch_least,                                             \
        .scratch_fair = symm_pipeline_scratch_least,                                              \
        .step = step,                                                                             \
    }

PULL_COPY_ROW(symm_reduce_scatter_cuda_pull_copy, SYMM_REDUCE_SCATTER_CUDA_PULL_COPY,
              SYMM_REDUCE_SCATTER);
PULL_COPY_ROW(symm_reduce_scatter_block_cuda_pull_copy, SYMM_REDUCE_SCATTER_BLOCK_CUDA_PULL_COPY,
              SYMM_REDUCE_SCATTER_BLOCK);
