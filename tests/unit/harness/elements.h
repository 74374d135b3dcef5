/*
 * elements.h - element types with a reduction each, random arrays of them, and the results to
 * expect.
 *
 * The expected results are those of tests/reference, in the order that kernels/reduction.h
 * documents. Only the product of ELEMENT_GROUP, which MPI does not know, is reduced here.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ELEMENTS_H
#define SYMM_TESTS_ELEMENTS_H

#include "tests/unit/harness/unit.h"

#include "kernels/reduction.h"

enum element_type {
    ELEMENT_FLOAT, /* sums whose bits depend on the order */
    ELEMENT_INT32, /* sums, without a function of three operands */
    ELEMENT_GROUP, /* 12 bytes; a product that does not commute */
    ELEMENT_TYPES
};

extern const struct symm_reduction element_reductions[ELEMENT_TYPES];

/* `count` random elements, the same for the same numbers. */
void elements_fill(enum element_type type, void *array, size_t count, uint64_t stream, int rank);

/* Whether `array` is what reducing the ranks' random elements must give, bit by bit. */
bool elements_are_reduced(enum element_type type, const void *array, size_t count, uint64_t stream,
                          int ranks);

#endif /* SYMM_TESTS_ELEMENTS_H */
