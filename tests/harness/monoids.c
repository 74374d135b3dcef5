/*
 * Associative operations on basic and derived types.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An MPI user function computes inoutvec = invec * inoutvec, element by element, with the lower
 * ranks' contribution in invec.
 */
#include "tests/harness/monoids.h"

#include <stdatomic.h>
#include <string.h>

enum { PRIME = 1000003 };

struct matrix { int64_t a, b, c, d; };
struct brackets { int32_t closing, opening; };

static atomic_uint misuses;
static int least_length = 1;

unsigned test_monoids_misuses(void)
{
    return atomic_load(&misuses);
}

void test_monoids_allow_nothing(void)
{
    least_length = 0;
}

/* 2x2 matrices modulo a prime: a contiguous type of four integers. */

static void matrix_generate(uint64_t random, void *element)
{
    struct matrix m = {(int64_t)(random % PRIME), (int64_t)((random >> 16) % PRIME),
                       (int64_t)((random >> 32) % PRIME), (int64_t)((random >> 44) % PRIME)};
    memcpy(element, &m, sizeof m);
}

static void matrix_combine(const void *left, void *right)
{
    struct matrix l;
    struct matrix r;
    memcpy(&l, left, sizeof l);
    memcpy(&r, right, sizeof r);
    struct matrix product = {(l.a * r.a + l.b * r.c) % PRIME, (l.a * r.b + l.b * r.d) % PRIME,
                             (l.c * r.a + l.d * r.c) % PRIME, (l.c * r.b + l.d * r.d) % PRIME};
    memcpy(right, &product, sizeof product);
}

static MPI_Datatype matrix_type(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_INT64_T, &type);
    MPI_Type_commit(&type);
    return type;
}

/* Maps x -> scale * x + shift modulo a prime, composed; packed into one predefined integer. */

static uint64_t compose(uint64_t left, uint64_t right)
{
    uint64_t scale = (left >> 32) * (right >> 32) % PRIME;
    uint64_t shift = ((left >> 32) * (right & 0xffffffffu) + (left & 0xffffffffu)) % PRIME;
    return scale << 32 | shift;
}

static void packed_generate(uint64_t random, void *element)
{
    uint64_t map = (random % PRIME) << 32 | (random >> 32) % PRIME;
    memcpy(element, &map, sizeof map);
}

static void packed_combine(const void *left, void *right)
{
    uint64_t l;
    uint64_t r;
    memcpy(&l, left, sizeof l);
    memcpy(&r, right, sizeof r);
    r = compose(l, r);
    memcpy(right, &r, sizeof r);
}

static MPI_Datatype packed_type(void)
{
    return MPI_UINT64_T;
}

/* The same maps in a structure with a gap: what stands there must survive. */

static void affine_generate(uint64_t random, void *element)
{
    int32_t map[2] = {(int32_t)(random % PRIME), (int32_t)((random >> 32) % PRIME)};
    memcpy(element, map, sizeof map);
}

static void affine_combine(const void *left, void *right)
{
    int32_t l[2];
    int32_t r[2];
    memcpy(l, left, sizeof l);
    memcpy(r, right, sizeof r);
    uint64_t map = compose((uint64_t)l[0] << 32 | (uint32_t)l[1],
                           (uint64_t)r[0] << 32 | (uint32_t)r[1]);
    r[0] = (int32_t)(map >> 32);
    r[1] = (int32_t)(map & 0xffffffffu);
    memcpy(right, r, sizeof r);
}

static MPI_Datatype affine_type(void)
{
    MPI_Datatype pair;
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT32_T, &pair);
    MPI_Type_create_resized(pair, 0, 16, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&pair);
    return type;
}

/* Strings of brackets, shortened as far as they match: so many closing, then opening ones. */

static void brackets_generate(uint64_t random, void *element)
{
    struct brackets b = {(int32_t)(random % 9), (int32_t)((random >> 8) % 9)};
    memcpy(element, &b, sizeof b);
}

static void brackets_combine(const void *left, void *right)
{
    struct brackets l;
    struct brackets r;
    memcpy(&l, left, sizeof l);
    memcpy(&r, right, sizeof r);
    int32_t matched = l.opening < r.closing ? l.opening : r.closing;
    struct brackets joined = {l.closing + r.closing - matched, l.opening - matched + r.opening};
    memcpy(right, &joined, sizeof joined);
}

static MPI_Datatype brackets_type(void)
{
    return MPI_2INT;
}

/* Greatest common divisor: commutes, on a predefined type. */

static void divisor_generate(uint64_t random, void *element)
{
    int32_t value = (int32_t)(720720 / (random % 16 + 1) * ((random >> 8) % 12));
    memcpy(element, &value, sizeof value);
}

static void divisor_combine(const void *left, void *right)
{
    int32_t a;
    int32_t b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    memcpy(right, &a, sizeof a);
}

static MPI_Datatype divisor_type(void)
{
    return MPI_INT;
}

/* What a user function may rely on: some elements, and a type of the extent that was passed. */
static void apply(const struct test_monoid *monoid, const void *in, void *inout, const int *length,
                  MPI_Datatype *type)
{
    MPI_Aint lower;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(*type, &lower, &extent);
    if (*length < least_length || (size_t)extent != monoid->extent) {
        atomic_fetch_add(&misuses, 1);
        return;
    }
    for (int i = 0; i < *length; i++) {
        size_t at = (size_t)i * monoid->extent;
        monoid->combine((const char *)in + at, (char *)inout + at);
    }
}

static void matrix_function(void *in, void *inout, int *length, MPI_Datatype *type);
static void packed_function(void *in, void *inout, int *length, MPI_Datatype *type);
static void affine_function(void *in, void *inout, int *length, MPI_Datatype *type);
static void brackets_function(void *in, void *inout, int *length, MPI_Datatype *type);
static void divisor_function(void *in, void *inout, int *length, MPI_Datatype *type);

static const struct test_monoid monoids[] = {
    {"matrix product", 0, matrix_type, 32, 8, 32, matrix_function, matrix_generate,
     matrix_combine},
    {"packed affine maps", 0, packed_type, 8, 8, 8, packed_function, packed_generate,
     packed_combine},
    {"affine maps with a gap", 0, affine_type, 16, 4, 8, affine_function, affine_generate,
     affine_combine},
    {"brackets", 0, brackets_type, 8, 4, 8, brackets_function, brackets_generate,
     brackets_combine},
    {"greatest common divisor", 1, divisor_type, 4, 4, 4, divisor_function, divisor_generate,
     divisor_combine},
};

static void matrix_function(void *in, void *inout, int *length, MPI_Datatype *type)
{
    apply(&monoids[0], in, inout, length, type);
}

static void packed_function(void *in, void *inout, int *length, MPI_Datatype *type)
{
    apply(&monoids[1], in, inout, length, type);
}

static void affine_function(void *in, void *inout, int *length, MPI_Datatype *type)
{
    apply(&monoids[2], in, inout, length, type);
}

static void brackets_function(void *in, void *inout, int *length, MPI_Datatype *type)
{
    apply(&monoids[3], in, inout, length, type);
}

static void divisor_function(void *in, void *inout, int *length, MPI_Datatype *type)
{
    apply(&monoids[4], in, inout, length, type);
}

const struct test_monoid *test_monoids(size_t *count)
{
    *count = sizeof monoids / sizeof monoids[0];
    return monoids;
}
