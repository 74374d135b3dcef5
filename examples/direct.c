/*
 * Direct sums. A column of the transform takes one sum over each row of the input, and of those one
 * sum for each of its elements.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "direct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool direct_open(struct direct *direct, int size)
{
    double turn = 2.0 * acos(-1.0);

    *direct = (struct direct){.size = size};
    direct->roots = malloc((size_t)size * sizeof *direct->roots);
    direct->sums = malloc((size_t)size * sizeof *direct->sums);
    direct->expected = malloc((size_t)size * sizeof *direct->expected);
    if (direct->roots == NULL || direct->sums == NULL || direct->expected == NULL) {
        direct_close(direct);
        return false;
    }
    for (int j = 0; j < size; j++) {
        direct->roots[j] = CMPLX(cos(turn * j / size), -sin(turn * j / size));
    }
    return true;
}

void direct_close(struct direct *direct)
{
    free(direct->roots);
    free(direct->sums);
    free(direct->expected);
}

double direct_tolerance(int size)
{
    return 1e-12 * (1.0 + log2(size));
}

/* The power of a root; powers repeat after `size`, which is a power of two. */
static double complex root(const struct direct *direct, int row, int column)
{
    return direct->roots[(unsigned)row * (unsigned)column % (unsigned)direct->size];
}

/* Column `column` of the transform, into direct->expected. */
static void sum_column(const struct direct *direct, int column)
{
    for (int row = 0; row < direct->size; row++) {
        double complex sum = 0.0;

        for (int j = 0; j < direct->size; j++) {
            sum += matrix_element(row, j) * root(direct, j, column);
        }
        direct->sums[row] = sum;
    }
    for (int k = 0; k < direct->size; k++) {
        double complex sum = 0.0;

        for (int row = 0; row < direct->size; row++) {
            sum += direct->sums[row] * root(direct, row, k);
        }
        direct->expected[k] = sum;
    }
}

/* The largest error of a column; NaN is larger than any number. */
static double compare_column(const struct direct *direct, int column, const double complex *turned,
                             char *error, size_t error_size)
{
    double largest = 0.0;

    for (int k = 0; k < direct->size; k++) {
        double complex expected = direct->expected[k];
        double off = cabs(turned[k] - expected) / matrix_transform_magnitude(direct->size);

        if (!(off <= direct_tolerance(direct->size)) && *error == '\0') {
            snprintf(error, error_size,
                     "element (%d, %d) is %.17g%+.17gi, but the direct sum is %.17g%+.17gi "
                     "(error %.2g, rounding makes at most %.2g)",
                     k, column, creal(turned[k]), cimag(turned[k]), creal(expected),
                     cimag(expected), off, direct_tolerance(direct->size));
        }
        largest = off <= largest ? largest : off;
    }
    return largest;
}

double direct_check(const struct direct *direct, const struct matrix_share *share,
                    const double complex *turned, char *error, size_t error_size)
{
    bool whole = direct->size <= DIRECT_WHOLE || share->rows <= DIRECT_SAMPLE;
    int count = whole ? share->rows : DIRECT_SAMPLE;
    double largest = 0.0;

    for (int i = 0; i < count; i++) {
        /* the first and the last are among them */
        int row = whole ? i : (int)((long)i * (share->rows - 1) / (count - 1));
        double off;

        sum_column(direct, share->first + row);
        off = compare_column(direct, share->first + row, turned + (size_t)row * direct->size, error,
                             error_size);
        largest = off <= largest ? largest : off;
    }
    return largest;
}
