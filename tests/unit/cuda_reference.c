/*
 * cuda_reference.c - see cuda_reference.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/cuda_reference.h"

#include <math.h>
#include <string.h>

struct float_int { float value; int index; };
struct double_int { double value; int index; };
struct long_int { long value; int index; };
struct int_int { int value; int index; };
struct short_int { short value; int index; };

#define PLAIN(text, type) {text, sizeof(type), _Alignof(type), sizeof(type), 0}
#define PAIR(text, type) {text, sizeof(struct type), _Alignof(struct type), \
                          sizeof(((struct type *)0)->value), offsetof(struct type, index)}

const struct cuda_type cuda_types[SYMM_CUDA_TYPE_COUNT] = {
    [SYMM_CUDA_INT8] = PLAIN("int8", int8_t),
    [SYMM_CUDA_INT16] = PLAIN("int16", int16_t),
    [SYMM_CUDA_INT32] = PLAIN("int32", int32_t),
    [SYMM_CUDA_INT64] = PLAIN("int64", int64_t),
    [SYMM_CUDA_UINT8] = PLAIN("uint8", uint8_t),
    [SYMM_CUDA_UINT16] = PLAIN("uint16", uint16_t),
    [SYMM_CUDA_UINT32] = PLAIN("uint32", uint32_t),
    [SYMM_CUDA_UINT64] = PLAIN("uint64", uint64_t),
    [SYMM_CUDA_FLOAT] = PLAIN("float", float),
    [SYMM_CUDA_DOUBLE] = PLAIN("double", double),
    [SYMM_CUDA_HALF] = PLAIN("half", uint16_t),
    [SYMM_CUDA_BFLOAT16] = PLAIN("bfloat16", uint16_t),
    [SYMM_CUDA_FLOAT_COMPLEX] = {"float_complex", 8, 4, 8, 0},
    [SYMM_CUDA_DOUBLE_COMPLEX] = {"double_complex", 16, 8, 16, 0},
    [SYMM_CUDA_BOOL] = PLAIN("bool", uint8_t),
    [SYMM_CUDA_BYTE] = PLAIN("byte", uint8_t),
    [SYMM_CUDA_FLOAT_INT] = PAIR("float_int", float_int),
    [SYMM_CUDA_DOUBLE_INT] = PAIR("double_int", double_int),
    [SYMM_CUDA_LONG_INT] = PAIR("long_int", long_int),
    [SYMM_CUDA_2INT] = PAIR("2int", int_int),
    [SYMM_CUDA_SHORT_INT] = PAIR("short_int", short_int),
};

const char *const cuda_ops[SYMM_CUDA_OP_COUNT] = {
    "sum", "prod", "min", "max", "land", "lor", "lxor", "band", "bor", "bxor", "minloc", "maxloc",
};

static bool is_pair(enum symm_cuda_type type)
{
    return cuda_types[type].index_offset != 0;
}

bool cuda_op_is_allowed(enum symm_cuda_type type, enum symm_cuda_op op)
{
    bool is_logical = op >= SYMM_CUDA_LAND && op <= SYMM_CUDA_LXOR;
    bool is_bitwise = op >= SYMM_CUDA_BAND && op <= SYMM_CUDA_BXOR;
    if (is_pair(type) || op >= SYMM_CUDA_MINLOC) {
        return is_pair(type) && op >= SYMM_CUDA_MINLOC;
    }
    switch (type) {
    case SYMM_CUDA_BOOL:
        return is_logical;
    case SYMM_CUDA_BYTE:
        return is_bitwise;
    case SYMM_CUDA_FLOAT_COMPLEX:
    case SYMM_CUDA_DOUBLE_COMPLEX:
        return op <= SYMM_CUDA_PROD;
    case SYMM_CUDA_FLOAT:
    case SYMM_CUDA_DOUBLE:
    case SYMM_CUDA_HALF:
    case SYMM_CUDA_BFLOAT16:
        return op <= SYMM_CUDA_MAX;
    default:
        return true;
    }
}

/* ---- 16-bit floats, by arithmetic ---------------------------------------------------------------- */

