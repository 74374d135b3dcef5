/*
 * Elements with an operation, predefined or the program's: what a test of reductions draws from.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_OPERANDS_H
#define SYMM_TESTS_OPERANDS_H

#include "tests/harness/elements.h"
#include "tests/harness/monoids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct test_operand {
    const char *name;
    const struct test_element *element; /* predefined, with `op`; NULL: the next is not */
    enum test_op op;
    const struct test_monoid *monoid;
    MPI_Datatype type;
    MPI_Op handle;
    size_t extent, unit;
    ptrdiff_t lower; /* where the first element begins, seen from the address that MPI gets */
    size_t datum;    /* where an element's data are, seen from its beginning */
};

struct test_operand test_operand_of_monoid(const struct test_monoid *monoid);

/* Affine maps: two ints at `displacement`, in elements of `extent` bytes that begin at `lower`. */
struct test_operand test_operand_of_pairs(const char *name, ptrdiff_t displacement, ptrdiff_t lower,
                                    size_t extent);

struct test_operand test_operand_of_element(const char *name, enum test_op op);

void test_operand_free(struct test_operand *kind);

/* What `rank` of `ranks` contributes to call `number`: `count` elements. */
void test_operand_fill(const struct test_operand *kind, uint64_t number, int rank, int ranks,
                       unsigned char *data, size_t count);

/*
 * Whether `count` elements, from element `first` on, are what the contributions of the first
 * `length` of so many ranks come to, and all beside their data is TEST_POISON.
 */
void test_operand_check(const struct test_operand *kind, uint64_t number, int ranks, int length,
                        size_t first, size_t count, const unsigned char *found);

/* Every kind of element: user-defined operations, gaps, bounds, and some that are predefined. */
void test_operands_each(void (*visit)(const struct test_operand *kind));

/* Every predefined element with every operation that it may have, and a number for each. */
void test_operands_each_predefined(void (*visit)(const struct test_operand *kind, size_t index));

/* MPI_Scan, MPI_Exscan, or what adds up in another way. */
typedef int test_sum(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm);

/*
 * Elements that consist of so many ints: this rank's result is what the first `ranks` ranks have.
 * 0: it has none, and its buffer stays as it was.
 */
void test_sum_long(test_sum *sum, int ints, int count, bool heap, int ranks);

/*
 * Likewise so many calls with gaps in the elements, which fall back.  Rank `late` comes late to the
 * first one, and to the one in the middle.  The default run makes them once in a sweep.
 */
void test_sum_late(test_sum *sum, int calls, int late, int ranks);

#endif
