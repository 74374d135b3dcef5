/*
 * allreduce_push.c - kernels store the slices of an input in their owners' scratch; the owners'
 * kernels add them and store the results to all outputs.
 *
 * The kernels of a rank follow each other on one stream.  So two pieces under way keep the link
 * busy, and fewer pieces are better.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/link.h"
#include "kernels/cuda/pipeline.h"

static const struct symm_mover kernel = {.depth = 2, .lead = 2, .pieces = 1};

SYMM_PIPELINE_FUNCTIONS(kernel, kernel)

const struct symm_algorithm_row symm_allreduce_cuda_push = {
    .number = SYMM_ALLREDUCE_CUDA_PUSH,
    .name = "cuda_push",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_SLICE_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .scratch_least = symm_pipeline_scratch_least,
    .scratch_fair = symm_pipeline_scratch_fair,
    /*
     * bench/results/gpu-through-scratch.txt, with 512 MiB of scratch.  Pieces have a least size, so
     * the line is not straight for small arrays.  The start is chosen so that the model gives the
     * limit measured with four ranks.
     */
    .cost = {.floor = 28.1, .floor_rank = 1.1, .start = 28.1, .start_rank = 1.1,
             .rate_two = 345e3, .rate = 342e3, .link_bytes = symm_link_bytes_of_slices},
    .step = step,
};
