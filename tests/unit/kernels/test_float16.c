/*
 * test_float16.c - binary16 and bfloat16: every number, rounding against a search for the nearest,
 * and the operations against double.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <math.h>
#include <string.h>

#include "kernels/float16.h"
#include "tests/reference/value.h"

struct format {
    enum test_scalar scalar;
    int exponent_bits, fraction_bits;
    float (*to_float)(uint16_t number);
    uint16_t (*from_float)(float value);
};

static const struct format formats[] = {
    {SCALAR_HALF, 5, 10, symm_half_to_float, symm_half_from_float},
    {SCALAR_BFLOAT16, 8, 7, symm_bfloat16_to_float, symm_bfloat16_from_float},
};

static double value_of(const struct format *format, uint16_t number)
{
    return test_float16_decode(format->scalar, number);
}

static bool same_float(double expected, float found)
{
    return isnan(expected) ? isnan(found)
                           : expected == found && !signbit(expected) == !signbit(found);
}

static void test_every_number(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof(formats) / sizeof(*formats); f++) {
        const struct format *format = &formats[f];
        for (uint32_t number = 0; number <= UINT16_MAX; number++) {
            float value = format->to_float((uint16_t)number);
            assert_true(same_float(value_of(format, (uint16_t)number), value));
            uint16_t back = format->from_float(value);
            if (isnan(value)) {
                assert_true(isnan(format->to_float(back)));
            } else {
                assert_int_equal(back, number);
            }
        }
    }
}

/* Numbers of a format and points between, just below and just above the middle of neighbours. */
static void test_rounding(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof(formats) / sizeof(*formats); f++) {
        const struct format *format = &formats[f];
        uint16_t infinity = (uint16_t)(((1 << format->exponent_bits) - 1) << format->fraction_bits);
        for (uint16_t number = 0; number < infinity; number++) {
            double low = value_of(format, number);
            double high = number + 1 == infinity
                              ? 2 * low - value_of(format, (uint16_t)(number - 1))
                              : value_of(format, (uint16_t)(number + 1));
            float middle = (float)((low + high) / 2); /* exact: one bit more */
            uint16_t even = (uint16_t)(number + (number & 1));
            if ((double)middle != (low + high) / 2) {
                continue; /* beyond the range of float */
            }
            assert_int_equal(format->from_float(middle), even);
            assert_int_equal(format->from_float(nextafterf(middle, 0)), number);
            assert_int_equal(format->from_float(nextafterf(middle, INFINITY)), number + 1);
            assert_int_equal(format->from_float(-middle), even | 0x8000);
        }
    }
}

typedef void operation(void *, void *, int *, struct ompi_datatype_t **);

static const struct {
    const struct format *format;
    operation *sum, *product, *least, *greatest;
} operations[] = {
    {&formats[0], symm_half_sum, symm_half_prod, symm_half_min, symm_half_max},
    {&formats[1], symm_bfloat16_sum, symm_bfloat16_prod, symm_bfloat16_min, symm_bfloat16_max},
};

static uint16_t apply(operation *function, uint16_t left, uint16_t right)
{
    int count = 1;
    function(&left, &right, &count, NULL);
    return right;
}

/* Any two numbers, by their bits: infinities, NaNs and subnormal ones are among them. */
static void test_operations(void **state)
{
    struct unit_random random = unit_random_start(1, 0);
    (void)state;
    for (size_t f = 0; f < sizeof(operations) / sizeof(*operations); f++) {
        const struct format *format = operations[f].format;
        for (int i = 0; i < 300000; i++) {
            uint16_t left = (uint16_t)unit_random_next(&random);
            uint16_t right = (uint16_t)unit_random_next(&random);
            double a = value_of(format, left), b = value_of(format, right);
            /* In float the sum is exact or rounded once; the nearest number to that is expected. */
            uint16_t sum = format->from_float((float)(a + b));
            uint16_t product = format->from_float((float)(a * b));
            bool nan = isnan(a) || isnan(b);
            float found = format->to_float(apply(operations[f].sum, left, right));
            assert_true(isnan(a + b) ? isnan(found) : same_float(format->to_float(sum), found));
            found = format->to_float(apply(operations[f].product, left, right));
            assert_true(isnan(a * b) ? isnan(found) : same_float(format->to_float(product), found));
            found = format->to_float(apply(operations[f].least, left, right));
            assert_true(nan ? isnan(found) : found == (a < b ? a : b));
            found = format->to_float(apply(operations[f].greatest, left, right));
            assert_true(nan ? isnan(found) : found == (a > b ? a : b));
        }
    }
}

/* An array, at any alignment that elements of two bytes have. */
static void test_arrays(void **state)
{
    uint16_t left[40], right[40];
    (void)state;
    for (int count = 0; count <= 37; count++) {
        for (int i = 0; i < 40; i++) {
            left[i] = symm_half_from_float((float)i);
            right[i] = symm_half_from_float(0.5F);
        }
        symm_half_sum(left + 1, right + 1, &count, NULL);
        for (int i = 0; i < 40; i++) {
            bool inside = i >= 1 && i < 1 + count;
            assert_true(symm_half_to_float(right[i]) == (inside ? (float)i + 0.5F : 0.5F));
        }
    }
}

UNIT_MAIN("test_float16", 60,
    cmocka_unit_test(test_every_number),
    cmocka_unit_test(test_rounding),
    cmocka_unit_test(test_operations),
    cmocka_unit_test(test_arrays))
