/*
 * Parses the command line of fft2d. Every value is checked here, so that the rest of the program
 * can rely on it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fft2d_options.h"

#include <stdio.h>
#include <string.h>

static const struct fft2d_options defaults = {
    .size = 256,
    .repeat = 10,
    .method = {true, true},
    .memory = MEMORY_BEST,
};

static const struct option long_options[] = {
    {"size", required_argument, NULL, 's'},   {"method", required_argument, NULL, 'm'},
    {"memory", required_argument, NULL, 'M'}, {"repeat", required_argument, NULL, 'r'},
    {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
};

void fft2d_options_print_help(void)
{
    printf("usage: mpirun -n RANKS fft2d [options]\n"
           "Transforms a square matrix of complex numbers, its rows spread over the ranks, and\n"
           "compares the result with direct sums.\n"
           "\n"
           "  --size N               rows and columns, a power of two (%d)\n"
           "  --method M             what turns the matrix: alltoall, alltoallw or both (both)\n"
           "  --memory M             memory of the collectives: alloc, malloc, cuda or staged\n"
           "                         (cuda where ranks have GPUs that can be used, else alloc)\n"
           "  --repeat R             transforms by each method; the median time counts (%d)\n"
           "  --help                 this text\n",
           defaults.size, defaults.repeat);
}

static int power_of_two_up_to(int value)
{
    int power = 1;

    while (power <= value / 2) {
        power *= 2;
    }
    return power;
}

static bool take_size(const struct complaint *complaint, const char *text, int *size)
{
    char remedy[80];
    int near;

    if (!arguments_integer(complaint, text, 1, size)) {
        return false;
    }
    near = power_of_two_up_to(*size < FFT2D_MOST ? *size : FFT2D_MOST);
    if (near == *size) {
        return true;
    }
    snprintf(remedy, sizeof remedy, "a power of two from 1 to %d; try %d", FFT2D_MOST, near);
    return arguments_complain(complaint, text, remedy);
}

static bool take_method(const struct complaint *complaint, const char *text, bool *method)
{
    bool both = strcmp(text, "both") == 0;

    method[TRANSPOSE_ALLTOALL] = both || strcmp(text, "alltoall") == 0;
    method[TRANSPOSE_ALLTOALLW] = both || strcmp(text, "alltoallw") == 0;
    return method[TRANSPOSE_ALLTOALL] || method[TRANSPOSE_ALLTOALLW]
           || arguments_complain(complaint, text, "'alltoall', 'alltoallw' or 'both'");
}

/* An option's value goes into the struct fft2d_options at `to`. */
static bool take_value(const struct complaint *complaint, int letter, const char *text, void *to)
{
    struct fft2d_options *options = to;

    switch (letter) {
    case 's':
        return take_size(complaint, text, &options->size);
    case 'm':
        return take_method(complaint, text, options->method);
    case 'M':
        return arguments_memory(complaint, text, &options->memory);
    default:
        return arguments_integer(complaint, text, 1, &options->repeat);
    }
}

enum arguments_outcome fft2d_options_parse(int argc, char **argv, struct fft2d_options *options,
                                           char *error, size_t error_size)
{
    *options = defaults;
    return arguments_parse(argc, argv, long_options, take_value, options, error, error_size);
}

bool fft2d_options_fit(const struct fft2d_options *options, int ranks, char *error,
                       size_t error_size)
{
    int power = power_of_two_up_to(ranks);

    if (power != ranks) {
        snprintf(error, error_size,
                 "--size %d is no multiple of %d ranks; use a power of two, mpirun -n %d",
                 options->size, ranks, power);
    } else if (options->size < ranks) {
        snprintf(error, error_size, "--size %d is no multiple of %d ranks; use --size %d or more",
                 options->size, ranks, ranks);
    } else {
        return true;
    }
    return false;
}
