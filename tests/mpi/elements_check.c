/*
 * The reference: reductions in wide arithmetic, one element at a time, and what counts as equal.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements.h"
#include "elements_value.h"
#include "harness.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHARED_ABOVE = 4096 }; /* elements */

size_t test_scalar_size(enum test_scalar scalar)
{
    static const size_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, sizeof(bool), sizeof(float),
                                   sizeof(double), sizeof(long double)};
    return sizes[scalar];
}

size_t test_element_unit(const struct test_element *element)
{
    size_t value = test_scalar_size(element->scalar);
    size_t index = element->family == FAMILY_PAIR ? test_scalar_size(element->index) : 1;
    return value > index ? value : index;
}

uint64_t test_scalar_wrap(enum test_scalar scalar, uint64_t bits)
{
    unsigned unused = 64 - 8 * (unsigned)test_scalar_size(scalar);
    if (scalar <= SCALAR_INT64) {
        return (uint64_t)((int64_t)(bits << unused) >> unused);
    }
    return bits << unused >> unused;
}

static void store_scalar(enum test_scalar scalar, unsigned char *at, uint64_t integer,
                         long double real)
{
    float f = (float)real;
    double d = (double)real;
    switch (scalar) {
    case SCALAR_FLOAT:
        memcpy(at, &f, sizeof f);
        break;
    case SCALAR_DOUBLE:
        memcpy(at, &d, sizeof d);
        break;
    case SCALAR_LONG_DOUBLE:
        memset(at, 0, sizeof real);
        memcpy(at, &real, LDBL_MANT_DIG == 64 ? 10 : sizeof real);
        break;
    default:
        for (size_t i = 0; i < test_scalar_size(scalar); i++) {
            const uint16_t probe = 1;
            bool little = *(const unsigned char *)&probe == 1;
            size_t place = little ? i : test_scalar_size(scalar) - 1 - i;
            at[place] = (unsigned char)(integer >> 8 * i);
        }
        break;
    }
}

static void load_scalar(enum test_scalar scalar, const unsigned char *at, uint64_t *integer,
                        long double *real)
{
    float f;
    double d;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (test_scalar_size(scalar) | (scalar >= SCALAR_FLOAT ? 256u : 0u)) {
    case sizeof(float) | 256u:
        memcpy(&f, at, sizeof f);
        *real = f;
        return;
    case sizeof(double) | 256u:
        memcpy(&d, at, sizeof d);
        *real = d;
        return;
    case 1:
        memcpy(&u8, at, sizeof u8);
        u64 = u8;
        break;
    case 2:
        memcpy(&u16, at, sizeof u16);
        u64 = u16;
        break;
    case 4:
        memcpy(&u32, at, sizeof u32);
        u64 = u32;
        break;
    case 8:
        memcpy(&u64, at, sizeof u64);
        break;
    default:
        memcpy(real, at, sizeof *real);
        return;
    }
    *integer = test_scalar_wrap(scalar, u64);
}

void test_value_store(const struct test_element *element, unsigned char *at,
                      struct test_value value)
{
    memset(at, 0, element->extent);
    store_scalar(element->scalar, at, value.integer, value.real);
    if (element->family == FAMILY_COMPLEX) {
        store_scalar(element->scalar, at + element->second, 0, value.imaginary);
    } else if (element->family == FAMILY_PAIR) {
        store_scalar(element->index, at + element->second, (uint64_t)value.index, value.index);
    }
}

struct test_value test_value_load(const struct test_element *element, const unsigned char *at)
{
    struct test_value value = {0};
    uint64_t unused, index = 0;
    long double real_index = 0;
    load_scalar(element->scalar, at, &value.integer, &value.real);
    if (element->family == FAMILY_COMPLEX) {
        load_scalar(element->scalar, at + element->second, &unused, &value.imaginary);
    } else if (element->family == FAMILY_PAIR) {
        load_scalar(element->index, at + element->second, &index, &real_index);
        value.index = element->index >= SCALAR_FLOAT ? (int)real_index : (int)index;
    }
    return value;
}

/* Whether a comes before b in the order of the type. */
static bool is_less(const struct test_element *element, struct test_value a, struct test_value b)
{
    if (element->scalar >= SCALAR_FLOAT) {
        return a.real < b.real;
    }
    if (element->scalar <= SCALAR_INT64) {
        return (int64_t)a.integer < (int64_t)b.integer;
    }
    return a.integer < b.integer;
}