static float sixteen_decode(enum symm_cuda_type type, uint16_t bits)
{
    int fraction_bits = type == SYMM_CUDA_HALF ? 10 : 7, bias = type == SYMM_CUDA_HALF ? 15 : 127;
    int most = type == SYMM_CUDA_HALF ? 31 : 255;
    int fraction = bits & ((1 << fraction_bits) - 1), exponent = bits >> fraction_bits & most;
    double size;
    if (exponent == most) {
        size = fraction != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        size = ldexp(fraction, 1 - bias - fraction_bits);
    } else {
        size = ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
    }
    return (float)((bits & 0x8000) != 0 ? -size : size);
}

static uint16_t sixteen_encode(enum symm_cuda_type type, float value)
{
    int fraction_bits = type == SYMM_CUDA_HALF ? 10 : 7, bias = type == SYMM_CUDA_HALF ? 15 : 127;
    unsigned infinite = type == SYMM_CUDA_HALF ? 0x7c00 : 0x7f80;
    unsigned sign = signbit(value) != 0 ? 0x8000 : 0, bits = infinite;
    double size = fabs((double)value);
    if (isnan(value)) {
        return 0x7fff;
    }
    if (size == 0) {
        bits = 0;
    } else if (isfinite(size)) {
        int exponent = ilogb(size) > 1 - bias ? ilogb(size) : 1 - bias;
        double units = nearbyint(ldexp(size, fraction_bits - exponent));
        /* Exponents below the least normal one and fractions that carry come out right by themselves. */
        double all = units + ldexp(exponent + bias - 1, fraction_bits);
        bits = all < infinite ? (unsigned)all : infinite;
    }
    return (uint16_t)(sign | bits);
}

/* ---- operations ------------------------------------------------------------------------------------ */

/* The lowest NaN, or the first of the extreme ones. */
static int extreme(enum symm_cuda_type type, bool is_max, int ranks, const void *const *elements)
{
    int best = 0;
    double value = 0;
    for (int rank = 0; rank < ranks; rank++) {
        float single;
        uint16_t bits;
        double next;
        if (type == SYMM_CUDA_DOUBLE) {
            memcpy(&next, elements[rank], sizeof(next));
        } else if (type == SYMM_CUDA_FLOAT) {
            memcpy(&single, elements[rank], sizeof(single));
            next = (double)single;
        } else {
            memcpy(&bits, elements[rank], sizeof(bits));
            next = (double)sixteen_decode(type, bits);
        }
        if (isnan(next)) {
            return rank;
        }
        if (rank == 0 || (is_max ? next > value : next < value)) {
            best = rank;
            value = next;
        }
    }
    return best;
}

#define INTEGER(name, type)                                                                        \
    static void name(enum symm_cuda_op op, int ranks, const void *const *elements, void *result)   \
    {                                                                                              \
        type all, next;                                                                            \
        memcpy(&all, elements[0], sizeof(all));                                                    \
        for (int rank = 1; rank < ranks; rank++) {                                                 \
            memcpy(&next, elements[rank], sizeof(next));                                           \
            switch ((int)op) {                                                                     \
            case SYMM_CUDA_SUM: all = (type)((uint64_t)all + (uint64_t)next); break;               \
            case SYMM_CUDA_PROD: all = (type)((uint64_t)all * (uint64_t)next); break;              \
            case SYMM_CUDA_MIN: all = next < all ? next : all; break;                              \
            case SYMM_CUDA_MAX: all = next > all ? next : all; break;                              \
            case SYMM_CUDA_LAND: all = (type)(all && next); break;                                 \
            case SYMM_CUDA_LOR: all = (type)(all || next); break;                                  \
            case SYMM_CUDA_LXOR: all = (type)(!all != !next); break;                               \
            case SYMM_CUDA_BAND: all = (type)(all & next); break;                                  \
            case SYMM_CUDA_BOR: all = (type)(all | next); break;                                   \
            case SYMM_CUDA_BXOR: all = (type)(all ^ next); break;                                  \
            }                                                                                      \
        }                                                                                          \
        memcpy(result, &all, sizeof(all));                                                         \
    }

