/*
 * value.h - one element of a buffer in a form in which a reference can compute: wide enough for
 * every type.
 *
 * The references of all tests are made of this file and reduction.h. They share nothing with the
 * code under test and know neither MPI nor CUDA.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_VALUE_H
#define SYMM_TESTS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum test_scalar {
    SCALAR_INT8,
    SCALAR_INT16,
    SCALAR_INT32,
    SCALAR_INT64,
    SCALAR_UINT8,
    SCALAR_UINT16,
    SCALAR_UINT32,
    SCALAR_UINT64,
    SCALAR_BOOL,
    SCALAR_FLOAT, /* from here on floating-point numbers */
    SCALAR_DOUBLE,
    SCALAR_LONG_DOUBLE,
    SCALAR_HALF,
    SCALAR_BFLOAT16
};

enum test_family {
    FAMILY_INTEGER,       /* C's */
    FAMILY_OTHER_INTEGER, /* integers without logical operations: Fortran's, and MPI's own */
    FAMILY_BYTE,
    FAMILY_BOOL,
    FAMILY_REAL,
    FAMILY_COMPLEX,
    FAMILY_PAIR
};

/* How an element looks in memory. */
struct test_form {
    enum test_family family;
    enum test_scalar scalar; /* of the value, or of the real and of the imaginary part */
    size_t second;           /* byte offset of the imaginary part or of the index */
    size_t extent;
    enum test_scalar index;  /* of a pair */
};

struct test_value {
    uint64_t integer;      /* two's complement, sign-extended for signed types */
    long double real;      /* floating-point types */
    long double imaginary; /* complex types */
    int index;             /* pairs */
    long double magnitude; /* of all that has been combined: the scale of rounding errors */
};

size_t test_scalar_size(enum test_scalar scalar);

/* Bytes of a scalar that carry its value: less than its size for a long double with padding. */
size_t test_scalar_used(enum test_scalar scalar);

/* The value that an integer type keeps of these 64 bits. */
uint64_t test_scalar_wrap(enum test_scalar scalar, uint64_t bits);

/*
 * The value of 16 bits by the definition of the format, and the bits of the value's nearest number.
 */
double test_float16_decode(enum test_scalar scalar, uint16_t bits);
uint16_t test_float16_encode(enum test_scalar scalar, double value);

/* The alignment that elements need. */
size_t test_form_unit(const struct test_form *form);

struct test_value test_value_load(const struct test_form *form, const void *at);

/* Leaves the padding of an element as it is. */
void test_value_store(const struct test_form *form, void *at, struct test_value value);

/* A value as text, for reports. */
void test_value_text(const struct test_form *form, struct test_value value, char *text,
                     size_t size);

#endif /* SYMM_TESTS_VALUE_H */
