/*
 * The direct two-dimensional transform, by its definition: what the result is checked against. It
 * knows nothing of MPI, and shares no table with fft.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_DIRECT_H
#define EXAMPLES_DIRECT_H

#include "matrix.h"

#include <stdbool.h>
#include <stddef.h>

/* Matrices up to this size are checked wholly, of larger ones DIRECT_SAMPLE rows of each rank. */
enum { DIRECT_WHOLE = 256, DIRECT_SAMPLE = 4 };

struct direct {
    int size;
    double complex *roots;    /* exp(-2 pi i j / size), size of them */
    double complex *sums;     /* room for one sum of each row of the input */
    double complex *expected; /* room for one row of the result */
};

/* False if there is no memory. */
bool direct_open(struct direct *direct, int size);

void direct_close(struct direct *direct);

/* Errors are relative to the root mean square of the transform; this much is rounding. */
double direct_tolerance(int size);

/*
 * Compares the turned transform, element (row, column) at [column][row], with the direct sums.
 * Returns the largest error. If that is too large, `error` names the first wrong element; otherwise
 * it is left as it is.
 */
double direct_check(const struct direct *direct, const struct matrix_share *share,
                    const double complex *turned, char *error, size_t error_size);

#endif
