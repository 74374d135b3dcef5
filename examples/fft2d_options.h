/*
 * The command line of fft2d.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_FFT2D_OPTIONS_H
#define EXAMPLES_FFT2D_OPTIONS_H

#include "arguments.h"
#include "transpose.h"

#include <stdbool.h>
#include <stddef.h>

/* Counts of numbers stay below 2^31 with one rank, too. */
enum { FFT2D_MOST = 16384 };

struct fft2d_options {
    int size;   /* rows and columns of the matrix; a power of two */
    int repeat; /* transforms by each method */
    bool method[TRANSPOSE_METHODS];
    enum memory_kind memory;
};

/* Fills *options. ARGUMENTS_BAD: `error` holds one line that names the bad value and the remedy. */
enum arguments_outcome fft2d_options_parse(int argc, char **argv, struct fft2d_options *options,
                                           char *error, size_t error_size);

/* Whether the rows can be spread evenly over `ranks`; if not, `error` has the remedy. */
bool fft2d_options_fit(const struct fft2d_options *options, int ranks, char *error,
                       size_t error_size);

/* The text of --help, on standard output. */
void fft2d_options_print_help(void);

#endif
