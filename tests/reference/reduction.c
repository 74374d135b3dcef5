/*
 * reduction.c - see reduction.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/reference/reduction.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *test_op_name(enum test_op op)
{
    static const char *const names[OPS] = {"sum",  "prod", "min", "max",  "land",   "lor",
                                           "lxor", "band", "bor", "bxor", "minloc", "maxloc"};
    return names[op];
}

bool test_op_is_allowed(enum test_op op, const struct test_form *form)
{
    switch (form->family) {
    case FAMILY_INTEGER:
        return op < OP_MINLOC;
    case FAMILY_OTHER_INTEGER:
        return op <= OP_MAX || (op >= OP_BAND && op <= OP_BXOR);
    case FAMILY_BYTE:
        return op >= OP_BAND && op <= OP_BXOR;
    case FAMILY_BOOL:
        return op >= OP_LAND && op <= OP_LXOR;
    case FAMILY_REAL:
        return op <= OP_MAX;
    case FAMILY_COMPLEX:
        return op <= OP_PROD;
    default:
        return op >= OP_MINLOC;
    }
}

/* ---- minima and maxima ----------------------------------------------------------------------- */

static bool is_selection(enum test_op op)
{
    return op == OP_MIN || op == OP_MAX || op >= OP_MINLOC;
}

/* Whether a comes before b in the order of the type. */
static bool is_less(const struct test_form *form, struct test_value a, struct test_value b)
{
    if (form->scalar >= SCALAR_FLOAT) {
        return a.real < b.real;
    }
    if (form->scalar <= SCALAR_INT64) {
        return (int64_t)a.integer < (int64_t)b.integer;
    }
    return a.integer < b.integer;
}

/* Whether b takes the place of a. The first NaN stays, and the lowest index of equal values. */
static bool is_better(const struct test_form *form, enum test_op op, struct test_value a,
                      struct test_value b)
{
    if (isnan(a.real) || isnan(b.real)) {
        return !isnan(a.real);
    }
    bool is_max = op == OP_MAX || op == OP_MAXLOC;
    bool is_equal = !is_less(form, a, b) && !is_less(form, b, a);
    return is_equal ? form->family == FAMILY_PAIR && b.index < a.index
                    : is_less(form, b, a) != is_max;
}

/* ---- everything else ------------------------------------------------------------------------- */

/* Sums and products in the arithmetic of a type. */
static long double plus(enum test_scalar arithmetic, long double a, long double b)
{
    switch (arithmetic) {
    case SCALAR_FLOAT:
        return (float)a + (float)b;
    case SCALAR_DOUBLE:
        return (double)a + (double)b;
    default:
        return a + b;
    }
}

static long double times(enum test_scalar arithmetic, long double a, long double b)
{
    switch (arithmetic) {
    case SCALAR_FLOAT:
        return (float)a * (float)b;
    case SCALAR_DOUBLE:
        return (double)a * (double)b;
    default:
        return a * b;
    }
}

static struct test_value sum(enum test_scalar in, struct test_value a, struct test_value b)
{
    return (struct test_value){.integer = a.integer + b.integer,
                               .real = plus(in, a.real, b.real),
                               .imaginary = plus(in, a.imaginary, b.imaginary),
                               .magnitude = a.magnitude + b.magnitude};
}

static struct test_value product(const struct test_form *form, enum test_scalar in,
                                 struct test_value a, struct test_value b)
{
    struct test_value all = {.integer = a.integer * b.integer,
                             .real = times(in, a.real, b.real),
                             .magnitude = a.magnitude * b.magnitude};
    if (form->family == FAMILY_COMPLEX) {
        all.real = plus(in, all.real, -times(in, a.imaginary, b.imaginary));
        all.imaginary = plus(in, times(in, a.real, b.imaginary), times(in, a.imaginary, b.real));
    }
    return all;
}

static uint64_t combine_bits(enum test_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case OP_LAND:
        return a && b;
    case OP_LOR:
        return a || b;
    case OP_LXOR:
        return !a != !b;
    case OP_BAND:
        return a & b;
    case OP_BOR:
        return a | b;
    default:
        return a ^ b;
    }
}

static struct test_value combine(const struct test_form *form, enum test_scalar in,
                                 enum test_op op, struct test_value a, struct test_value b)
{
    struct test_value all = {0};
    if (is_selection(op)) {
        return is_better(form, op, a, b) ? b : a;
    }
    if (op == OP_SUM) {
        all = sum(in, a, b);
    } else if (op == OP_PROD) {
        all = product(form, in, a, b);
    } else {
        all.integer = combine_bits(op, a.integer, b.integer);
    }
    if (form->scalar < SCALAR_FLOAT) {
        all.integer = test_scalar_wrap(form->scalar, all.integer);
    }
    return all;
}

struct test_value test_value_combine(const struct test_form *form, enum test_op op,
                                     struct test_value a, struct test_value b)
{
    return combine(form, SCALAR_LONG_DOUBLE, op, a, b);
}

long double test_error_bound(const struct test_form *form, enum test_op op, int ranks,
                             long double magnitude)
{
    static const long double epsilon[] = {FLT_EPSILON, DBL_EPSILON, LDBL_EPSILON, 0x1p-10L,
                                          0x1p-7L};
    if (form->scalar < SCALAR_FLOAT || op > OP_PROD) {
        return 0;
    }
    long double factor = form->family == FAMILY_COMPLEX && op == OP_PROD ? 4.0L : 1.0L;
    return factor * ranks * epsilon[form->scalar - SCALAR_FLOAT] * magnitude;
}

/* ---- all ranks ------------------------------------------------------------------------------- */

static void copy_element(const struct test_form *form, const unsigned char *from,
                         unsigned char *to)
{
    memcpy(to, from, test_scalar_used(form->scalar));
    if (form->family == FAMILY_PAIR) {
        memcpy(to + form->second, from + form->second, test_scalar_used(form->index));
    }
}

void test_reduce(const struct test_form *form, enum test_op op, int ranks,
                 const void *const *elements, void *result)
{
    enum test_scalar in = form->scalar > SCALAR_LONG_DOUBLE ? SCALAR_FLOAT : form->scalar;
    struct test_value all = test_value_load(form, elements[0]);
    int best = 0;
    for (int rank = 1; rank < ranks; rank++) {
        struct test_value next = test_value_load(form, elements[rank]);
        if (!is_selection(op)) {
            all = combine(form, in, op, all, next);
        } else if (is_better(form, op, all, next)) {
            all = next;
            best = rank;
        }
    }
    if (is_selection(op)) {
        copy_element(form, elements[best], result);
    } else {
        test_value_store(form, result, all);
    }
}
