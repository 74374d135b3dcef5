/*
 * Predefined element types and operations for the mpirun tests: random values, and comparison of a
 * result with the reference.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Integers, logical values and MINLOC/MAXLOC pairs are compared exactly. Sums and products of
 * floating-point values are compared with a long double reference within a rounding bound, and
 * are then expected to have the same bits on all ranks.
 */
#ifndef SYMM_TESTS_ELEMENTS_H
#define SYMM_TESTS_ELEMENTS_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/reference/reduction.h"

struct test_element {
    const char *name;
    MPI_Datatype type;
    MPI_Datatype same; /* another handle for the same class and size; may be equal */
    struct test_form form;
};

/*
 * One element for every C type that is represented differently, and the pairs. A table that is
 * built at run time since handles are no constants.
 */
const struct test_element *test_elements(size_t *count);

/*
 * Every predefined type that this MPI has and the standard allows in reductions, by all its names.
 */
const struct test_element *test_elements_every(size_t *count);

/* The entry of that name; ends the program if there is none. */
const struct test_element *test_element(const char *name);

MPI_Op test_op_handle(enum test_op op);

/* Writes the contribution of `rank` of `ranks` to a call. */
void test_generate(const struct test_element *element, enum test_op op, uint64_t number, int rank,
                   int ranks, void *buffer, size_t count);

/* Compares a result with the reduction of what all ranks of MPI_COMM_WORLD have generated, and the
 * bits of a floating-point result with those on rank 0. All ranks call it. */
void test_check_reduction(const struct test_element *element, enum test_op op, uint64_t number,
                          const void *result, size_t count);

/* The same for one element, and for the reduction of what the first `length` of so many ranks have
 * generated, without messages. Returns whether it is right, and reports it otherwise. */
bool test_check_prefix(const struct test_element *element, enum test_op op, uint64_t number,
                       int ranks, int length, size_t i, const void *found);

/* Whether sums or products of floating-point values that test_generate has made for so many ranks
 * are as near to each other as two ways of rounding leave them; reports the first that is not. */
bool test_check_close(const struct test_element *element, enum test_op op, int ranks,
                      const void *result, const void *other, size_t count);

/* An element as text, for reports. */
void test_element_text(const struct test_element *element, const void *at, char *text,
                       size_t size);

#endif