static struct test_value pick_pair(const struct test_element *element, struct test_value a,
                                   struct test_value b, bool smallest)
{
    if (is_less(element, a, b)) {
        return smallest ? a : b;
    }
    if (is_less(element, b, a)) {
        return smallest ? b : a;
    }
    return a.index <= b.index ? a : b;
}

static struct test_value sum(struct test_value a, struct test_value b)
{
    return (struct test_value){.integer = a.integer + b.integer,
                               .real = a.real + b.real,
                               .imaginary = a.imaginary + b.imaginary,
                               .magnitude = a.magnitude + b.magnitude};
}

static struct test_value product(struct test_value a, struct test_value b)
{
    return (struct test_value){.integer = a.integer * b.integer,
                               .real = a.real * b.real - a.imaginary * b.imaginary,
                               .imaginary = a.real * b.imaginary + a.imaginary * b.real,
                               .magnitude = a.magnitude * b.magnitude};
}

static struct test_value combine(const struct test_element *element, enum test_op op,
                                 struct test_value a, struct test_value b)
{
    struct test_value bits = {0};
    switch (op) {
    case OP_SUM:
        bits = sum(a, b);
        break;
    case OP_PROD:
        bits = product(a, b);
        break;
    case OP_MIN:
        return is_less(element, b, a) ? b : a;
    case OP_MAX:
        return is_less(element, a, b) ? b : a;
    case OP_LAND:
        bits.integer = a.integer && b.integer;
        break;
    case OP_LOR:
        bits.integer = a.integer || b.integer;
        break;
    case OP_LXOR:
        bits.integer = !a.integer != !b.integer;
        break;
    case OP_BAND:
        bits.integer = a.integer & b.integer;
        break;
    case OP_BOR:
        bits.integer = a.integer | b.integer;
        break;
    case OP_BXOR:
        bits.integer = a.integer ^ b.integer;
        break;
    default:
        return pick_pair(element, a, b, op == OP_MINLOC);
    }
    if (element->scalar < SCALAR_FLOAT) {
        bits.integer = test_scalar_wrap(element->scalar, bits.integer);
    }
    return bits;
}

/* How far a rounded result may be from the reference; 0 asks for equality. */
static long double error_bound(const struct test_element *element, enum test_op op, int ranks,
                               long double magnitude)
{
    static const long double epsilon[] = {FLT_EPSILON, DBL_EPSILON, LDBL_EPSILON};
    if (element->scalar < SCALAR_FLOAT || op > OP_PROD) {
        return 0;
    }
    long double factor = element->family == FAMILY_COMPLEX && op == OP_PROD ? 4.0L : 1.0L;
    return factor * ranks * epsilon[element->scalar - SCALAR_FLOAT] * magnitude;
}

/* A comparison with NaN is false, so a NaN that nobody asked for is an error as well. */
static bool is_expected(const struct test_element *element, struct test_value found,
                        struct test_value expected, long double bound)
{
    if (element->scalar < SCALAR_FLOAT && found.integer != expected.integer) {
        return false;
    }
    return fabsl(found.real - expected.real) <= bound &&
           fabsl(found.imaginary - expected.imaginary) <= bound && found.index == expected.index;
}

static void describe(const struct test_element *element, struct test_value value, char *text,
                     size_t size)
{
    if (element->family == FAMILY_COMPLEX) {
        snprintf(text, size, "%.21Lg%+.21Lgi", value.real, value.imaginary);
    } else if (element->scalar >= SCALAR_FLOAT) {
        snprintf(text, size, "%.21Lg", value.real);
    } else if (element->scalar <= SCALAR_INT64) {
        snprintf(text, size, "%" PRId64, (int64_t)value.integer);
    } else {
        snprintf(text, size, "%" PRIu64, value.integer);
    }
    if (element->family == FAMILY_PAIR) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, " at %d", value.index);
    }
}

static struct test_value reference(const struct test_element *element, enum test_op op,
                                   uint64_t number, int ranks, size_t i)
{
    struct test_value value = {0};
    for (int rank = 0; rank < ranks; rank++) {
        uint64_t stream = test_stream(number, (uint64_t)rank, TEST_STREAM_VALUES);
        struct test_value next = test_value_random(element, op, stream, i, rank, ranks);
        value = rank == 0 ? next : combine(element, op, value, next);
    }
    return value;
}

