/*
 * The table of predefined types and operations, and random values for them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/elements.h"
#include "tests/harness/elements_value.h"
#include "tests/harness/harness.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The layouts that the standard gives for the pair types. */
struct float_int { float value; int index; };
struct double_int { double value; int index; };
struct long_int { long value; int index; };
struct short_int { short value; int index; };
struct long_double_int { long double value; int index; };
struct two_int { int value; int index; };

static struct test_element table[40];
static size_t table_size;

static void add(const char *name, MPI_Datatype type, MPI_Datatype same, enum test_family family,
                enum test_scalar scalar, size_t second, size_t extent)
{
    table[table_size++] = (struct test_element){
        name, type, same, {family, scalar, second, extent, SCALAR_INT32}};
}

static void add_number(const char *name, MPI_Datatype type, MPI_Datatype same,
                       enum test_scalar scalar)
{
    enum test_family family = scalar >= SCALAR_FLOAT ? FAMILY_REAL : FAMILY_INTEGER;
    add(name, type, same, family, scalar, 0, test_scalar_size(scalar));
}

static void add_numbers(void)
{
    add_number("int8", MPI_INT8_T, MPI_SIGNED_CHAR, SCALAR_INT8);
    add_number("int16", MPI_INT16_T, MPI_SHORT, SCALAR_INT16);
    add_number("int32", MPI_INT32_T, MPI_INT, SCALAR_INT32);
    add_number("int64", MPI_INT64_T, MPI_LONG_LONG, SCALAR_INT64);
    add_number("uint8", MPI_UINT8_T, MPI_UNSIGNED_CHAR, SCALAR_UINT8);
    add_number("uint16", MPI_UINT16_T, MPI_UNSIGNED_SHORT, SCALAR_UINT16);
    add_number("uint32", MPI_UINT32_T, MPI_UNSIGNED, SCALAR_UINT32);
    add_number("uint64", MPI_UINT64_T, MPI_UNSIGNED_LONG_LONG, SCALAR_UINT64);
    add("aint", MPI_AINT, MPI_AINT, FAMILY_OTHER_INTEGER, SCALAR_INT64, 0, sizeof(MPI_Aint));
    add_number("float", MPI_FLOAT, MPI_FLOAT, SCALAR_FLOAT);
    add_number("double", MPI_DOUBLE, MPI_DOUBLE, SCALAR_DOUBLE);
    add_number("long double", MPI_LONG_DOUBLE, MPI_LONG_DOUBLE, SCALAR_LONG_DOUBLE);
}

static void add_complex(const char *name, MPI_Datatype type, MPI_Datatype same,
                        enum test_scalar scalar)
{
    size_t size = test_scalar_size(scalar);
    add(name, type, same, FAMILY_COMPLEX, scalar, size, 2 * size);
}

static void build_table(void)
{
    add_numbers();
    add("byte", MPI_BYTE, MPI_BYTE, FAMILY_BYTE, SCALAR_UINT8, 0, 1);
    add("bool", MPI_C_BOOL, MPI_C_BOOL, FAMILY_BOOL, SCALAR_BOOL, 0, sizeof(bool));
    add_complex("float complex", MPI_C_FLOAT_COMPLEX, MPI_C_COMPLEX, SCALAR_FLOAT);
    add_complex("double complex", MPI_C_DOUBLE_COMPLEX, MPI_C_DOUBLE_COMPLEX, SCALAR_DOUBLE);
    add_complex("long double complex", MPI_C_LONG_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
                SCALAR_LONG_DOUBLE);
    add("int+int", MPI_2INT, MPI_2INT, FAMILY_PAIR, SCALAR_INT32,
        offsetof(struct two_int, index), sizeof(struct two_int));
    add("short+int", MPI_SHORT_INT, MPI_SHORT_INT, FAMILY_PAIR, SCALAR_INT16,
        offsetof(struct short_int, index), sizeof(struct short_int));
    add("long+int", MPI_LONG_INT, MPI_LONG_INT, FAMILY_PAIR,
        sizeof(long) == 8 ? SCALAR_INT64 : SCALAR_INT32, offsetof(struct long_int, index),
        sizeof(struct long_int));
    add("float+int", MPI_FLOAT_INT, MPI_FLOAT_INT, FAMILY_PAIR, SCALAR_FLOAT,
        offsetof(struct float_int, index), sizeof(struct float_int));
    add("double+int", MPI_DOUBLE_INT, MPI_DOUBLE_INT, FAMILY_PAIR, SCALAR_DOUBLE,
        offsetof(struct double_int, index), sizeof(struct double_int));
    add("long double+int", MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE_INT, FAMILY_PAIR,
        SCALAR_LONG_DOUBLE, offsetof(struct long_double_int, index),
        sizeof(struct long_double_int));
}

const struct test_element *test_elements(size_t *count)
{
    if (table_size == 0) {
        build_table();
    }
    *count = table_size;
    return table;
}

