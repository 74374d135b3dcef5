/*
 * kernel.c - kernels that reduce, scan and copy; see kernel.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/cuda/launch/kernel.h"
#include "kernels/cuda/launch/small.h"

enum {
    VECTOR = 16,           /* bytes that a thread moves at a time */
    APART_LEAST = 1 << 20, /* bytes of an own block that takes longer than a few blocks more */
    APART_BLOCKS = 16,     /* copy an own block about as fast as others store to a peer */
};

/* ---- reductions and scans -------------------------------------------------------------------- */

/* Elements with padding are never moved as vectors. */
static uint64_t reduce_units(enum symm_cuda_type type, uint64_t count)
{
    return symm_cuda_type_is_padded(type)
               ? count : (count * symm_cuda_type_extent(type) + VECTOR - 1) / VECTOR;
}

/* The best one there is for this. */
static int reduce_function(enum symm_cuda_type type, enum symm_cuda_op op, int ranks)
{
    const int by_ranks = ranks == 2 ? 0 : ranks == 4 ? 1 : ranks == 8 ? 2 : -1;
    const int by_type = type == SYMM_CUDA_FLOAT      ? 0
                        : type == SYMM_CUDA_HALF     ? 1
                        : type == SYMM_CUDA_BFLOAT16 ? 2
                                                     : -1;
    return op == SYMM_CUDA_SUM && by_ranks >= 0 && by_type >= 0
               ? SYMM_FUNCTION_SUM + by_type * SYMM_SUM_RANKS + by_ranks
               : symm_function(SYMM_FUNCTION_REDUCE, type, op);
}

static bool is_usable(enum symm_cuda_type type, enum symm_cuda_op op,
                      const struct symm_cuda_reduce *arguments)
{
    return symm_device_can_reduce(type, op) && arguments->ranks >= 1 &&
           arguments->ranks <= SYMM_CUDA_RANKS_MAX && arguments->output_count >= 1 &&
           arguments->output_count <= SYMM_CUDA_RANKS_MAX;
}

struct symm_kernel *symm_kernel_reduce(struct symm_kernel *kernel, enum symm_cuda_type type,
                                       enum symm_cuda_op op,
                                       const struct symm_cuda_reduce *arguments,
                                       unsigned block_limit)
{
    const bool is_held = arguments->hold != SYMM_CUDA_NOT_HELD;
    const uint64_t count = arguments->end - arguments->begin;
    if (!is_usable(type, op, arguments)) {
        return symm_kernel_wrong(kernel);
    }
    if (count == 0) {
        return symm_kernel_nothing(kernel);
    }
    uint64_t units = is_held ? 0
                             : symm_small_reduce(type, arguments, block_limit,
                                                 &kernel->arguments.small);
    if (units > 0) {
        return symm_kernel_set(kernel, symm_function(SYMM_FUNCTION_SMALL, type, op),
                               SYMM_KERNEL_FINISH(small), units, block_limit, 0);
    }
    if (is_held && block_limit > SYMM_CUDA_HANDOVER_WORDS) {
        block_limit = SYMM_CUDA_HANDOVER_WORDS; /* each block has to have a word */
    }
    kernel->arguments.reduce = *arguments;
    return symm_kernel_set(kernel, reduce_function(type, op, arguments->ranks),
                           SYMM_KERNEL_FINISH(reduce), reduce_units(type, count), block_limit, 0);
}

