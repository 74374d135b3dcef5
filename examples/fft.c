/*
 * The radix-2 transform of Cooley and Tukey, in place: the elements change places by reversed bits,
 * then pairs of transforms are joined to transforms of twice the length.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fft.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

bool fft_open(struct fft *fft, int size)
{
    double angle = -2.0 * acos(-1.0) / size;

    *fft = (struct fft){size, malloc(((size_t)size / 2 + 1) * sizeof *fft->roots)};
    for (int j = 0; fft->roots != NULL && j < size / 2; j++) {
        fft->roots[j] = CMPLX(cos(j * angle), sin(j * angle));
    }
    return fft->roots != NULL;
}

void fft_close(struct fft *fft)
{
    free(fft->roots);
}

/* `reversed` counts as `i` does, with its bits in the other order: a carry runs downwards. */
static void reverse_places(double complex *row, int size)
{
    for (int i = 0, reversed = 0; i < size; i++) {
        int bit = size / 2;

        if (i < reversed) {
            double complex other = row[i];

            row[i] = row[reversed];
            row[reversed] = other;
        }
        while (bit > 0 && (reversed & bit) != 0) {
            reversed ^= bit;
            bit /= 2;
        }
        reversed |= bit;
    }
}

/* Transforms of the lower and the upper half become one of both, of `length` elements. */
static void join_halves(const struct fft *fft, double complex *row, int length)
{
    int half = length / 2, step = fft->size / length;

    for (int k = 0; k < half; k++) {
        double complex lower = row[k];
        double complex upper = row[k + half] * fft->roots[k * step];

        row[k] = lower + upper;
        row[k + half] = lower - upper;
    }
}

static void transform_row(const struct fft *fft, double complex *row)
{
    reverse_places(row, fft->size);
    for (int length = 2; length <= fft->size; length *= 2) {
        for (int begin = 0; begin < fft->size; begin += length) {
            join_halves(fft, row + begin, length);
        }
    }
}

void fft_rows(const struct fft *fft, double complex *rows, int count)
{
    for (int row = 0; row < count; row++) {
        transform_row(fft, rows + (size_t)row * fft->size);
    }
}
