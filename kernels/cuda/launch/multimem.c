/*
 * multimem.c - which kernels of multicast there are, and making them; see multimem.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/multimem.h"

enum { VECTOR = 16 };

#ifdef HAVE_MULTICAST
static const bool is_built = true;
#else
static const bool is_built = false;
#endif

/* ---- what there are instructions for --------------------------------------------------------- */

static bool is_bitwise(enum symm_cuda_op op)
{
    return op == SYMM_CUDA_BAND || op == SYMM_CUDA_BOR || op == SYMM_CUDA_BXOR;
}

static bool is_float(enum symm_cuda_type type)
{
    return type == SYMM_CUDA_FLOAT || type == SYMM_CUDA_DOUBLE || type == SYMM_CUDA_HALF ||
           type == SYMM_CUDA_BFLOAT16;
}

/* Integers of 32 and 64 bits and 16-bit floats have all three, floats of 32 and 64 bits sums. */
static bool is_arithmetic(enum symm_cuda_type type, enum symm_cuda_op op)
{
    switch (type) {
    case SYMM_CUDA_FLOAT:
    case SYMM_CUDA_DOUBLE:
        return op == SYMM_CUDA_SUM;
    case SYMM_CUDA_HALF:
    case SYMM_CUDA_BFLOAT16:
    case SYMM_CUDA_INT32:
    case SYMM_CUDA_UINT32:
    case SYMM_CUDA_INT64:
    case SYMM_CUDA_UINT64:
        return op == SYMM_CUDA_SUM || op == SYMM_CUDA_MIN || op == SYMM_CUDA_MAX;
    default:
        return false;
    }
}

bool symm_multimem_can_reduce(enum symm_cuda_type type, enum symm_cuda_op op, bool one_shot)
{
    return is_built && symm_device_can_reduce(type, op) &&
           (is_bitwise(op) || (is_arithmetic(type, op) && !(one_shot && is_float(type))));
}

static int function_of(enum symm_cuda_type type, enum symm_cuda_op op, bool one_shot)
{
    return symm_function(one_shot ? SYMM_FUNCTION_MULTIMEM_ONE_SHOT : SYMM_FUNCTION_MULTIMEM,
                         is_bitwise(op) ? SYMM_CUDA_BYTE : type, op);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Fewer blocks than other kernels have, because the switch does the work of the other blocks. */
static unsigned most_blocks(unsigned block_limit)
{
    return block_limit != 0 ? block_limit : SYMM_MULTIMEM_BLOCKS;
}

static bool is_count(int count)
{
    return count >= 1 && count <= SYMM_CUDA_RANKS_MAX;
}

struct symm_kernel *symm_kernel_multimem(struct symm_kernel *kernel, enum symm_cuda_type type,
                                         enum symm_cuda_op op,
                                         const struct symm_cuda_multimem *arguments,
                                         unsigned block_limit)
{
    struct symm_cuda_multimem *multimem = &kernel->arguments.multimem;
    const bool one_shot = arguments->output == NULL;
    const size_t extent = symm_cuda_type_extent(type);
    const uint64_t bytes = (arguments->unicast.end - arguments->unicast.begin) * extent;
    if (!symm_multimem_can_reduce(type, op, one_shot) || !is_count(arguments->unicast.ranks) ||
        !is_count(arguments->unicast.output_count) ||
        (one_shot && arguments->unicast.output_count != 1)) {
        return symm_kernel_wrong(kernel);
    }
    if (bytes == 0) {
        return symm_kernel_nothing(kernel);
    }
    *multimem = *arguments;
    if (is_bitwise(op)) { /* elements of these kernels are bytes, whatever the type */
        multimem->unicast.begin *= extent;
        multimem->unicast.end *= extent;
    }
    return symm_kernel_set(kernel, function_of(type, op, one_shot),
                           SYMM_KERNEL_FINISH(multimem), (bytes + VECTOR - 1) / VECTOR,
                           most_blocks(block_limit), 0);
}

struct symm_kernel *symm_kernel_multimem_copy(struct symm_kernel *kernel,
                                              const struct symm_cuda_multimem_copy *arguments,
                                              unsigned block_limit)
{
    if (!is_count(arguments->unicast.output_count)) {
        return symm_kernel_wrong(kernel);
    }
    if (arguments->unicast.bytes == 0) {
        return symm_kernel_nothing(kernel);
    }
    kernel->arguments.multimem_copy = *arguments;
    return symm_kernel_set(kernel, SYMM_FUNCTION_MULTIMEM_COPY, SYMM_KERNEL_FINISH(multimem_copy),
                           (arguments->unicast.bytes + VECTOR - 1) / VECTOR,
                           most_blocks(block_limit), 0);
}
