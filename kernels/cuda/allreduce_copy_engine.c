/*
 * allreduce_copy_engine.c - copy engines move the slices of an input to their owners' scratch, and
 * results to all outputs; kernels only add, within a device.
 *
 * It has the most bandwidth of all, and uses multiprocessors only for the sums.  All copies of a
 * rank are queued on one stream, because engines lose time with every change between streams.
 *
 * (NCCL uses copy engines in all-gather: NCCL_CTA_POLICY_ZERO.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/link.h"
#include "kernels/cuda/pipeline.h"

/*
 * A copy starts in some 4 us, so pieces of 32 MiB lose a few percent.  The first and the last piece
 * are small.  With sums of 24 blocks 1 GiB on two H100 takes 2892 us, with 64 blocks 3035
 * (bench/results/gpu-h100-2-ranks-engine-sums.txt).
 */
static const struct symm_mover of_two = {
    .depth = 4, .lead = 4, .pieces = 16, .sum_blocks = 24, .stores = true, .by_engines = true,
};

/*
 * Copies of many pieces meet those of other ranks at the same device, while other links are idle:
 * 1 GiB on four H100 takes 5902 us in 16 pieces, and 4491 in the four that scratch leaves of two
 * (bench/results/gpu-h100-4-ranks-engines.txt).
 */
static const struct symm_mover of_more = {
    .depth = 2, .lead = 2, .pieces = 2, .sum_blocks = 24, .stores = true, .by_engines = true,
};

SYMM_PIPELINE_FUNCTIONS(of_two, of_more)

const struct symm_algorithm_row symm_allreduce_cuda_copy_engine = {
    .number = SYMM_ALLREDUCE_CUDA_COPY_ENGINE,
    .name = "cuda_copy_engine",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_SLICE_SCRATCH,
    .slow = SYMM_SLOW_SMALL_PAGES,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .scratch_least = symm_pipeline_scratch_least,
    .scratch_fair = symm_pipeline_scratch_fair,
    /*
     * bench/results/gpu-through-scratch.txt, with 512 MiB of scratch.  Two to four ranks have rows
     * of their own.  The rate of more is that of four when a slice went in sixteen pieces: nobody
     * has measured how much engines lose with more peers.
     */
    .cost = {.floor = 86, .floor_rank = 0, .start = 86, .start_rank = 0,
             .rate_two = 383e3, .rate = 336e3, .link_bytes = symm_link_bytes_of_slices},
    .step = step,
};
