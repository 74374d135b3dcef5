/*
 * The matrix that is transformed: complex numbers that any rank can compute, so that the check of
 * the result needs no communication; and which rows a rank holds.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_MATRIX_H
#define EXAMPLES_MATRIX_H

#include <complex.h>
#include <stdint.h>

/* The rows of a size x size matrix that this rank holds, one after the other. */
struct matrix_share {
    int size;
    int first;
    int rows;
};

/* Element (row, column) of the input: both parts are random, between -1 and 1. */
double complex matrix_element(int row, int column);

/* The root mean square of the elements of the transform of such a matrix. */
double matrix_transform_magnitude(int size);

void matrix_fill(const struct matrix_share *share, double complex *rows);

/* All bits of this rank's rows as one number; those of all ranks add up to that of the matrix. */
uint64_t matrix_hash(const struct matrix_share *share, const double complex *rows);

#endif
