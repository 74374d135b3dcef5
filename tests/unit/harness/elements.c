/*
 * elements.c - see elements.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/elements.h"

#include <stdlib.h>
#include <string.h>

#include "tests/reference/reduction.h"

enum { RANKS_MAX = 16 };

/* Upper triangular 3 x 3 matrices with ones on the diagonal, modulo 2^32. */
struct group_element {
    uint32_t x, y, z;
};

static struct group_element product(struct group_element a, struct group_element b)
{
    return (struct group_element){.x = a.x + b.x, .y = a.y + b.y, .z = a.z + b.z + a.x * b.y};
}

/* ---- reductions, as a caller of symm_fold() gives them --------------------------------------- */

static void float_reduce(void *context, const void *source, void *target, size_t count)
{
    const float *from = source;
    float *to = target;
    (void)context;
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i] + to[i];
    }
}

static void float_combine(void *context, const void *left, const void *right, void *target,
                          size_t count)
{
    const float *one = left, *two = right;
    float *to = target;
    (void)context;
    for (size_t i = 0; i < count; i++) {
        to[i] = one[i] + two[i];
    }
}

static void int32_reduce(void *context, const void *source, void *target, size_t count)
{
    const uint32_t *from = source;
    uint32_t *to = target;
    (void)context;
    for (size_t i = 0; i < count; i++) {
        to[i] += from[i];
    }
}

static void group_reduce(void *context, const void *source, void *target, size_t count)
{
    const struct group_element *from = source;
    struct group_element *to = target;
    (void)context;
    for (size_t i = 0; i < count; i++) {
        to[i] = product(from[i], to[i]);
    }
}

const struct symm_reduction element_reductions[ELEMENT_TYPES] = {
    [ELEMENT_FLOAT] = {.extent = sizeof(float), .reduce = float_reduce, .combine = float_combine},
    [ELEMENT_INT32] = {.extent = sizeof(int32_t), .reduce = int32_reduce},
    [ELEMENT_GROUP] = {.extent = sizeof(struct group_element), .ordered = true,
                       .reduce = group_reduce},
};

/* ---- random elements and what becomes of them ------------------------------------------------ */

static struct unit_random elements_start(uint64_t stream, int rank)
{
    return unit_random_start(stream, (uint64_t)rank + 5000);
}

/* Magnitudes from 2^-12 to 2^12, so that nearly every addition rounds. */
static float float_next(struct unit_random *random)
{
    uint64_t word = unit_random_next(random);
    float fraction = (float)(word & 0xffffff) / 16777216.0F;
    int exponent = (int)(word >> 32 & 0x1f) - 15;
    float scale = exponent < 0 ? 1.0F / (float)(1U << -exponent) : (float)(1U << exponent);
    return (word >> 63 != 0 ? -1.0F : 1.0F) * (fraction + 0.5F) * scale;
}

static struct group_element group_next(struct unit_random *random)
{
    uint64_t word = unit_random_next(random);
    return (struct group_element){
        .x = (uint32_t)word, .y = (uint32_t)(word >> 32), .z = (uint32_t)(word >> 16)};
}

/* The forms of the types that MPI's operations can reduce. */
static const struct test_form forms[ELEMENT_TYPES] = {
    [ELEMENT_FLOAT] = {.family = FAMILY_REAL, .scalar = SCALAR_FLOAT, .extent = sizeof(float)},
    [ELEMENT_INT32] = {.family = FAMILY_INTEGER, .scalar = SCALAR_INT32,
                       .extent = sizeof(int32_t)},
};

union element {
    float number;
    uint32_t integer;
    struct group_element member;
};

static void element_next(enum element_type type, struct unit_random *random, union element *element)
{
    switch (type) {
    case ELEMENT_FLOAT:
        element->number = float_next(random);
        break;
    case ELEMENT_INT32:
        element->integer = (uint32_t)unit_random_next(random);
        break;
    default:
        element->member = group_next(random);
        break;
    }
}

/* One element of the result, drawing the next number of every rank's sequence: 0, 1, 2, ... */
static void element_expect(enum element_type type, struct unit_random *randoms, int ranks,
                           union element *expected)
{
    union element drawn[RANKS_MAX];
    const void *elements[RANKS_MAX];
    for (int rank = 0; rank < ranks; rank++) {
        element_next(type, &randoms[rank], &drawn[rank]);
        elements[rank] = &drawn[rank];
    }
    if (type != ELEMENT_GROUP) {
        test_reduce(&forms[type], OP_SUM, ranks, elements, expected);
        return;
    }
    expected->member = drawn[0].member;
    for (int rank = 1; rank < ranks; rank++) {
        expected->member = product(expected->member, drawn[rank].member);
    }
}

void elements_fill(enum element_type type, void *array, size_t count, uint64_t stream, int rank)
{
    struct unit_random random = elements_start(stream, rank);
    unsigned char *byte = array;
    size_t extent = element_reductions[type].extent;
    for (size_t i = 0; i < count; i++) {
        union element element;
        element_next(type, &random, &element);
        memcpy(byte + i * extent, &element, extent);
    }
}

/* All of what is expected. */
static void elements_expect(enum element_type type, unsigned char *expected, size_t count,
                            uint64_t stream, int ranks)
{
    struct unit_random randoms[RANKS_MAX];
    size_t extent = element_reductions[type].extent;
    for (int rank = 0; rank < ranks; rank++) {
        randoms[rank] = elements_start(stream, rank);
    }
    for (size_t i = 0; i < count; i++) {
        union element element;
        element_expect(type, randoms, ranks, &element);
        memcpy(expected + i * extent, &element, extent);
    }
}

/* It is often asked with the same numbers, by one algorithm after the other. */
bool elements_are_reduced(enum element_type type, const void *array, size_t count, uint64_t stream,
                          int ranks)
{
    static unsigned char *expected;
    static uint64_t last[4];
    const uint64_t now[] = {type, count, stream, (uint64_t)ranks};
    size_t bytes = count * element_reductions[type].extent;
    if (expected == NULL || memcmp(now, last, sizeof(now)) != 0) {
        free(expected);
        expected = malloc(bytes + 1);
        if (expected == NULL) {
            return false;
        }
        elements_expect(type, expected, count, stream, ranks);
        memcpy(last, now, sizeof(now));
    }
    return memcmp(array, expected, bytes) == 0;
}