static bool check_element(const struct test_element *element, enum test_op op, size_t i,
                          struct test_value found, struct test_value expected, int ranks)
{
    if (is_expected(element, found, expected,
                    error_bound(element, op, ranks, expected.magnitude))) {
        return true;
    }
    char want[128];
    char got[128];
    describe(element, expected, want, sizeof want);
    describe(element, found, got, sizeof got);
    test_fail("element %zu: expected %s, found %s", i, want, got);
    return false;
}

/* Whether this rank looks at an element. Long floating-point results are divided between the ranks of
 * the world: a wrong element on any rank either differs from rank 0's, which check_bits sees, or is
 * wrong on the rank that looks at it too. */
static bool is_mine(const struct test_element *element, size_t i, size_t count)
{
    return count <= SHARED_ABOVE || element->scalar < SCALAR_FLOAT ||
           element->family == FAMILY_PAIR || i / 64 % (size_t)test_size == (size_t)test_rank;
}

/* All bits of floating-point results are the same on all ranks. */
static void check_bits(const struct test_element *element, const void *result, size_t count)
{
    size_t size = test_scalar_size(element->scalar);
    size_t used = element->scalar == SCALAR_LONG_DOUBLE && LDBL_MANT_DIG == 64 ? 10 : size;
    if (element->family == FAMILY_REAL || element->family == FAMILY_COMPLEX) {
        test_same_on_all(result, count * (element->extent / size), size, used);
    }
}

/* Exact results without padding are equal in all bytes, or looked at one by one for the report. */
static bool has_bytes(const struct test_element *element, const struct test_value *expected,
                      const unsigned char *at, size_t count)
{
    unsigned char bytes[TEST_PERIOD * sizeof(uint64_t)];
    if (element->scalar >= SCALAR_FLOAT || element->family == FAMILY_PAIR) {
        return false;
    }
    size_t period = TEST_PERIOD * element->extent;
    for (size_t i = 0; i < count && i < TEST_PERIOD; i++) {
        test_value_store(element, bytes + i * element->extent, expected[i]);
    }
    for (size_t left = count * element->extent; left > 0; at += period) {
        size_t length = left < period ? left : period;
        if (memcmp(at, bytes, length) != 0) {
            return false;
        }
        left -= length;
    }
    return true;
}

void test_check_reduction(const struct test_element *element, enum test_op op, uint64_t number,
                          const void *result, size_t count)
{
    struct test_value expected[TEST_PERIOD];
    const unsigned char *at = result;
    for (size_t i = 0; i < count && i < TEST_PERIOD; i++) {
        expected[i] = reference(element, op, number, test_size, i);
    }
    bool good = true;
    bool known = has_bytes(element, expected, result, count);
    for (size_t i = 0; i < count && good && !known; i++) {
        if (is_mine(element, i, count)) {
            good = check_element(element, op, i,
                                 test_value_load(element, at + i * element->extent),
                                 expected[i % TEST_PERIOD], test_size);
        }
    }
    check_bits(element, result, count);
}

bool test_check_one(const struct test_element *element, enum test_op op, uint64_t number, int ranks,
                    size_t i, const void *found)
{
    return check_element(element, op, i, test_value_load(element, found),
                         reference(element, op, number, ranks, i % TEST_PERIOD), ranks);
}

/* What random values can add or multiply up to; test_value_random() has their limits. */
static long double largest_magnitude(const struct test_element *element, enum test_op op, int ranks)
{
    bool is_complex = element->family == FAMILY_COMPLEX;
    if (op == OP_SUM) {
        return 512.0L * ranks * (is_complex ? 2 : 1);
    }
    return powl(is_complex ? 3.0L : 1.5L, ranks);
}

bool test_check_close(const struct test_element *element, enum test_op op, int ranks,
                      const void *result, const void *other, size_t count)
{
    const unsigned char *mine = result;
    const unsigned char *theirs = other;
    long double bound =
        2 * error_bound(element, op, ranks, largest_magnitude(element, op, ranks));
    for (size_t i = 0; i < count; i++, mine += element->extent, theirs += element->extent) {
        struct test_value found = test_value_load(element, mine);
        struct test_value expected = test_value_load(element, theirs);
        if (!is_expected(element, found, expected, bound)) {
            char want[128];
            char got[128];
            describe(element, expected, want, sizeof want);
            describe(element, found, got, sizeof got);
            test_fail("element %zu: the component below says %s, found %s", i, want, got);
            return false;
        }
    }
    return true;
}

void test_element_text(const struct test_element *element, const void *at, char *text, size_t size)
{
    describe(element, test_value_load(element, at), text, size);
}
