/*
 * MPI_Allreduce of 16-bit floats by the functions of symm.h, sent as integers and as two bytes:
 * all ranks have the same bits, within the rounding that N-1 operations of that precision allow.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heap/symm.h"
#include "tests/reference/reduction.h"

typedef void reducer(void *in, void *inout, int *count, struct ompi_datatype_t **datatype);

#define HALF {.family = FAMILY_REAL, .scalar = SCALAR_HALF, .extent = 2}
#define BFLOAT16 {.family = FAMILY_REAL, .scalar = SCALAR_BFLOAT16, .extent = 2}

static const struct operation {
    const char *name;
    enum test_op op;
    struct test_form form;
    reducer *function;
} operations[] = {
    {"half, sum", OP_SUM, HALF, symm_half_sum},
    {"half, product", OP_PROD, HALF, symm_half_prod},
    {"half, minimum", OP_MIN, HALF, symm_half_min},
    {"half, maximum", OP_MAX, HALF, symm_half_max},
    {"bfloat16, sum", OP_SUM, BFLOAT16, symm_bfloat16_sum},
    {"bfloat16, product", OP_PROD, BFLOAT16, symm_bfloat16_prod},
    {"bfloat16, minimum", OP_MIN, BFLOAT16, symm_bfloat16_min},
    {"bfloat16, maximum", OP_MAX, BFLOAT16, symm_bfloat16_max},
};

enum { COUNT_MOST = 40000, PLACE_OF_NAN = 7 };

static uint16_t input[COUNT_MOST], output[COUNT_MOST];
static uint64_t number; /* of the call */

/* Bits of the fraction, and the exponent of numbers from 1 to 2. */
static int fraction_bits(const struct operation *operation)
{
    return operation->form.scalar == SCALAR_HALF ? 10 : 7;
}

static unsigned exponent_of_one(const struct operation *operation)
{
    return operation->form.scalar == SCALAR_HALF ? 15 : 127;
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

/* What the result is in long double, and its magnitude. */
static struct test_value reference(const struct operation *operation, size_t i)
{
    struct test_value result = {0};
    for (int rank = 0; rank < test_size; rank++) {
        uint16_t bits = generate(operation, rank, i);
        struct test_value next = test_value_load(&operation->form, &bits);
        result = rank == 0 ? next
                           : test_value_combine(&operation->form, operation->op, result, next);
    }
    return result;
}

static void check(const struct operation *operation, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        long double found = test_value_load(&operation->form, &output[i]).real;
        struct test_value expected = reference(operation, i);
        long double bound = test_error_bound(&operation->form, operation->op, test_size,
                                             expected.magnitude);
        bool is_right = isnan(expected.real) ? isnan(found)
                                             : fabsl(found - expected.real) <= bound;
        if (!is_right) {
            test_fail("element %zu of %zu: expected %Lg, found %Lg", i, count, expected.real,
                      found);
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