const struct test_element *test_element(const char *name)
{
    size_t count;
    const struct test_element *elements = test_elements(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(elements[i].name, name) == 0) {
            return &elements[i];
        }
    }
    fprintf(stderr, "the test has no element type '%s'\n", name);
    exit(2);
}

MPI_Op test_op_handle(enum test_op op)
{
    const MPI_Op handles[OPS] = {MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_LAND,   MPI_LOR,
                                 MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
    return handles[op];
}

/* Integers whose reduction over some ranks does not overflow. Open MPI's vectorised operations
 * saturate in unsigned sums of 8 and 16 bits where its plain loops wrap around; unsigned values
 * of more bits may overflow here. */
static uint64_t random_integer(const struct test_element *element, enum test_op op,
                               uint64_t random, int rank, int ranks)
{
    unsigned bits = (unsigned)test_scalar_size(element->form.scalar) * 8;
    bool is_signed = element->form.scalar <= SCALAR_INT64;
    if (op >= OP_LAND && op <= OP_LXOR) {
        return random % 2 == 0 ? 0 : (random >> 1) % 100 + 1;
    }
    if (op == OP_SUM && is_signed) {
        uint64_t limit = (UINT64_C(1) << (bits - 1)) / (uint64_t)ranks - 1;
        return random % (2 * limit + 1) - limit; /* below 0 in two's complement */
    }
    if (op == OP_SUM && bits <= 16) {
        return random % ((UINT64_C(1) << bits) / (uint64_t)ranks);
    }
    if (op == OP_PROD && is_signed) {
        int64_t factor = rank < 6 ? (int64_t)(random % 4) - 2 : 1;
        return (uint64_t)(factor == 0 ? 1 : factor);
    }
    return test_scalar_wrap(element->form.scalar, random);
}

/* Values of many magnitudes for sums, so that the order of additions shows, and factors near one.
 * They have no more bits than the type holds, hence need no rounding. */
static long double random_real(enum test_scalar scalar, enum test_op op, uint64_t random)
{
    static const unsigned bits[] = {FLT_MANT_DIG - 1, DBL_MANT_DIG - 1, 62};
    static const long double scales[] = {0.00390625L, 0.03125L, 0.25L, 1.0L,
                                         3.0L,        8.0L,     64.0L, 512.0L};
    unsigned kept = bits[scalar - SCALAR_FLOAT] - 2;
    long double whole = (long double)(int64_t)(UINT64_C(1) << kept);
    long double fraction = (long double)(int64_t)(random >> (64 - kept)) / whole;
    long double sign = random % 2 == 0 ? 1.0L : -1.0L;
    return op == OP_PROD ? sign * (0.5L + fraction) : sign * fraction * scales[random / 2 % 8];
}

/* Few different values, so that the smallest index among equal ones matters. */
static struct test_value random_pair(const struct test_element *element, uint64_t random)
{
    struct test_value value = {.index = (int)((random >> 32) % 1000)};
    int64_t small = (int64_t)(random % 5) - 2;
    if (element->form.scalar >= SCALAR_FLOAT) {
        value.real = (long double)small / 2;
    } else {
        value.integer = (uint64_t)small;
    }
    return value;
}

struct test_value test_value_random(const struct test_element *element, enum test_op op,
                                    uint64_t stream, size_t i, int rank, int ranks)
{
    uint64_t random = test_random(stream, i);
    struct test_value value = {0};
    switch (element->form.family) {
    case FAMILY_COMPLEX:
        value.imaginary = random_real(element->form.scalar, op, test_random(stream + 1, i));
        value.real = random_real(element->form.scalar, op, random);
        break;
    case FAMILY_REAL:
        value.real = random_real(element->form.scalar, op, random);
        break;
    case FAMILY_BOOL:
        value.integer = random & 1;
        break;
    case FAMILY_PAIR:
        value = random_pair(element, random);
        break;
    default:
        value.integer = random_integer(element, op, random, rank, ranks);
        break;
    }
    value.magnitude = fabsl(value.real) + fabsl(value.imaginary);
    return value;
}

void test_element_store(const struct test_element *element, unsigned char *at,
                        struct test_value value)
{
    memset(at, 0, element->form.extent);
    test_value_store(&element->form, at, value);
}

void test_generate(const struct test_element *element, enum test_op op, uint64_t number, int rank,
                   int ranks, void *buffer, size_t count)
{
    unsigned char *at = buffer;
    uint64_t stream = test_stream(number, (uint64_t)rank, TEST_STREAM_VALUES);
    size_t bytes = count * element->form.extent;
    size_t period = TEST_PERIOD * element->form.extent;
    for (size_t i = 0; i < count && i < TEST_PERIOD; i++) {
        struct test_value value = test_value_random(element, op, stream, i, rank, ranks);
        test_element_store(element, at + i * element->form.extent, value);
    }
    for (size_t done = period; done < bytes; done += period) {
        memcpy(at + done, at, bytes - done < period ? bytes - done : period);
    }
}
