/*
 * Results against the reference, one element at a time, and what counts as equal.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/elements.h"
#include "tests/harness/elements_value.h"
#include "tests/harness/harness.h"

#include <math.h>
#include <string.h>

enum { SHARED_ABOVE = 4096 }; /* elements */

/* A comparison with NaN is false, so a NaN that nobody asked for is an error as well. */
static bool is_expected(const struct test_element *element, struct test_value found,
                        struct test_value expected, long double bound)
{
    if (element->form.scalar < SCALAR_FLOAT && found.integer != expected.integer) {
        return false;
    }
    return fabsl(found.real - expected.real) <= bound &&
           fabsl(found.imaginary - expected.imaginary) <= bound && found.index == expected.index;
}

/* The reduction of what the first `length` of so many ranks have generated. */
static struct test_value prefix(const struct test_element *element, enum test_op op,
                                uint64_t number, int ranks, int length, size_t i)
{
    struct test_value value = {0};
    for (int rank = 0; rank < length; rank++) {
        uint64_t stream = test_stream(number, (uint64_t)rank, TEST_STREAM_VALUES);
        struct test_value next = test_value_random(element, op, stream, i, rank, ranks);
        value = rank == 0 ? next : test_value_combine(&element->form, op, value, next);
    }
    return value;
}

static struct test_value reference(const struct test_element *element, enum test_op op,
                                   uint64_t number, int ranks, size_t i)
{
    return prefix(element, op, number, ranks, ranks, i);
}

static bool check_element(const struct test_element *element, enum test_op op, size_t i,
                          struct test_value found, struct test_value expected, int ranks)
{
    if (is_expected(element, found, expected,
                    test_error_bound(&element->form, op, ranks, expected.magnitude))) {
        return true;
    }
    char want[128];
    char got[128];
    test_value_text(&element->form, expected, want, sizeof want);
    test_value_text(&element->form, found, got, sizeof got);
    test_fail("element %zu: expected %s, found %s", i, want, got);
    return false;
}

/*
 * Whether this rank looks at an element. Long floating-point results are divided between the ranks
 * of the world: a wrong element on any rank either differs from rank 0's, which check_bits sees, or
 * is wrong on the rank that looks at it too.
 */
static bool is_mine(const struct test_element *element, size_t i, size_t count)
{
    return count <= SHARED_ABOVE || element->form.scalar < SCALAR_FLOAT ||
           element->form.family == FAMILY_PAIR || i / 64 % (size_t)test_size == (size_t)test_rank;
}

/* All bits of floating-point results are the same on all ranks. */
static void check_bits(const struct test_element *element, const void *result, size_t count)
{
    size_t size = test_scalar_size(element->form.scalar);
    size_t used = test_scalar_used(element->form.scalar);
    if (element->form.family == FAMILY_REAL || element->form.family == FAMILY_COMPLEX) {
        test_same_on_all(result, count * (element->form.extent / size), size, used);
    }
}

/* Exact results without padding are equal in all bytes, or looked at one by one for the report. */
static bool has_bytes(const struct test_element *element, const struct test_value *expected,
                      const unsigned char *at, size_t count)
{
    unsigned char bytes[TEST_PERIOD * sizeof(uint64_t)];
    if (element->form.scalar >= SCALAR_FLOAT || element->form.family == FAMILY_PAIR) {
        return false;
    }
    size_t period = TEST_PERIOD * element->form.extent;
    for (size_t i = 0; i < count && i < TEST_PERIOD; i++) {
        test_element_store(element, bytes + i * element->form.extent, expected[i]);
    }
    for (size_t left = count * element->form.extent; left > 0; at += period) {
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
                                 test_value_load(&element->form, at + i * element->form.extent),
                                 expected[i % TEST_PERIOD], test_size);
        }
    }
    check_bits(element, result, count);
}

bool test_check_prefix(const struct test_element *element, enum test_op op, uint64_t number,
                       int ranks, int length, size_t i, const void *found)
{
    return check_element(element, op, i, test_value_load(&element->form, found),
                         prefix(element, op, number, ranks, length, i % TEST_PERIOD), length);
}

/* What random values can add or multiply up to; test_value_random() has their limits. */
static long double largest_magnitude(const struct test_element *element, enum test_op op, int ranks)
{
    bool is_complex = element->form.family == FAMILY_COMPLEX;
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
        2 * test_error_bound(&element->form, op, ranks, largest_magnitude(element, op, ranks));
    size_t extent = element->form.extent;
    for (size_t i = 0; i < count; i++, mine += extent, theirs += extent) {
        struct test_value found = test_value_load(&element->form, mine);
        struct test_value expected = test_value_load(&element->form, theirs);
        if (!is_expected(element, found, expected, bound)) {
            char want[128];
            char got[128];
            test_value_text(&element->form, expected, want, sizeof want);
            test_value_text(&element->form, found, got, sizeof got);
            test_fail("element %zu: the component below says %s, found %s", i, want, got);
            return false;
        }
    }
    return true;
}

void test_element_text(const struct test_element *element, const void *at, char *text, size_t size)
{
    test_value_text(&element->form, test_value_load(&element->form, at), text, size);
}
