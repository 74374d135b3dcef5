/*
 * functions.h - the functions of kernels by numbers, which are the same for all devices.
 *
 * A kernel that is made (kernel.h) has a number.  What the number stands for is looked up when the
 * kernel is started, since functions are loaded anew where a device has been reset.  No header of
 * CUDA is needed to have a number; functions_table.h has the tables.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_FUNCTIONS_H
#define SYMM_KERNELS_CUDA_LAUNCH_FUNCTIONS_H

#include "kernels/cuda/device_code/stream_arguments.h"
#include "kernels/cuda/launch/device.h"

enum { SYMM_FUNCTIONS_BY_TYPE = SYMM_CUDA_TYPE_COUNT * SYMM_CUDA_OP_COUNT };

/* Sums of FLOAT, HALF and BFLOAT16 from 2, 4 and 8 ranks have functions of their own. */
enum { SYMM_SUM_TYPES = 3, SYMM_SUM_RANKS = 3 };

/* The functions of a device.  The first ones are one for each type and operation. */
enum symm_function {
    SYMM_FUNCTION_NONE = -1,
    SYMM_FUNCTION_REDUCE = 0,
    SYMM_FUNCTION_SCAN = 1 * SYMM_FUNCTIONS_BY_TYPE,
    SYMM_FUNCTION_SMALL = 2 * SYMM_FUNCTIONS_BY_TYPE,
    SYMM_FUNCTION_PACKETS = 3 * SYMM_FUNCTIONS_BY_TYPE,
    SYMM_FUNCTION_FEW_PACKETS = 4 * SYMM_FUNCTIONS_BY_TYPE,
    SYMM_FUNCTION_RING = 5 * SYMM_FUNCTIONS_BY_TYPE,
    SYMM_FUNCTION_MULTIMEM = 6 * SYMM_FUNCTIONS_BY_TYPE,
    SYMM_FUNCTION_MULTIMEM_ONE_SHOT = 7 * SYMM_FUNCTIONS_BY_TYPE,
    SYMM_FUNCTION_SUM = 8 * SYMM_FUNCTIONS_BY_TYPE,
    SYMM_FUNCTION_COPY = SYMM_FUNCTION_SUM + SYMM_SUM_TYPES * SYMM_SUM_RANKS,
    SYMM_FUNCTION_PUSH,
    SYMM_FUNCTION_NESTS,
    SYMM_FUNCTION_FEW_NESTS,
    SYMM_FUNCTION_EXCHANGE,
    SYMM_FUNCTION_FEW_EXCHANGE,
    SYMM_FUNCTION_SMALL_PUSH,
    SYMM_FUNCTION_PACKETS_COPY,
    SYMM_FUNCTION_FEW_PACKETS_COPY,
    SYMM_FUNCTION_MULTIMEM_COPY,
    SYMM_FUNCTION_COUNT
};

/* The functions of stream lanes are numbered by themselves: each form has one for each type and
 * operation, and four others. */
enum symm_stream_function {
    SYMM_STREAM_FUNCTION_ANY_8 = SYMM_FUNCTIONS_BY_TYPE, /* elements of up to eight bytes */
    SYMM_STREAM_FUNCTION_ANY_16,
    SYMM_STREAM_FUNCTION_COPY,
    SYMM_STREAM_FUNCTION_COPY_ANY,
    SYMM_STREAM_FUNCTIONS_OF_FORM,
    SYMM_STREAM_FUNCTION_COUNT = SYMM_STREAM_FORM_COUNT * SYMM_STREAM_FUNCTIONS_OF_FORM
};

/* The one of `first` for this type and operation. */
static inline int symm_function(int first, enum symm_cuda_type type, enum symm_cuda_op op)
{
    return first + (int)symm_cuda_kernel_type(type, op) * SYMM_CUDA_OP_COUNT + (int)op;
}

#endif /* SYMM_KERNELS_CUDA_LAUNCH_FUNCTIONS_H */
