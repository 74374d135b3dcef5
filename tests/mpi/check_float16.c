/*
 * MPI_Allreduce of 16-bit floats by the functions of symm.h, sent as integers and as two bytes:
 * all ranks have the same bits, within the rounding that N-1 operations of that precision allow.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heap/symm.h"

typedef void reducer(void *in, void *inout, int *count, struct ompi_datatype_t **datatype);

enum kind { SUM, PROD, MIN, MAX };

static const struct operation {
    const char *name;
    enum kind kind;
    bool is_half;
    reducer *function;
} operations[] = {
    {"half, sum", SUM, true, symm_half_sum},
    {"half, product", PROD, true, symm_half_prod},
    {"half, minimum", MIN, true, symm_half_min},
    {"half, maximum", MAX, true, symm_half_max},
    {"bfloat16, sum", SUM, false, symm_bfloat16_sum},
    {"bfloat16, product", PROD, false, symm_bfloat16_prod},
    {"bfloat16, minimum", MIN, false, symm_bfloat16_min},
    {"bfloat16, maximum", MAX, false, symm_bfloat16_max},
};

enum { COUNT_MOST = 40000, PLACE_OF_NAN = 7 };

static uint16_t input[COUNT_MOST], output[COUNT_MOST];
static uint64_t number; /* of the call */

/* Bits of the fraction, and the exponent of numbers from 1 to 2. */
static int fraction_bits(const struct operation *operation)
{
    return operation->is_half ? 10 : 7;
}

static unsigned exponent_of_one(const struct operation *operation)
{
    return operation->is_half ? 15 : 127;
}

/* Of normal numbers, zero and NaN; there are no others here. */
static double widen(const struct operation *operation, uint16_t bits)
{
    int width = fraction_bits(operation);
    unsigned exponent = (bits & 0x7fffu) >> width, fraction = bits & ((1u << width) - 1);
    double value = ldexp(1 + ldexp(fraction, -width),
                         (int)exponent - (int)exponent_of_one(operation));
    if (exponent == 0) {
        value = 0;
    } else if (exponent == 2 * exponent_of_one(operation) + 1) {
        value = fraction != 0 ? NAN : INFINITY;
    }
    return (bits & 0x8000u) != 0 ? -value : value;
}

/* Between 0.5 and 2 in size, so that products stay in range; one NaN, on the last rank. */
static uint16_t generate(const struct operation *operation, int rank, size_t i)
{
    uint64_t random = test_random(test_stream(number, (uint64_t)rank, 0), i);
    int width = fraction_bits(operation);
    unsigned exponent = exponent_of_one(operation) - (random >> 32 & 1);
    if (i == PLACE_OF_NAN && rank == test_size - 1) {
        exponent = 2 * exponent_of_one(operation) + 1;
    }
    return (uint16_t)((random >> 33 & 1) << 15 | exponent << width |
                      ((random & ((1u << width) - 1)) | 1));
}

/* What the exact result is, and how far from it one may be. */
static double reference(const struct operation *operation, size_t i, double *bound)
{
    double unit = operation->is_half ? ldexp(1, -11) : ldexp(1, -8), size = 0;
    double result = widen(operation, generate(operation, 0, i));
    size = fabs(result);
    for (int rank = 1; rank < test_size; rank++) {
        double next = widen(operation, generate(operation, rank, i));
        switch (operation->kind) {
        case SUM:
            result += next;
            size += fabs(next);
            break;
        case PROD:
            result *= next;
            size *= fabs(next);
            break;
        case MIN:
            result = isnan(next) || next < result ? next : result;
            break;
        case MAX:
            result = isnan(next) || next > result ? next : result;
            break;
        }
    }
    bool rounds = operation->kind == SUM || operation->kind == PROD;
    *bound = rounds ? 1.1 * test_size * unit * size : 0;
    return result;
}

static void check(const struct operation *operation, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double bound, found = widen(operation, output[i]);
        double expected = reference(operation, i, &bound);
        bool is_right = isnan(expected) ? isnan(found) : fabs(found - expected) <= bound;
        if (!is_right) {
            test_fail("element %zu of %zu: expected %g, found %g", i, count, expected, found);
            return;
        }
    }
    test_same_on_all(output, count, sizeof(*output), sizeof(*output));
}

static void run(const struct operation *operation, size_t count, bool as_bytes, bool in_place)
{
    MPI_Datatype type;
    MPI_Op op;
    number++;
    test_case("%s, %zu numbers%s%s", operation->name, count, as_bytes ? " of two bytes" : "",
              in_place ? ", in place" : "");
    MPI_Type_contiguous(2, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(SYMM_MPI_FUNCTION(operation->function), 1, &op);
    memset(output, 0x5a, sizeof(output));
    for (size_t i = 0; i < count; i++) {
        (in_place ? output : input)[i] = generate(operation, test_rank, i);
    }
    MPI_Allreduce(in_place ? MPI_IN_PLACE : input, output, (int)count,
                  as_bytes ? type : MPI_UINT16_T, op, MPI_COMM_WORLD);
    check(operation, count);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    static const size_t counts[] = {1, 9, 100, 1023, 10001, COUNT_MOST};
    test_begin(argc, argv, "check_float16", MPI_THREAD_SINGLE);
    for (size_t o = 0; o < sizeof(operations) / sizeof(*operations); o++) {
        for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
            run(&operations[o], counts[c], (o + c) % 2 != 0, (o + c) / 2 % 2 != 0);
        }
    }
    return test_end();
}
