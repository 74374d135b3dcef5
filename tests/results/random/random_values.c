/*
 * Values for random calls.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/results/random/random_values.h"
#include "tests/harness/harness.h"
#include "tests/results/random/random_exchange.h"

#include <string.h>

enum { ROLE_VALUES = 0, SAMPLES = 256 };

uint64_t random_values_stream(const struct random_call *call, int rank)
{
    return test_stream(call->number, (uint64_t)rank, ROLE_VALUES);
}

bool random_values_same_bits(const struct random_call *call)
{
    return call->collective == TEST_ALLGATHER || call->operation != NULL || call->exact;
}

/* Sums and products of floating point come in both ways, and are drawn accordingly. */
static bool is_made_exact(const struct random_call *call)
{
    return call->exact && call->op <= OP_PROD && call->element->form.scalar >= SCALAR_FLOAT;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void put_real(enum test_scalar scalar, unsigned char *at, int value, int shift)
{
    double d = shift >= 0 ? value * (double)(1 << shift) : value / (double)(1 << -shift);
    float f = (float)d;
    long double l = d;
    if (scalar == SCALAR_FLOAT) {
        memcpy(at, &f, sizeof f);
    } else if (scalar == SCALAR_DOUBLE) {
        memcpy(at, &d, sizeof d);
    } else {
        memset(at, 0, sizeof l);
        memcpy(at, &l, test_scalar_used(scalar));
    }
}

/* Small integers for sums, powers of two for products. Complex factors are 2+i and 3+2i times
 * powers of two: none of their products lies on an axis, so that no zero's sign can differ. */
static void fill_exact(const struct random_call *call, int rank, unsigned char *input)
{
    const struct test_element *element = call->element;
    bool is_complex = element->form.family == FAMILY_COMPLEX;
    for (size_t i = 0; i < call->count; i++, input += element->form.extent) {
        uint64_t random = test_random(random_values_stream(call, rank), i);
        if (call->op == OP_SUM) {
            put_real(element->form.scalar, input, (int)(random % 2001) - 1000, 0);
            if (is_complex) {
                put_real(element->form.scalar, input + element->form.second,
                         (int)(random / 4096 % 2001) - 1000, 0);
            }
        } else {
            int sign = random % 2 == 0 ? 1 : -1;
            int shift = (int)(random / 2 % 5) - 2;
            int whole = (int)(random / 16 % 2);
            put_real(element->form.scalar, input, is_complex ? sign * (2 + whole) : sign, shift);
            if (is_complex) {
                put_real(element->form.scalar, input + element->form.second, sign * (1 + whole),
                         shift);
            }
        }
    }
}

static void fill_monoid(const struct random_call *call, int rank, unsigned char *input)
{
    const struct test_monoid *monoid = call->operation->monoid;
    for (size_t i = 0; i < call->count; i++) {
        uint64_t random = test_random(random_values_stream(call, rank), i);
        monoid->generate(random, input + i * monoid->extent);
    }
}

void random_values_fill(const struct random_call *call, int rank, void *input)
{
    if (random_call_exchanges(call)) {
        random_exchange_fill(call, input);
    } else if (call->collective == TEST_ALLGATHER) {
        test_layout_fill(&call->send, random_values_stream(call, rank), input, call->send_count);
    } else if (call->operation != NULL) {
        fill_monoid(call, rank, input);
    } else if (is_made_exact(call)) {
        fill_exact(call, rank, input);
    } else {
        test_generate(call->element, call->op, call->number, rank, call->comm->size, input,
                      call->count);
    }
}

/* ---- rounded results ------------------------------------------------------------------------- */

/* The ends, where slices and vectors begin and end, and places at random. */
static size_t sample(const struct random_call *call, size_t i)
{
    if (call->results <= SAMPLES) {
        return i;
    }
    if (i < SAMPLES / 4) {
        return i;
    }
    if (i < SAMPLES / 2) {
        return call->results - 1 - (i - SAMPLES / 4);
    }
    return test_random(random_values_stream(call, call->comm->size), i) % call->results;
}

void random_values_check_rounded(const struct random_call *call, const unsigned char *result,
                                 const unsigned char *other)
{
    size_t samples = call->results < SAMPLES ? call->results : SAMPLES;
    bool good = test_check_close(call->element, call->op, call->comm->size, result, other,
                                 call->results);
    for (size_t i = 0; good && i < samples; i++) {
        size_t at = sample(call, i);
        good = test_check_prefix(call->element, call->op, call->number, call->comm->size,
                                 random_call_sources(call), call->begin + at,
                                 result + at * call->element->form.extent);
    }
}
