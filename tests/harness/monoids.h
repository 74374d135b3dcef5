/*
 * Associative operations for the tests of user-defined operations. Most do not commute, so a
 * result is right only if the ranks' contributions were combined in rank order.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_MONOIDS_H
#define SYMM_TESTS_MONOIDS_H

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

struct test_monoid {
    const char *name;
    int commutes;
    MPI_Datatype (*new_type)(void); /* committed; freed by the caller unless predefined */
    size_t extent;
    size_t unit;   /* alignment that the type needs */
    size_t used;   /* bytes of an element that carry data, all at its start */
    MPI_User_function *function;
    void (*generate)(uint64_t random, void *element);
    void (*combine)(const void *left, void *right); /* right = left * right */
};

const struct test_monoid *test_monoids(size_t *count);

/* How often user functions have been called with a datatype or length that is not plausible. */
unsigned test_monoids_misuses(void);

/* From now on a length of 0 is plausible: Open MPI's reduce-scatters call functions for nothing. */
void test_monoids_allow_nothing(void);

#endif
