/*
 * What the randomised test can draw from: layouts for all-gather, user-defined operations with
 * their types, and predefined elements seen as layouts. Created once, the same on all ranks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_RANDOM_TYPES_H
#define SYMM_TESTS_RANDOM_TYPES_H

#include "tests/harness/elements.h"
#include "tests/harness/layouts.h"
#include "tests/harness/monoids.h"

#include <mpi.h>

#include <stddef.h>

/* An operation of the program's own. */
struct random_operation {
    const struct test_monoid *monoid;
    struct test_layout layout;
    MPI_Op op;
    int commutes; /* as MPI has been told */
};

enum { RANDOM_OPERATIONS = 16 };

struct random_types {
    struct test_layout plain[LAYOUT_PREDEFINED];
    struct test_layout ints[LAYOUT_INTS];
    const struct test_element *elements;
    size_t element_count;
    struct random_operation operations[RANDOM_OPERATIONS];
    size_t operation_count;
};

void random_types_create(struct random_types *types);
void random_types_free(struct random_types *types);

/* A predefined element as a layout: padding inside it is a gap. */
struct test_layout random_types_layout(const struct test_element *element);

#endif