INTEGER(reduce_int8, int8_t)
INTEGER(reduce_int16, int16_t)
INTEGER(reduce_int32, int32_t)
INTEGER(reduce_int64, int64_t)
INTEGER(reduce_uint8, uint8_t)
INTEGER(reduce_uint16, uint16_t)
INTEGER(reduce_uint32, uint32_t)
INTEGER(reduce_uint64, uint64_t)

/* Sums and products: `parts` is 2 for complex numbers. */
#define FLOATING(name, type)                                                                       \
    static void name(enum symm_cuda_op op, int parts, int ranks, const void *const *elements,      \
                     void *result)                                                                 \
    {                                                                                              \
        type all[2] = {0, 0}, next[2] = {0, 0};                                                    \
        memcpy(all, elements[0], (size_t)parts * sizeof(type));                                    \
        for (int rank = 1; rank < ranks; rank++) {                                                 \
            memcpy(next, elements[rank], (size_t)parts * sizeof(type));                            \
            if (op == SYMM_CUDA_SUM) {                                                             \
                all[0] += next[0];                                                                 \
                all[1] += next[1];                                                                 \
            } else if (parts == 1) {                                                               \
                all[0] *= next[0];                                                                 \
            } else {                                                                               \
                type real = all[0] * next[0] - all[1] * next[1];                                   \
                all[1] = all[0] * next[1] + all[1] * next[0];                                      \
                all[0] = real;                                                                     \
            }                                                                                      \
        }                                                                                          \
        memcpy(result, all, (size_t)parts * sizeof(type));                                         \
    }

FLOATING(accumulate_float, float)
FLOATING(accumulate_double, double)

static void accumulate_sixteen(enum symm_cuda_type type, enum symm_cuda_op op, int ranks,
                               const void *const *elements, void *result)
{
    float all = 0;
    for (int rank = 0; rank < ranks; rank++) {
        uint16_t bits;
        memcpy(&bits, elements[rank], sizeof(bits));
        float next = sixteen_decode(type, bits);
        all = rank == 0 ? next : op == SYMM_CUDA_SUM ? all + next : all * next;
    }
    uint16_t bits = sixteen_encode(type, all);
    memcpy(result, &bits, sizeof(bits));
}

#define LOCATION(name, type)                                                                       \
    static int name(bool is_max, int ranks, const void *const *elements)                           \
    {                                                                                              \
        int best = 0;                                                                              \
        struct type all, next;                                                                     \
        memcpy(&all, elements[0], sizeof(all));                                                    \
        for (int rank = 1; rank < ranks; rank++) {                                                 \
            memcpy(&next, elements[rank], sizeof(next));                                           \
            bool is_nan = next.value != next.value && all.value == all.value;                      \
            bool is_lower = next.value == all.value && next.index < all.index;                     \
            if (is_nan || is_lower ||                                                              \
                (is_max ? next.value > all.value : next.value < all.value)) {                      \
                best = rank;                                                                       \
                all = next;                                                                        \
            }                                                                                      \
        }                                                                                          \
        return best;                                                                               \
    }

LOCATION(locate_float_int, float_int)
LOCATION(locate_double_int, double_int)
LOCATION(locate_long_int, long_int)
LOCATION(locate_int_int, int_int)
LOCATION(locate_short_int, short_int)

static void element_copy(enum symm_cuda_type type, void *to, const void *from)
{
    size_t index = cuda_types[type].index_offset;
    memcpy(to, from, cuda_types[type].used);
    if (index != 0) {
        memcpy((unsigned char *)to + index, (const unsigned char *)from + index, sizeof(int));
    }
}

