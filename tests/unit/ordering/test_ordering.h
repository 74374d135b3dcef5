/*
 * test_ordering.h - tests of test_ordering.c that are in test_ordering_life.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_TEST_ORDERING_H
#define SYMM_TESTS_TEST_ORDERING_H

void test_lives(void **state);
void test_life_mixtures(void **state);
void test_life_breakages(void **state);

#endif /* SYMM_TESTS_TEST_ORDERING_H */
