/*
 * Every predefined type that may meet a predefined operation, by each of its names: C's, C++'s,
 * Fortran's with and without sizes, and those that MPI_Type_create_f90_... hands out.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fortran's types have the size that the Fortran compiler gave them, if there was one, so what they
 * look like is found out from their size. A type that this MPI lacks is left out.
 */
#include "tests/harness/elements.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 128 };

static struct test_element table[MOST];
static size_t table_size;

/* In bytes; 0 if this MPI does not have the type. */
static size_t size_of(MPI_Datatype type)
{
    int size = 0;
    if (type == MPI_DATATYPE_NULL || MPI_Type_size(type, &size) != MPI_SUCCESS || size < 0) {
        return 0;
    }
    return (size_t)size;
}

/* The scalar between these two that has so many bytes; -1 if there is none. */
static int scalar_of_size(size_t size, enum test_scalar first, enum test_scalar last)
{
    for (int scalar = (int)first; scalar <= (int)last; scalar++) {
        if (size != 0 && test_scalar_size((enum test_scalar)scalar) == size) {
            return scalar;
        }
    }
    return -1;
}

static void add(const char *name, MPI_Datatype type, enum test_family family, int scalar,
                size_t parts)
{
    if (scalar < 0 || table_size == MOST) {
        return;
    }
    size_t size = test_scalar_size((enum test_scalar)scalar);
    table[table_size++] = (struct test_element){
        .name = name, .type = type, .same = type,
        .form = {.family = family,
                 .scalar = (enum test_scalar)scalar, .second = parts == 2 ? size : 0,
                 .extent = parts * size, .index = (enum test_scalar)scalar},
    };
}

/*
 * Whether -1 is less than 5. Open MPI 4.1.2 to 4.1.4 get that wrong for MPI_UNSIGNED_LONG (issue
 * 10525 of Open MPI) and for MPI_OFFSET, without any collective. All we can then ask for is the
 * same answer; but kernels on devices compare what they are told that the type is.
 */
static bool is_signed(const char *name, MPI_Datatype type, bool should)
{
    int64_t ones = -1, five = 0; /* any smaller integer that begins here is -1 and 5 as well */
    memset(&five, 5, 1);
    const uint16_t probe = 1;
    if (*(const unsigned char *)&probe != 1 || size_of(type) > sizeof five ||
        MPI_Reduce_local(&ones, &five, 1, type, MPI_MAX) != MPI_SUCCESS) {
        return should;
    }
    bool is = five == 5;
    if (getenv("SYMM_TEST_CUDA_LIBRARY") != NULL && type == MPI_UNSIGNED_LONG) {
        return should;
    }
    if (is != should && test_rank == 0) {
        printf("note: this MPI compares %s as %s numbers\n", name, is ? "signed" : "unsigned");
    }
    return is;
}

static void add_whole(const char *name, MPI_Datatype type, enum test_family family, bool should)
{
    bool negative = is_signed(name, type, should);
    add(name, type, family,
        scalar_of_size(size_of(type), negative ? SCALAR_INT8 : SCALAR_UINT8,
                       negative ? SCALAR_INT64 : SCALAR_UINT64), 1);
}

static void add_integer(const char *name, MPI_Datatype type, enum test_family family)
{
    add_whole(name, type, family, true);
}

static void add_unsigned(const char *name, MPI_Datatype type)
{
    add_whole(name, type, FAMILY_INTEGER, false);
}

/* Unsigned, because that is how a true one of a single bit would read. */
static void add_logical(const char *name, MPI_Datatype type)
{
    add(name, type, FAMILY_BOOL, scalar_of_size(size_of(type), SCALAR_UINT8, SCALAR_UINT64), 1);
}

static void add_real(const char *name, MPI_Datatype type)
{
    add(name, type, FAMILY_REAL,
        scalar_of_size(size_of(type), SCALAR_FLOAT, SCALAR_LONG_DOUBLE), 1);
}

static void add_complex(const char *name, MPI_Datatype type)
{
    add(name, type, FAMILY_COMPLEX,
        scalar_of_size(size_of(type) / 2, SCALAR_FLOAT, SCALAR_LONG_DOUBLE), 2);
}

static void add_real_pair(const char *name, MPI_Datatype type)
{
    add(name, type, FAMILY_PAIR,
        scalar_of_size(size_of(type) / 2, SCALAR_FLOAT, SCALAR_LONG_DOUBLE), 2);
}

#ifdef MPI_REAL16 /* an Open MPI without Fortran has none */
/*
 * Sixteen bytes may be something else than C's long double, of which the reference knows nothing.
 */
static bool adds_long_doubles(MPI_Datatype type)
{
    long double one = 1.25L, two = 2.5L;
    return size_of(type) == sizeof one &&
           MPI_Reduce_local(&one, &two, 1, type, MPI_SUM) == MPI_SUCCESS && two == 3.75L;
}
#endif

