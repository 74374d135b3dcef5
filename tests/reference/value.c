/*
 * value.c - see value.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/reference/value.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- scalars --------------------------------------------------------------------------------- */

size_t test_scalar_size(enum test_scalar scalar)
{
    static const size_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, sizeof(bool), sizeof(float),
                                   sizeof(double), sizeof(long double), 2, 2};
    return sizes[scalar];
}

size_t test_scalar_used(enum test_scalar scalar)
{
    return scalar == SCALAR_LONG_DOUBLE && LDBL_MANT_DIG == 64 ? 10 : test_scalar_size(scalar);
}

uint64_t test_scalar_wrap(enum test_scalar scalar, uint64_t bits)
{
    unsigned unused = 64 - 8 * (unsigned)test_scalar_size(scalar);
    if (scalar <= SCALAR_INT64) {
        return (uint64_t)((int64_t)(bits << unused) >> unused);
    }
    return bits << unused >> unused;
}

/* ---- 16-bit floats, by arithmetic ------------------------------------------------------------ */

static int fraction_bits(enum test_scalar scalar)
{
    return scalar == SCALAR_HALF ? 10 : 7;
}

static int exponent_bias(enum test_scalar scalar)
{
    return scalar == SCALAR_HALF ? 15 : 127;
}

double test_float16_decode(enum test_scalar scalar, uint16_t bits)
{
    int width = fraction_bits(scalar), bias = exponent_bias(scalar);
    int exponent = (bits & 0x7fff) >> width, fraction = bits & ((1 << width) - 1);
    double magnitude;
    if (exponent == 2 * bias + 1) {
        magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexp(fraction, 1 - bias - width);
    } else {
        magnitude = ldexp(fraction + (1 << width), exponent - bias - width);
    }
    return copysign(magnitude, (bits & 0x8000) != 0 ? -1.0 : 1.0);
}

uint16_t test_float16_encode(enum test_scalar scalar, double value)
{
    int width = fraction_bits(scalar), bias = exponent_bias(scalar);
    unsigned infinite = (2 * (unsigned)bias + 1) << width;
    unsigned sign = signbit(value) != 0 ? 0x8000 : 0, bits = infinite;
    double size = fabs(value);
    if (isnan(value)) {
        return 0x7fff;
    }
    if (size == 0) {
        bits = 0;
    } else if (isfinite(size)) {
        int exponent = ilogb(size) > 1 - bias ? ilogb(size) : 1 - bias;
        double units = nearbyint(ldexp(size, width - exponent));
        /*
         * Exponents below the least normal one and fractions that carry come out right by
         * themselves.
         */
        double all = units + ldexp(exponent + bias - 1, width);
        bits = all < infinite ? (unsigned)all : infinite;
    }
    return (uint16_t)(sign | bits);
}

/* ---- elements -------------------------------------------------------------------------------- */

size_t test_form_unit(const struct test_form *form)
{
    size_t value = test_scalar_size(form->scalar);
    size_t index = form->family == FAMILY_PAIR ? test_scalar_size(form->index) : 1;
    return value > index ? value : index;
}

static void store_scalar(enum test_scalar scalar, unsigned char *at, uint64_t integer,
                         long double real)
{
    float f = (float)real;
    double d = (double)real;
    uint8_t u8 = (uint8_t)integer;
    uint16_t u16 = (uint16_t)integer;
    uint32_t u32 = (uint32_t)integer;
    const void *from = &integer;
    if (scalar == SCALAR_FLOAT) {
        from = &f;
    } else if (scalar == SCALAR_DOUBLE) {
        from = &d;
    } else if (scalar == SCALAR_LONG_DOUBLE) {
        from = &real;
    } else if (scalar > SCALAR_LONG_DOUBLE) {
        u16 = test_float16_encode(scalar, d);
        from = &u16;
    } else if (test_scalar_size(scalar) == sizeof(u8)) {
        from = &u8;
    } else if (test_scalar_size(scalar) == sizeof(u16)) {
        from = &u16;
    } else if (test_scalar_size(scalar) == sizeof(u32)) {
        from = &u32;
    }
    memcpy(at, from, test_scalar_used(scalar));
}

static long double load_real(enum test_scalar scalar, const unsigned char *at)
{
    float f;
    double d;
    long double l = 0;
    uint16_t bits;
    switch (scalar) {
    case SCALAR_FLOAT:
        memcpy(&f, at, sizeof(f));
        return f;
    case SCALAR_DOUBLE:
        memcpy(&d, at, sizeof(d));
        return d;
    case SCALAR_LONG_DOUBLE:
        memcpy(&l, at, test_scalar_used(scalar));
        return l;
    default:
        memcpy(&bits, at, sizeof(bits));
        return test_float16_decode(scalar, bits);
    }
}

static uint64_t load_integer(enum test_scalar scalar, const unsigned char *at)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (test_scalar_size(scalar)) {
    case sizeof(u8):
        memcpy(&u8, at, sizeof(u8));
        return test_scalar_wrap(scalar, u8);
    case sizeof(u16):
        memcpy(&u16, at, sizeof(u16));
        return test_scalar_wrap(scalar, u16);
    case sizeof(u32):
        memcpy(&u32, at, sizeof(u32));
        return test_scalar_wrap(scalar, u32);
    default:
        memcpy(&u64, at, sizeof(u64));
        return u64;
    }
}

struct test_value test_value_load(const struct test_form *form, const void *at)
{
    struct test_value value = {0};
    const unsigned char *first = at, *second = first + form->second;
    if (form->scalar < SCALAR_FLOAT) {
        value.integer = load_integer(form->scalar, first);
    } else {
        value.real = load_real(form->scalar, first);
    }
    if (form->family == FAMILY_COMPLEX) {
        value.imaginary = load_real(form->scalar, second);
    } else if (form->family == FAMILY_PAIR) {
        value.index = form->index >= SCALAR_FLOAT ? (int)load_real(form->index, second)
                                                  : (int)load_integer(form->index, second);
    }
    value.magnitude = fabsl(value.real) + fabsl(value.imaginary);
    return value;
}

void test_value_store(const struct test_form *form, void *at, struct test_value value)
{
    unsigned char *second = (unsigned char *)at + form->second;
    store_scalar(form->scalar, at, value.integer, value.real);
    if (form->family == FAMILY_COMPLEX) {
        store_scalar(form->scalar, second, 0, value.imaginary);
    } else if (form->family == FAMILY_PAIR) {
        store_scalar(form->index, second, (uint64_t)value.index, value.index);
    }
}

void test_value_text(const struct test_form *form, struct test_value value, char *text,
                     size_t size)
{
    if (form->family == FAMILY_COMPLEX) {
        snprintf(text, size, "%.21Lg%+.21Lgi", value.real, value.imaginary);
    } else if (form->scalar >= SCALAR_FLOAT) {
        snprintf(text, size, "%.21Lg", value.real);
    } else if (form->scalar <= SCALAR_INT64) {
        snprintf(text, size, "%" PRId64, (int64_t)value.integer);
    } else {
        snprintf(text, size, "%" PRIu64, value.integer);
    }
    if (form->family == FAMILY_PAIR) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, " at %d", value.index);
    }
}
