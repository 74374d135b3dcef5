/*
 * rooted_scratch.c - broadcast, gather and scatter through scratch: for outputs that other ranks
 * cannot reach.  relay_blocks.h says how.
 *
 * Large broadcasts to several ranks are passed on from rank to rank instead (bcast_chain.c).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay_blocks.h"
#include "kernels/cuda/rooted.h"

enum {
    UNIT = 256,
    PASSED_LEAST = 5 << 20,         /* bytes, as of broadcasts to outputs (choose/built_in.c) */
    PASSED_SCRATCH_LEAST = 1 << 20, /* with less, pieces take longer to start than to move */
    SMALL_PAGES_LEAST = 24 << 20,   /* bench/results/gpu-h100-4-ranks-odd-again.txt */
};

static bool is_passed(size_t bytes, int ranks)
{
    return ranks > 2 && bytes >= PASSED_LEAST;
}

static enum symm_status bcast_step(struct symm_run *run)
{
    return is_passed(run->work->count, run->work->team->size) &&
        run->work->scratch_size >= PASSED_SCRATCH_LEAST
               ? symm_bcast_slots_step(run) : symm_relay_blocks_step(run);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t part_wanted(size_t bytes, int ranks)
{
    return (symm_relay_blocks_piece(bytes, ranks) + 2 * UNIT) * SYMM_RELAY_PARTS;
}

static size_t bcast_wanted(size_t bytes, int ranks)
{
    return is_passed(bytes, ranks) ? symm_bcast_slots_wanted(bytes, ranks)
                                   : part_wanted(bytes, ranks);
}

static size_t gather_wanted(size_t bytes, int ranks)
{
    return part_wanted(bytes, ranks) * symm_cuda_scratch_rows(ranks);
}

/* Of all blocks together. */
static size_t scatter_wanted(size_t bytes, int ranks)
{
    return part_wanted(bytes / (size_t)ranks, ranks);
}

#define SCRATCH_ROW(collective_, COLLECTIVE, ...)                                                  \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, cuda_scratch, CUDA_SCRATCH,                        \
                       .name = "cuda_scratch", .memory = SYMM_ALGORITHM_DEVICE,                    \
                       .needs = SYMM_NEEDS_RELAY_SCRATCH, .keeps_order = true, __VA_ARGS__)

SCRATCH_ROW(bcast, BCAST, .scratch_wanted = bcast_wanted, .small_pages_least = SMALL_PAGES_LEAST,
            .step = bcast_step);
SCRATCH_ROW(gather, GATHER, .scratch_wanted = gather_wanted, .step = symm_relay_blocks_step);
SCRATCH_ROW(scatter, SCATTER, .scratch_wanted = scatter_wanted, .step = symm_relay_blocks_step);
