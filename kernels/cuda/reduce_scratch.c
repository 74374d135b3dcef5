/*
 * reduce_scratch.c - reduce through scratch: for buffers that other ranks cannot reach.  relay.h
 * says how.
 *
 * Piece p goes through
 *
 *   in      stage p:     each rank but the root copies it to its own scratch,
 *   reduce  stage p + 1: the root loads it from all of these, and its own input, into its output.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay.h"
#include "kernels/cuda/rooted.h"

enum { FILL = 1, PARTS = 2, UNIT = 256 };

static size_t scratch_wanted(size_t bytes, int ranks)
{
    (void)ranks;
    return (symm_relay_piece(bytes, FILL) + 2 * UNIT) * PARTS;
}

struct cut {
    size_t part;     /* bytes of a part of the scratch */
    size_t elements; /* of a piece */
    uint64_t pieces;
};

static size_t extent_of(const struct symm_work *work)
{
    return symm_cuda_type_extent((enum symm_cuda_type)work->cuda_type);
}

static struct cut cut_make(const struct symm_work *work)
{
    size_t extent = extent_of(work), wanted = symm_relay_piece(work->count * extent, FILL);
    struct cut cut = {.part = symm_relay_row(work->scratch_size, PARTS)};
    cut.elements = symm_least(wanted, cut.part) / extent;
    if (cut.elements < work->count && cut.elements > UNIT) { /* pieces begin where vectors can */
        cut.elements -= cut.elements % UNIT;
    }
    cut.pieces = (work->count + cut.elements - 1) / cut.elements;
    return cut;
}

static size_t count_of(const struct symm_work *work, const struct cut *cut, uint64_t piece)
{
    return symm_least(work->count - (size_t)piece * cut->elements, cut->elements);
}

static unsigned char *part_of(const struct symm_work *work, const struct cut *cut, int rank,
                              uint64_t piece)
{
    return (unsigned char *)work->scratches[rank] + piece % PARTS * cut->part;
}

static struct symm_kernel *reduce_make(const struct symm_work *work, uint64_t stage,
                                       struct symm_kernel *kernel)
{
    struct cut cut = cut_make(work);
    if (stage == 0 || !symm_rooted_is_root(work)) {
        return symm_kernel_nothing(kernel);
    }
    size_t offset = (size_t)(stage - 1) * cut.elements * extent_of(work);
    struct symm_cuda_reduce arguments = {
        .end = count_of(work, &cut, stage - 1), .ranks = work->team->size, .output_count = 1,
        .outputs = {(unsigned char *)work->output + offset},
    };
    for (int rank = 0; rank < work->team->size; rank++) {
        arguments.inputs[rank] = rank == work->root ? (const unsigned char *)work->input + offset
                                                   : part_of(work, &cut, rank, stage - 1);
    }
    return symm_kernel_reduce(kernel, work->cuda_type, work->cuda_op, &arguments,
                              work->block_limit);
}

static struct symm_kernel *in_make(const struct symm_work *work, uint64_t stage,
                                   struct symm_kernel *kernel)
{
    struct cut cut = cut_make(work);
    if (stage >= cut.pieces || symm_rooted_is_root(work)) {
        return symm_kernel_nothing(kernel);
    }
    size_t extent = extent_of(work);
    const struct symm_cuda_push in = {
        (const unsigned char *)work->input + (size_t)stage * cut.elements * extent,
        part_of(work, &cut, work->team->rank, stage), count_of(work, &cut, stage) * extent};
    return symm_kernel_beside(kernel, &in, 1, work->block_limit);
}

static enum symm_status step(struct symm_run *run)
{
    static const symm_stage_make launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = reduce_make, [SYMM_STAGE_BESIDE] = in_make};
    struct cut cut = cut_make(run->work);
    return symm_relay_step(run, cut.pieces + FILL, launches);
}

const struct symm_algorithm_row symm_reduce_cuda_scratch = {
    .number = SYMM_REDUCE_CUDA_SCRATCH,
    .name = "cuda_scratch",
    .collective = SYMM_REDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_RELAY_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .step = step,
};
