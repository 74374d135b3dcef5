/*
 * cuda_reference.c - see cuda_reference.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/cuda_reference.h"

#include <math.h>
#include <string.h>

struct float_int { float value; int index; };
struct double_int { double value; int index; };
struct long_int { long value; int index; };
struct int_int { int value; int index; };
struct short_int { short value; int index; };

#define PLAIN(text, family, scalar, type) {text, {family, scalar, 0, sizeof(type), 0}}
#define COMPLEX(text, scalar, type) \
    {text, {FAMILY_COMPLEX, scalar, sizeof(type), 2 * sizeof(type), 0}}
#define PAIR(text, scalar, type)                                                                   \
    {text, {FAMILY_PAIR, scalar, offsetof(struct type, index), sizeof(struct type), SCALAR_INT32}}

const struct cuda_type cuda_types[SYMM_CUDA_TYPE_COUNT] = {
    [SYMM_CUDA_INT8] = PLAIN("int8", FAMILY_INTEGER, SCALAR_INT8, int8_t),
    [SYMM_CUDA_INT16] = PLAIN("int16", FAMILY_INTEGER, SCALAR_INT16, int16_t),
    [SYMM_CUDA_INT32] = PLAIN("int32", FAMILY_INTEGER, SCALAR_INT32, int32_t),
    [SYMM_CUDA_INT64] = PLAIN("int64", FAMILY_INTEGER, SCALAR_INT64, int64_t),
    [SYMM_CUDA_UINT8] = PLAIN("uint8", FAMILY_INTEGER, SCALAR_UINT8, uint8_t),
    [SYMM_CUDA_UINT16] = PLAIN("uint16", FAMILY_INTEGER, SCALAR_UINT16, uint16_t),
    [SYMM_CUDA_UINT32] = PLAIN("uint32", FAMILY_INTEGER, SCALAR_UINT32, uint32_t),
    [SYMM_CUDA_UINT64] = PLAIN("uint64", FAMILY_INTEGER, SCALAR_UINT64, uint64_t),
    [SYMM_CUDA_FLOAT] = PLAIN("float", FAMILY_REAL, SCALAR_FLOAT, float),
    [SYMM_CUDA_DOUBLE] = PLAIN("double", FAMILY_REAL, SCALAR_DOUBLE, double),
    [SYMM_CUDA_HALF] = PLAIN("half", FAMILY_REAL, SCALAR_HALF, uint16_t),
    [SYMM_CUDA_BFLOAT16] = PLAIN("bfloat16", FAMILY_REAL, SCALAR_BFLOAT16, uint16_t),
    [SYMM_CUDA_FLOAT_COMPLEX] = COMPLEX("float_complex", SCALAR_FLOAT, float),
    [SYMM_CUDA_DOUBLE_COMPLEX] = COMPLEX("double_complex", SCALAR_DOUBLE, double),
    [SYMM_CUDA_BOOL] = PLAIN("bool", FAMILY_BOOL, SCALAR_BOOL, uint8_t),
    [SYMM_CUDA_BYTE] = PLAIN("byte", FAMILY_BYTE, SCALAR_UINT8, uint8_t),
    [SYMM_CUDA_FLOAT_INT] = PAIR("float_int", SCALAR_FLOAT, float_int),
    [SYMM_CUDA_DOUBLE_INT] = PAIR("double_int", SCALAR_DOUBLE, double_int),
    [SYMM_CUDA_LONG_INT] = PAIR("long_int", SCALAR_INT64, long_int),
    [SYMM_CUDA_2INT] = PAIR("2int", SCALAR_INT32, int_int),
    [SYMM_CUDA_SHORT_INT] = PAIR("short_int", SCALAR_INT16, short_int),
};

/* The reference has the same operations in the same order. */
_Static_assert((int)SYMM_CUDA_SUM == OP_SUM && (int)SYMM_CUDA_MAX == OP_MAX &&
               (int)SYMM_CUDA_LXOR == OP_LXOR && (int)SYMM_CUDA_BXOR == OP_BXOR &&
               (int)SYMM_CUDA_MAXLOC == OP_MAXLOC && (int)SYMM_CUDA_OP_COUNT == OPS,
               "operations of the reference");

const char *cuda_op_name(enum symm_cuda_op op)
{
    return test_op_name((enum test_op)op);
}

bool cuda_op_is_allowed(enum symm_cuda_type type, enum symm_cuda_op op)
{
    return test_op_is_allowed((enum test_op)op, &cuda_types[type].form);
}

enum symm_cuda_type cuda_kernel_type(enum symm_cuda_type type, enum symm_cuda_op op)
{
    if (type == SYMM_CUDA_BOOL || type == SYMM_CUDA_BYTE) {
        return SYMM_CUDA_UINT8;
    }
    if (type <= SYMM_CUDA_INT64 && op != SYMM_CUDA_MIN && op != SYMM_CUDA_MAX) {
        return (enum symm_cuda_type)(type + (SYMM_CUDA_UINT8 - SYMM_CUDA_INT8));
    }
    return type;
}

