/*
 * types.c - which types and operations there are kernels for; no driver is needed to know.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/device.h"

/* What MPI allows, as sets of operations. */
#define BIT(op) (1u << SYMM_CUDA_##op)
enum {
    ARITHMETIC = BIT(SUM) | BIT(PROD),
    ORDER = BIT(MIN) | BIT(MAX),
    LOGICAL = BIT(LAND) | BIT(LOR) | BIT(LXOR),
    BITWISE = BIT(BAND) | BIT(BOR) | BIT(BXOR),
    LOCATION = BIT(MINLOC) | BIT(MAXLOC),
    INTEGER = ARITHMETIC | ORDER | LOGICAL | BITWISE,
    FLOATING = ARITHMETIC | ORDER,
};

static const struct {
    unsigned operations;
    unsigned extent;
} types[SYMM_CUDA_TYPE_COUNT] = {
    [SYMM_CUDA_INT8] = {INTEGER, 1},
    [SYMM_CUDA_INT16] = {INTEGER, 2},
    [SYMM_CUDA_INT32] = {INTEGER, 4},
    [SYMM_CUDA_INT64] = {INTEGER, 8},
    [SYMM_CUDA_UINT8] = {INTEGER, 1},
    [SYMM_CUDA_UINT16] = {INTEGER, 2},
    [SYMM_CUDA_UINT32] = {INTEGER, 4},
    [SYMM_CUDA_UINT64] = {INTEGER, 8},
    [SYMM_CUDA_FLOAT] = {FLOATING, 4},
    [SYMM_CUDA_DOUBLE] = {FLOATING, 8},
    [SYMM_CUDA_HALF] = {FLOATING, 2},
    [SYMM_CUDA_BFLOAT16] = {FLOATING, 2},
    [SYMM_CUDA_FLOAT_COMPLEX] = {ARITHMETIC, 8},
    [SYMM_CUDA_DOUBLE_COMPLEX] = {ARITHMETIC, 16},
    [SYMM_CUDA_BOOL] = {LOGICAL, 1},
    [SYMM_CUDA_BYTE] = {BITWISE, 1},
    [SYMM_CUDA_FLOAT_INT] = {LOCATION, 8},
    [SYMM_CUDA_DOUBLE_INT] = {LOCATION, 16},
    [SYMM_CUDA_LONG_INT] = {LOCATION, 16},
    [SYMM_CUDA_2INT] = {LOCATION, 8},
    [SYMM_CUDA_SHORT_INT] = {LOCATION, 8},
};

static bool is_type(enum symm_cuda_type type)
{
    return (unsigned)type < SYMM_CUDA_TYPE_COUNT;
}

bool symm_device_can_reduce(enum symm_cuda_type type, enum symm_cuda_op op)
{
    return is_type(type) && (unsigned)op < SYMM_CUDA_OP_COUNT &&
           (types[type].operations >> op & 1) != 0;
}

bool symm_device_can_ring(enum symm_cuda_type type, enum symm_cuda_op op)
{
    bool is_word = type == SYMM_CUDA_INT32 || type == SYMM_CUDA_INT64 ||
                   type == SYMM_CUDA_UINT32 || type == SYMM_CUDA_UINT64 ||
                   type == SYMM_CUDA_FLOAT || type == SYMM_CUDA_DOUBLE;
    return is_word && (unsigned)op < SYMM_CUDA_OP_COUNT && (FLOATING >> op & 1) != 0;
}

enum symm_cuda_type symm_cuda_kernel_type(enum symm_cuda_type type, enum symm_cuda_op op)
{
    if (type == SYMM_CUDA_BOOL || type == SYMM_CUDA_BYTE) {
        return SYMM_CUDA_UINT8;
    }
    if (op == SYMM_CUDA_MIN || op == SYMM_CUDA_MAX) {
        return type;
    }
    switch (type) {
    case SYMM_CUDA_INT8:
        return SYMM_CUDA_UINT8;
    case SYMM_CUDA_INT16:
        return SYMM_CUDA_UINT16;
    case SYMM_CUDA_INT32:
        return SYMM_CUDA_UINT32;
    case SYMM_CUDA_INT64:
        return SYMM_CUDA_UINT64;
    default:
        return type;
    }
}

size_t symm_cuda_type_padding(enum symm_cuda_type type)
{
    return type == SYMM_CUDA_DOUBLE_INT || type == SYMM_CUDA_LONG_INT ? 4 : 0;
}

size_t symm_cuda_type_extent(enum symm_cuda_type type)
{
    return is_type(type) ? types[type].extent : 0;
}

bool symm_cuda_type_is_padded(enum symm_cuda_type type)
{
    return type == SYMM_CUDA_DOUBLE_INT || type == SYMM_CUDA_LONG_INT ||
           type == SYMM_CUDA_SHORT_INT;
}
