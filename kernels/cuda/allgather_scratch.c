/*
 * allgather_scratch.c - every rank stores pieces of its block in the scratch of all others, who
 * copy them to their outputs.
 *
 * It is for outputs that other ranks cannot reach; relay_blocks.h says how.
 *
 * A small block is copied to its rank's own scratch instead, and all other ranks load it from
 * there.  This takes as many launches, but the first need not wait until the ranks agree.  Only its
 * own rank reads an input.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay_blocks.h"

static size_t scratch_wanted(size_t bytes, int ranks)
{
    return (symm_relay_blocks_piece(bytes, ranks) + 512) * symm_cuda_scratch_rows(ranks) *
           SYMM_RELAY_PARTS;
}

static bool is_loaded(const struct symm_work *work)
{
    return work->count <= symm_least(symm_relay_early_most, work->scratch_size);
}

/* ---- small blocks ---------------------------------------------------------------------------- */

static struct symm_kernel *none_make(const struct symm_work *work, uint64_t stage,
                                     struct symm_kernel *kernel)
{
    (void)work;
    (void)stage;
    return symm_kernel_nothing(kernel);
}

/* Copy in, and then out.  In place my own block is already in the output. */
static struct symm_kernel *load_make(const struct symm_work *work, uint64_t stage,
                                     struct symm_kernel *kernel)
{
    const int me = work->team->rank;
    struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX];
    int count = 0;
    if (stage == 0) {
        copies[count++] = (struct symm_cuda_push){work->input, work->scratches[me], work->count};
    }
    for (int rank = 0; stage > 0 && rank < work->team->size; rank++) {
        const void *input = rank == me ? work->input : work->scratches[rank];
        unsigned char *output = (unsigned char *)work->output + (size_t)rank * work->count;
        if (output != input) {
            copies[count++] = (struct symm_cuda_push){input, output, work->count};
        }
    }
    return symm_kernel_beside(kernel, copies, count, work->block_limit);
}

static enum symm_status step(struct symm_run *run)
{
    enum { COPY_IN_AND_OUT = 2 };
    static const symm_stage_make launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = none_make, [SYMM_STAGE_BESIDE] = load_make};
    return is_loaded(run->work) ? symm_relay_step(run, COPY_IN_AND_OUT, launches)
                                : symm_relay_blocks_step(run);
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