static void add_c(void)
{
    add_integer("signed char", MPI_SIGNED_CHAR, FAMILY_INTEGER);
    add_integer("short", MPI_SHORT, FAMILY_INTEGER);
    add_integer("int", MPI_INT, FAMILY_INTEGER);
    add_integer("long", MPI_LONG, FAMILY_INTEGER);
    add_integer("long long", MPI_LONG_LONG, FAMILY_INTEGER);
    add_integer("long long int", MPI_LONG_LONG_INT, FAMILY_INTEGER);
    add_unsigned("unsigned char", MPI_UNSIGNED_CHAR);
    add_unsigned("unsigned short", MPI_UNSIGNED_SHORT);
    add_unsigned("unsigned", MPI_UNSIGNED);
    add_unsigned("unsigned long", MPI_UNSIGNED_LONG);
    add_unsigned("unsigned long long", MPI_UNSIGNED_LONG_LONG);
    add_complex("C_COMPLEX", MPI_C_COMPLEX);
    add_integer("OFFSET", MPI_OFFSET, FAMILY_OTHER_INTEGER);
    add_integer("COUNT", MPI_COUNT, FAMILY_OTHER_INTEGER);
}

static void add_cxx(void)
{
#ifdef MPI_CXX_BOOL
    add_logical("CXX_BOOL", MPI_CXX_BOOL);
    add_complex("CXX_FLOAT_COMPLEX", MPI_CXX_FLOAT_COMPLEX);
    add_complex("CXX_DOUBLE_COMPLEX", MPI_CXX_DOUBLE_COMPLEX);
    add_complex("CXX_LONG_DOUBLE_COMPLEX", MPI_CXX_LONG_DOUBLE_COMPLEX);
#endif
}

static void add_fortran(void)
{
    add_integer("INTEGER", MPI_INTEGER, FAMILY_OTHER_INTEGER);
    add_logical("LOGICAL", MPI_LOGICAL);
    add_real("REAL", MPI_REAL);
    add_real("DOUBLE_PRECISION", MPI_DOUBLE_PRECISION);
    add_complex("COMPLEX", MPI_COMPLEX);
    add_complex("DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX);
    add("2INTEGER", MPI_2INTEGER, FAMILY_PAIR,
        scalar_of_size(size_of(MPI_2INTEGER) / 2, SCALAR_INT8, SCALAR_INT64), 2);
    add_real_pair("2REAL", MPI_2REAL);
    add_real_pair("2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION);
}

/* An MPI need not even have the names of these. */
static void add_fortran_with_sizes(void)
{
#ifdef MPI_INTEGER1
    add_integer("INTEGER1", MPI_INTEGER1, FAMILY_OTHER_INTEGER);
#endif
#ifdef MPI_INTEGER2
    add_integer("INTEGER2", MPI_INTEGER2, FAMILY_OTHER_INTEGER);
#endif
#ifdef MPI_INTEGER4
    add_integer("INTEGER4", MPI_INTEGER4, FAMILY_OTHER_INTEGER);
#endif
#ifdef MPI_INTEGER8
    add_integer("INTEGER8", MPI_INTEGER8, FAMILY_OTHER_INTEGER);
#endif
#ifdef MPI_LOGICAL1
    add_logical("LOGICAL1", MPI_LOGICAL1);
#endif
#ifdef MPI_LOGICAL2
    add_logical("LOGICAL2", MPI_LOGICAL2);
#endif
#ifdef MPI_LOGICAL4
    add_logical("LOGICAL4", MPI_LOGICAL4);
#endif
#ifdef MPI_LOGICAL8
    add_logical("LOGICAL8", MPI_LOGICAL8);
#endif
#ifdef MPI_REAL4
    add_real("REAL4", MPI_REAL4);
    add_complex("COMPLEX8", MPI_COMPLEX8);
#endif
#ifdef MPI_REAL8
    add_real("REAL8", MPI_REAL8);
    add_complex("COMPLEX16", MPI_COMPLEX16);
#endif
#ifdef MPI_REAL16
    if (adds_long_doubles(MPI_REAL16)) {
        add_real("REAL16", MPI_REAL16);
        add_complex("COMPLEX32", MPI_COMPLEX32);
    }
#endif
}

/* Handles that belong to no name: they are predefined, and combine like the type they stand for. */
static void add_fortran_by_range(void)
{
    MPI_Datatype type;
    if (MPI_Type_create_f90_integer(9, &type) == MPI_SUCCESS) {
        add_integer("f90_integer(9)", type, FAMILY_OTHER_INTEGER);
    }
    if (MPI_Type_create_f90_integer(18, &type) == MPI_SUCCESS) {
        add_integer("f90_integer(18)", type, FAMILY_OTHER_INTEGER);
    }
    if (MPI_Type_create_f90_real(6, MPI_UNDEFINED, &type) == MPI_SUCCESS) {
        add_real("f90_real(6)", type);
    }
    if (MPI_Type_create_f90_real(15, 300, &type) == MPI_SUCCESS) {
        add_real("f90_real(15, 300)", type);
    }
    if (MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &type) == MPI_SUCCESS) {
        add_complex("f90_complex(6)", type);
    }
    if (MPI_Type_create_f90_complex(15, 300, &type) == MPI_SUCCESS) {
        add_complex("f90_complex(15, 300)", type);
    }
}

const struct test_element *test_elements_every(size_t *count)
{
    if (table_size == 0) {
        MPI_Errhandler handler;
        const struct test_element *some = test_elements(&table_size);
        memcpy(table, some, table_size * sizeof *some);
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* types may be missing */
        add_c();
        add_cxx();
        add_fortran();
        add_fortran_with_sizes();
        add_fortran_by_range();
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        MPI_Errhandler_free(&handler);
    }
    *count = table_size;
    return table;
}