struct symm_kernel *symm_kernel_scan(struct symm_kernel *kernel, enum symm_cuda_type type,
                                     enum symm_cuda_op op,
                                     const struct symm_cuda_reduce *arguments,
                                     unsigned block_limit)
{
    const uint64_t count = arguments->end - arguments->begin;
    if (!is_usable(type, op, arguments) || arguments->output_count != arguments->ranks ||
        arguments->hold != SYMM_CUDA_NOT_HELD) {
        return symm_kernel_wrong(kernel);
    }
    if (count == 0) {
        return symm_kernel_nothing(kernel);
    }
    kernel->arguments.reduce = *arguments;
    return symm_kernel_set(kernel, symm_function(SYMM_FUNCTION_SCAN, type, op),
                           SYMM_KERNEL_FINISH(reduce), reduce_units(type, count), block_limit, 0);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copies of little data; false: they are not little. */
static bool is_small_push(struct symm_kernel *kernel, const struct symm_cuda_push *pushes,
                          int count, unsigned block_limit)
{
    uint64_t units = symm_small_push(pushes, count, block_limit, &kernel->arguments.small_pushes);
    if (units > 0) {
        symm_kernel_set(kernel, SYMM_FUNCTION_SMALL_PUSH, SYMM_KERNEL_FINISH(small_pushes), units,
                        block_limit, 0);
    }
    return units > 0;
}

static bool is_small_copy(struct symm_kernel *kernel, const struct symm_cuda_copy *arguments,
                          unsigned block_limit)
{
    struct symm_cuda_push pushes[SYMM_CUDA_SMALL_RANKS];
    if (arguments->output_count > SYMM_CUDA_SMALL_RANKS) {
        return false;
    }
    for (int i = 0; i < arguments->output_count; i++) {
        pushes[i] = (struct symm_cuda_push){arguments->input, arguments->outputs[i],
                                            arguments->bytes};
    }
    return is_small_push(kernel, pushes, arguments->output_count, block_limit);
}

struct symm_kernel *symm_kernel_copy(struct symm_kernel *kernel,
                                     const struct symm_cuda_copy *arguments, unsigned block_limit)
{
    if (arguments->output_count < 0 || arguments->output_count > SYMM_CUDA_RANKS_MAX) {
        return symm_kernel_wrong(kernel);
    }
    if (arguments->bytes == 0 || arguments->output_count == 0) {
        return symm_kernel_nothing(kernel);
    }
    if (is_small_copy(kernel, arguments, block_limit)) {
        return kernel;
    }
    kernel->arguments.copy = *arguments;
    return symm_kernel_set(kernel, SYMM_FUNCTION_COPY, SYMM_KERNEL_FINISH(copy),
                           (arguments->bytes + VECTOR - 1) / VECTOR, block_limit, 0);
}

uint64_t symm_push_bytes_most(const struct symm_cuda_push *pushes, int count)
{
    uint64_t most = 0;
    for (int i = 0; i < count; i++) {
        most = pushes[i].bytes > most ? pushes[i].bytes : most;
    }
    return most;
}

/*
 * How many of the kernel's blocks copy the last of `count` blocks and nothing else.  They come on
 * top of the others where there is no limit.  Within a limit they get the last block's share.
 */
static unsigned apart_choose(const struct symm_cuda_push *pushes, int count, unsigned *block_limit)
{
    uint64_t own = pushes[count - 1].bytes, others = 0;
    for (int i = 0; i < count - 1; i++) {
        others += pushes[i].bytes;
    }
    if (own < APART_LEAST || own > others) { /* a longer one wants all blocks in the end */
        return 0;
    }
    if (*block_limit == 0) {
        *block_limit = SYMM_DEVICE_BLOCKS + APART_BLOCKS;
    }
    unsigned share = *block_limit / (unsigned)count;
    return share < APART_BLOCKS ? share : APART_BLOCKS;
}

struct symm_kernel *symm_kernel_push(struct symm_kernel *kernel,
                                     const struct symm_cuda_push *pushes, int count, bool own_last,
                                     unsigned block_limit)
{
    if (count < 0 || count > SYMM_CUDA_RANKS_MAX) {
        return symm_kernel_wrong(kernel);
    }
    const uint64_t most = symm_push_bytes_most(pushes, count);
    if (most == 0) {
        return symm_kernel_nothing(kernel);
    }
    if (is_small_push(kernel, pushes, count, block_limit)) {
        return kernel;
    }
    const unsigned apart = own_last ? apart_choose(pushes, count, &block_limit) : 0;
    struct symm_cuda_pushes *all = &kernel->arguments.pushes;
    *all = (struct symm_cuda_pushes){.count = count};
    memcpy(all->pushes, pushes, (size_t)count * sizeof(*pushes));
    all->apart = (uint64_t)apart * SYMM_CUDA_BLOCK_THREADS;
    return symm_kernel_set(kernel, SYMM_FUNCTION_PUSH, SYMM_KERNEL_FINISH(pushes),
                           (most + VECTOR - 1) / VECTOR + all->apart, block_limit, 0);
}

struct symm_kernel *symm_kernel_beside(struct symm_kernel *kernel,
                                       const struct symm_cuda_push *pushes, int count,
                                       unsigned block_limit)
{
    symm_kernel_push(kernel, pushes, count, false, block_limit);
    kernel->beside = true;
    return kernel;
}
