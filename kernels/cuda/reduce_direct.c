/*
 * reduce_direct.c - one-shot: the root loads all inputs and reduces them, in one launch.  Two-shot:
 * the others own a slice each, which they load from all inputs, reduce, and store in the root's
 * output.
 *
 * In a two-shot the root owns nothing: its links carry the result in and its input out, and would
 * carry its slice of all other inputs as well.  Between two ranks it is the same as one-shot.  An
 * element is loaded from all inputs before it is stored, so the root may be in place.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/rooted.h"

static struct symm_kernel *slice_make(const struct symm_work *work, size_t begin, size_t end,
                                      unsigned block_limit, struct symm_kernel *kernel)
{
    struct symm_cuda_reduce arguments = {
        .begin = begin, .end = end, .ranks = work->team->size, .output_count = 1,
        .outputs = {work->outputs[work->root]},
    };
    if (begin == end) {
        return symm_kernel_nothing(kernel);
    }
    for (int rank = 0; rank < work->team->size; rank++) {
        arguments.inputs[rank] = work->inputs[rank];
    }
    return symm_kernel_reduce(kernel, work->cuda_type, work->cuda_op, &arguments, block_limit);
}

static struct symm_kernel *one_shot_make(const struct symm_work *work, struct symm_kernel *kernel)
{
    return slice_make(work, 0, symm_rooted_is_root(work) ? work->count : 0, work->block_limit,
                      kernel);
}

/*
 * The limit of blocks for a slice of several owners, who load from all others at once.  They are
 * quicker with fewer loads under way: 16 MiB of four H100 take 83 us with 64 blocks and 73 with 32,
 * 64 MiB 244 and 234; 4 MiB 30 and 36; from 128 MiB on it is all one
 * (bench/results/gpu-h100-4-ranks-blocks.txt).
 */
static unsigned slice_blocks(const struct symm_work *work, size_t count)
{
    const size_t least = 2 << 20; /* bytes */
    const unsigned of_large = 32;
    size_t bytes = count * symm_cuda_type_extent((enum symm_cuda_type)work->cuda_type);
    return work->block_limit == 0 && bytes >= least ? of_large : work->block_limit;
}

struct symm_kernel *symm_reduce_two_shot_make(const struct symm_work *work,
                                              struct symm_kernel *kernel)
{
    size_t begin = 0, end = 0;
    if (work->team->size == 2) {
        return one_shot_make(work, kernel);
    }
    if (!symm_rooted_is_root(work)) {
        symm_slice(work->count, symm_cuda_type_extent((enum symm_cuda_type)work->cuda_type),
                   symm_rooted_number(work, work->team->rank), work->team->size - 1, &begin, &end);
    }
    return slice_make(work, begin, end, slice_blocks(work, end - begin), kernel);
}

const struct symm_algorithm_row symm_reduce_cuda_one_shot = {
    .number = SYMM_REDUCE_CUDA_ONE_SHOT,
    .name = "cuda_one_shot",
    .collective = SYMM_REDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUTS,
    .keeps_order = true,
    .step = symm_cuda_kernel_step,
    .make = one_shot_make,
};

const struct symm_algorithm_row symm_reduce_cuda_two_shot = {
    .number = SYMM_REDUCE_CUDA_TWO_SHOT,
    .name = "cuda_two_shot",
    .collective = SYMM_REDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .step = symm_cuda_kernel_step,
    .make = symm_reduce_two_shot_make,
};
