/*
 * One element in a form in which the reference can compute; private to elements*.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ELEMENTS_VALUE_H
#define SYMM_TESTS_ELEMENTS_VALUE_H

#include "elements.h"

enum { TEST_STREAM_VALUES = 0 };

/* After so many elements the values repeat, since making and reducing them takes the tests most of their
 * time. A prime, so that what lands in a wrong block, slice or piece is a wrong value all the same. */
enum { TEST_PERIOD = 1021 };

struct test_value {
    uint64_t integer;      /* two's complement, sign-extended for signed types */
    long double real;      /* floating-point types */
    long double imaginary; /* complex types */
    int index;             /* pairs */
    long double magnitude; /* of all that has been combined: the scale of rounding errors */
};

/* The value that an integer type keeps of these 64 bits. */
uint64_t test_scalar_wrap(enum test_scalar scalar, uint64_t bits);

struct test_value test_value_random(const struct test_element *element, enum test_op op,
                                    uint64_t stream, size_t i, int rank, int ranks);

void test_value_store(const struct test_element *element, unsigned char *at,
                      struct test_value value);
struct test_value test_value_load(const struct test_element *element, const unsigned char *at);

#endif
