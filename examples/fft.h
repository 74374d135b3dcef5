/*
 * The one-dimensional fast Fourier transform of rows whose length is a power of two. It knows
 * nothing of MPI.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_FFT_H
#define EXAMPLES_FFT_H

#include <complex.h>
#include <stdbool.h>

struct fft {
    int size;
    double complex *roots; /* exp(-2 pi i j / size), size / 2 of them */
};

/* False if there is no memory. */
bool fft_open(struct fft *fft, int size);

void fft_close(struct fft *fft);

/* Each row, in place: element k becomes the sum of x[j] exp(-2 pi i j k / size), not scaled. */
void fft_rows(const struct fft *fft, double complex *rows, int count);

#endif
