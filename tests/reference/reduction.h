/*
 * reduction.h - the reference for reductions: MPI's predefined operations on one element at a time,
 * in rank order.
 *
 * test_value_combine() is for results that may round otherwise: a caller adds up in long double and
 * allows for errors. test_reduce() is for results that are defined in all bits: it rounds as the
 * type does.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_REDUCTION_H
#define SYMM_TESTS_REDUCTION_H

#include "tests/reference/value.h"

enum test_op {
    OP_SUM,
    OP_PROD,
    OP_MIN,
    OP_MAX,
    OP_LAND,
    OP_LOR,
    OP_LXOR,
    OP_BAND,
    OP_BOR,
    OP_BXOR,
    OP_MINLOC,
    OP_MAXLOC,
    OPS
};

const char *test_op_name(enum test_op op);

/* Whether MPI allows the operation on elements of this form. */
bool test_op_is_allowed(enum test_op op, const struct test_form *form);

/* a op b, with sums and products in long double. */
struct test_value test_value_combine(const struct test_form *form, enum test_op op,
                                     struct test_value a, struct test_value b);

/*
 * How far a result that was rounded to the type may be from the combination of `ranks` values in
 * long double; 0 asks for equality.
 */
long double test_error_bound(const struct test_form *form, enum test_op op, int ranks,
                             long double magnitude);

/*
 * elements[0] op elements[1] op ... in this order, each step rounded as the type rounds; 16-bit
 * floats are rounded at the end, and are floats before. Minima and maxima are copies of an element:
 * the first NaN, or the first of the extreme ones. Leaves the padding of `result` as it is.
 */
void test_reduce(const struct test_form *form, enum test_op op, int ranks,
                 const void *const *elements, void *result);

#endif /* SYMM_TESTS_REDUCTION_H */
