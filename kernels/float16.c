/*
 * float16.c - reductions of 16-bit floats on this processor: symm.h has the functions for
 * MPI_Op_create().
 *
 * Every operation converts to float, computes there and rounds to nearest, ties to even.  A float
 * has more bits than both formats need: 24 bits are at least twice 11 plus two.  So a sum or
 * product of two numbers is rounded as if only once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "kernels/float16.h"

/* ---- formats --------------------------------------------------------------------------------- */

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.  float: 1, 8 (bias 127), 23. */
float symm_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00) { /* infinity or NaN */
        return float_of_bits(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    }
    if (magnitude >= 0x400) {
        return float_of_bits(sign | ((magnitude << 13) + ((127 - 15) << 23)));
    }
    float value = (float)magnitude * 0x1p-24F; /* subnormal or zero: a multiple of the least one */
    return sign != 0 ? -value : value;
}

/* `bits` without its lowest `count` ones, rounded to nearest, ties to even. */
static uint32_t shift_rounded(uint32_t bits, unsigned count)
{
    uint32_t half = UINT32_C(1) << (count - 1);
    return (bits + half - 1 + (bits >> count & 1)) >> count;
}

uint16_t symm_half_from_float(float value)
{
    uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    uint32_t result;
    if (magnitude > 0x7f800000) {
        result = 0x7e00; /* a quiet NaN; nothing specifies which one */
    } else if (magnitude >= 0x47800000) {
        result = 0x7c00; /* 65536 and more */
    } else if (magnitude >= 0x38800000) {
        result = shift_rounded(magnitude - ((127 - 15) << 23), 13); /* may round up to infinity */
    } else if (magnitude >= 0x33000000) { /* subnormal in binary16, from half of the least one on */
        unsigned shift = 126 - (magnitude >> 23);
        result = shift_rounded((magnitude & 0x7fffff) | 0x800000, shift);
    } else {
        result = 0;
    }
    return (uint16_t)(sign | result);
}

/* bfloat16: the upper half of a float. */
float symm_bfloat16_to_float(uint16_t number)
{
    return float_of_bits((uint32_t)number << 16);
}

uint16_t symm_bfloat16_from_float(float value)
{
    uint32_t bits = bits_of_float(value);
    if ((bits & 0x7fffffff) > 0x7f800000) {
        return (uint16_t)((bits >> 16 & 0x8000) | 0x7fc0);
    }
    return (uint16_t)shift_rounded(bits, 16);
}

/* ---- operations ------------------------------------------------------------------------------ */

static float sum(float left, float right)
{
    return left + right;
}

static float product(float left, float right)
{
    return left * right;
}

/* A NaN wins from either side, so all ranks get the same answer in any order of operands. */
static float least(float left, float right)
{
    return left < right || left != left ? left : right;
}

static float greatest(float left, float right)
{
    return left > right || left != left ? left : right;
}

static _Thread_local struct symm_float16_asked *answer;

void symm_float16_ask(struct symm_float16_asked *asked)
{
    answer = asked;
}

static bool is_asked(bool is_bfloat16, enum symm_float16_operation operation)
{
    if (answer != NULL) {
        *answer = (struct symm_float16_asked){true, is_bfloat16, operation};
    }
    return answer != NULL;
}

/* inout[i] = in[i] op inout[i], as MPI_Op_create() has it. */
#define DEFINE_OPERATION(format, name, function, ...)                                             \
    void symm_##format##_##name(void *in, void *inout, int *count,                                \
                                struct ompi_datatype_t **datatype)                                \
    {                                                                                             \
        const uint16_t *left = in;                                                                \
        uint16_t *right = inout;                                                                  \
        (void)datatype;                                                                           \
        if (is_asked(__VA_ARGS__)) {                                                              \
            return;                                                                               \
        }                                                                                         \
        for (int i = 0; i < *count; i++) {                                                        \
            right[i] = symm_##format##_from_float(function(symm_##format##_to_float(left[i]),     \
                                                           symm_##format##_to_float(right[i])));  \
        }                                                                                         \
    }

DEFINE_OPERATION(half, sum, sum, false, SYMM_FLOAT16_SUM)
DEFINE_OPERATION(half, prod, product, false, SYMM_FLOAT16_PROD)
DEFINE_OPERATION(half, min, least, false, SYMM_FLOAT16_MIN)
DEFINE_OPERATION(half, max, greatest, false, SYMM_FLOAT16_MAX)
DEFINE_OPERATION(bfloat16, sum, sum, true, SYMM_FLOAT16_SUM)
DEFINE_OPERATION(bfloat16, prod, product, true, SYMM_FLOAT16_PROD)
DEFINE_OPERATION(bfloat16, min, least, true, SYMM_FLOAT16_MIN)
DEFINE_OPERATION(bfloat16, max, greatest, true, SYMM_FLOAT16_MAX)
