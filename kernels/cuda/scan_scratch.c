/*
 * scan_scratch.c - pieces of the inputs are copied to scratch, and every rank loads those of the
 * ranks before it from there.
 *
 * It is for inputs that other ranks cannot reach, and for calls in place that scan_two_shot.c does
 * not serve; relay.h says how.  Piece p goes through
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

#include "kernels/cuda/relay_array.h"
#include "kernels/prefix.h"

enum { FILL = 1 };

static size_t scratch_wanted(size_t bytes, int ranks)
{
    (void)ranks;
    return symm_relay_array_wanted(bytes, FILL);
}

static struct symm_kernel *reduce_make(const struct symm_work *work, uint64_t stage,
                                       struct symm_kernel *kernel)
{
    int ranks = symm_prefix_length(work, work->team->rank);
    if (stage == 0 || ranks == 0) {
        return symm_kernel_nothing(kernel);
    }
    struct symm_relay_array array = symm_relay_array_cut(work, FILL);
    return symm_relay_array_reduce(work, &array, ranks, stage - 1, kernel);
}

static struct symm_kernel *copy_make(const struct symm_work *work, uint64_t stage,
                                     struct symm_kernel *kernel)
{
    struct symm_relay_array array = symm_relay_array_cut(work, FILL);
    if (stage >= array.pieces) {
        return symm_kernel_nothing(kernel);
    }
    const struct symm_cuda_push copy = symm_relay_array_copy_in(work, &array, stage);
    return symm_kernel_beside(kernel, &copy, 1, work->block_limit);
}

static enum symm_status step(struct symm_run *run)
{
    static const symm_stage_make launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = reduce_make, [SYMM_STAGE_BESIDE] = copy_make};
    return symm_relay_step(run, symm_relay_array_cut(run->work, FILL).pieces + FILL, launches);
}

SYMM_ALGORITHM_ROWS(scan, SCAN, exscan, EXSCAN, cuda_scratch, CUDA_SCRATCH,
    .name = "cuda_scratch",
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_RELAY_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .step = step);