void cuda_reference(enum symm_cuda_type type, enum symm_cuda_op op, int ranks,
                    const void *const *elements, void *result)
{
    test_reduce(&cuda_types[type].form, (enum test_op)op, ranks, elements, result);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Bits of any number, of one between 1/4 and 4, or of a special one. */
static uint64_t floating_draw(struct unit_random *random, int fraction_bits, int exponent_bits)
{
    uint64_t sign = (uint64_t)1 << (fraction_bits + exponent_bits);
    uint64_t unit = (uint64_t)1 << fraction_bits, most = ((uint64_t)1 << exponent_bits) - 1;
    uint64_t any = unit_random_next(random), sign_drawn = any & sign, fraction = any & (unit - 1);
    switch (unit_random_below(random, 16)) {
    case 0:
        return sign_drawn;                                    /* a zero */
    case 1:
        return sign_drawn | most * unit;                      /* infinite */
    case 2:
        return sign_drawn | most * unit | fraction | 1;       /* NaN */
    case 3:
        return sign_drawn | fraction;                         /* subnormal */
    case 4:
        return any & (2 * sign - 1);
    default:
        return sign_drawn | (most / 2 - 2 + any % 3) * unit | fraction;
    }
}

void cuda_element_draw(enum symm_cuda_type type, struct unit_random *random, void *element)
{
    uint64_t words[2] = {unit_random_next(random), unit_random_next(random)};
    uint32_t halves[2];
    int index = (int)unit_random_below(random, 5);
    switch (type) {
    case SYMM_CUDA_FLOAT:
    case SYMM_CUDA_FLOAT_INT:
    case SYMM_CUDA_FLOAT_COMPLEX:
        halves[0] = (uint32_t)floating_draw(random, 23, 8);
        halves[1] = (uint32_t)floating_draw(random, 23, 8);
        memcpy(words, halves, sizeof(halves));
        break;
    case SYMM_CUDA_DOUBLE:
    case SYMM_CUDA_DOUBLE_INT:
    case SYMM_CUDA_DOUBLE_COMPLEX:
        words[0] = floating_draw(random, 52, 11);
        words[1] = floating_draw(random, 52, 11);
        break;
    case SYMM_CUDA_HALF:
        words[0] = floating_draw(random, 10, 5);
        break;
    case SYMM_CUDA_BFLOAT16:
        words[0] = floating_draw(random, 7, 8);
        break;
    case SYMM_CUDA_BOOL:
        words[0] = unit_random_below(random, 2);
        break;
    default: /* small ones are often equal or 0, large ones overflow */
        if (unit_random_below(random, 2) == 0) {
            words[0] = unit_random_below(random, 4) - 1;
        }
        break;
    }
    const struct test_form *form = &cuda_types[type].form;
    bool is_pair = form->family == FAMILY_PAIR;
    memcpy(element, words, is_pair ? test_scalar_size(form->scalar) : form->extent);
    if (is_pair) {
        memcpy((unsigned char *)element + form->second, &index, sizeof(index));
    }
}

static bool is_same_scalar(enum test_scalar scalar, bool is_computed, const void *a, const void *b)
{
    struct test_form form = {.family = FAMILY_REAL, .scalar = scalar};
    return memcmp(a, b, test_scalar_size(scalar)) == 0 ||
           (is_computed && scalar >= SCALAR_FLOAT && isnan(test_value_load(&form, a).real) &&
            isnan(test_value_load(&form, b).real));
}

bool cuda_element_is_same(enum symm_cuda_type type, enum symm_cuda_op op, const void *a,
                          const void *b)
{
    const struct test_form *form = &cuda_types[type].form;
    const unsigned char *x = a, *y = b;
    bool is_computed = (op == SYMM_CUDA_SUM || op == SYMM_CUDA_PROD) &&
                       form->scalar < SCALAR_HALF; /* those have one NaN */
    enum test_scalar second = form->family == FAMILY_PAIR ? form->index : form->scalar;
    return is_same_scalar(form->scalar, is_computed, x, y) &&
           (form->second == 0 ||
            is_same_scalar(second, is_computed, x + form->second, y + form->second));
}

long cuda_reduced_wrong(enum symm_cuda_type type, enum symm_cuda_op op, int ranks,
                        const unsigned char *const *elements, size_t count,
                        const unsigned char *results)
{
    size_t extent = cuda_types[type].form.extent;
    for (size_t i = 0; i < count; i++) {
        const void *sources[SYMM_CUDA_RANKS_MAX];
        unsigned char expected[16];
        for (int rank = 0; rank < ranks; rank++) {
            sources[rank] = elements[rank] + i * extent;
        }
        cuda_reference(type, op, ranks, sources, expected);
        if (!cuda_element_is_same(type, op, results + i * extent, expected)) {
            return (long)i;
        }
    }
    return -1;
}

size_t cuda_shift_draw(enum cuda_placement placement, const struct test_form *form,
                       struct unit_random *random, size_t common)
{
    enum { VECTOR = 16 };
    size_t unit = test_form_unit(form);
    switch (placement) {
    case ALIGNED:
        return 0;
    case SHIFTED_ALIKE:
        return common * unit % VECTOR;
    case SHIFTED:
        return unit_random_below(random, VECTOR) * unit % VECTOR;
    default:
        return unit_random_below(random, VECTOR);
    }
}