void cuda_reference(enum symm_cuda_type type, enum symm_cuda_op op, int ranks,
                    const void *const *elements, void *result)
{
    bool is_max = op == SYMM_CUDA_MAX || op == SYMM_CUDA_MAXLOC;
    int best;
    switch (type) {
    case SYMM_CUDA_INT8: reduce_int8(op, ranks, elements, result); return;
    case SYMM_CUDA_INT16: reduce_int16(op, ranks, elements, result); return;
    case SYMM_CUDA_INT32: reduce_int32(op, ranks, elements, result); return;
    case SYMM_CUDA_INT64: reduce_int64(op, ranks, elements, result); return;
    case SYMM_CUDA_BOOL:
    case SYMM_CUDA_BYTE:
    case SYMM_CUDA_UINT8: reduce_uint8(op, ranks, elements, result); return;
    case SYMM_CUDA_UINT16: reduce_uint16(op, ranks, elements, result); return;
    case SYMM_CUDA_UINT32: reduce_uint32(op, ranks, elements, result); return;
    case SYMM_CUDA_UINT64: reduce_uint64(op, ranks, elements, result); return;
    case SYMM_CUDA_FLOAT_COMPLEX: accumulate_float(op, 2, ranks, elements, result); return;
    case SYMM_CUDA_DOUBLE_COMPLEX: accumulate_double(op, 2, ranks, elements, result); return;
    case SYMM_CUDA_FLOAT:
    case SYMM_CUDA_DOUBLE:
    case SYMM_CUDA_HALF:
    case SYMM_CUDA_BFLOAT16:
        if (op == SYMM_CUDA_MIN || op == SYMM_CUDA_MAX) {
            best = extreme(type, is_max, ranks, elements);
            break;
        }
        if (type == SYMM_CUDA_FLOAT) {
            accumulate_float(op, 1, ranks, elements, result);
        } else if (type == SYMM_CUDA_DOUBLE) {
            accumulate_double(op, 1, ranks, elements, result);
        } else {
            accumulate_sixteen(type, op, ranks, elements, result);
        }
        return;
    case SYMM_CUDA_FLOAT_INT: best = locate_float_int(is_max, ranks, elements); break;
    case SYMM_CUDA_DOUBLE_INT: best = locate_double_int(is_max, ranks, elements); break;
    case SYMM_CUDA_LONG_INT: best = locate_long_int(is_max, ranks, elements); break;
    case SYMM_CUDA_2INT: best = locate_int_int(is_max, ranks, elements); break;
    case SYMM_CUDA_SHORT_INT: best = locate_short_int(is_max, ranks, elements); break;
    default: return;
    }
    element_copy(type, result, elements[best]);
}

/* ---- elements -------------------------------------------------------------------------------------- */

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
    memcpy(element, words, cuda_types[type].used);
    if (is_pair(type)) {
        memcpy((unsigned char *)element + cuda_types[type].index_offset, &index, sizeof(index));
    }
}

static bool is_same_float(const void *a, const void *b)
{
    float x, y;
    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return memcmp(a, b, sizeof(x)) == 0 || (isnan(x) && isnan(y));
}

static bool is_same_double(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return memcmp(a, b, sizeof(x)) == 0 || (isnan(x) && isnan(y));
}

bool cuda_element_is_same(enum symm_cuda_type type, enum symm_cuda_op op, const void *a,
                          const void *b)
{
    const unsigned char *x = a, *y = b;
    size_t index = cuda_types[type].index_offset;
    if (op == SYMM_CUDA_SUM || op == SYMM_CUDA_PROD) {
        switch (type) {
        case SYMM_CUDA_FLOAT:
            return is_same_float(a, b);
        case SYMM_CUDA_DOUBLE:
            return is_same_double(a, b);
        case SYMM_CUDA_FLOAT_COMPLEX:
            return is_same_float(x, y) && is_same_float(x + 4, y + 4);
        case SYMM_CUDA_DOUBLE_COMPLEX:
            return is_same_double(x, y) && is_same_double(x + 8, y + 8);
        default:
            break;
        }
    }
    return memcmp(a, b, cuda_types[type].used) == 0 &&
           (index == 0 || memcmp(x + index, y + index, sizeof(int)) == 0);
}
