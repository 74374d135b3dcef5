/*
 * The random values of elements; private to elements*.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ELEMENTS_VALUE_H
#define SYMM_TESTS_ELEMENTS_VALUE_H

#include "tests/harness/elements.h"

enum { TEST_STREAM_VALUES = 0 };

/*
 * After so many elements the values repeat, since making and reducing them takes the tests most of
 * their time. A prime, so that what lands in a wrong block, slice or piece is a wrong value all the
 * same.
 */
enum { TEST_PERIOD = 1021 };

struct test_value test_value_random(const struct test_element *element, enum test_op op,
                                    uint64_t stream, size_t i, int rank, int ranks);

/* Stores a value, and zeros as padding. */
void test_element_store(const struct test_element *element, unsigned char *at,
                        struct test_value value);

#endif
