/*
 * Parses the command line of digits_training. Every value is checked here, so that the rest of the
 * program can rely on it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The build gives the place of the file in the source tree. */
#ifndef DIGITS_FILE
#define DIGITS_FILE "examples/data/digits.csv"
#endif

static const struct options defaults = {
    .epochs = 24,
    .batch = 32,
    .rate = 0.01,
    .momentum = 0.9,
    .form = EXCHANGE_NONBLOCKING,
    .memory = MEMORY_BEST,
    .data = DIGITS_FILE,
    .rows = 1797,
    .result = NULL,
    .quiet = false,
};

static const struct option long_options[] = {
    {"epochs", required_argument, NULL, 'e'}, {"batch", required_argument, NULL, 'b'},
    {"rate", required_argument, NULL, 'r'},   {"momentum", required_argument, NULL, 'm'},
    {"form", required_argument, NULL, 'f'},   {"memory", required_argument, NULL, 'M'},
    {"data", required_argument, NULL, 'd'},   {"rows", required_argument, NULL, 'n'},
    {"result", required_argument, NULL, 'o'}, {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

void options_print_help(void)
{
    printf("usage: mpirun -n RANKS digits_training [options]\n"
           "Trains a network on handwritten digits, data-parallel over the ranks.\n"
           "\n"
           "  --epochs N             passes over the training samples (%d)\n"
           "  --batch B              samples a step, of all ranks together; 0: all (%d)\n"
           "  --rate R               learning rate (%g)\n"
           "  --momentum M           share of the last step that is kept, below 1 (%g)\n"
           "  --form F               calls for the gradients: blocking, nonblocking or persistent\n"
           "                         (%s)\n"
           "  --memory M             memory of the collectives: alloc, malloc, cuda or staged\n"
           "                         (cuda where ranks have GPUs that can be used, else alloc)\n"
           "  --data FILE            data file (%s)\n"
           "  --rows N               rows the data file must have; 0: any number (%d)\n"
           "  --result FILE          write accuracy, loss and times as key=value lines\n"
           "  --quiet                no progress lines\n"
           "  --help                 this text\n",
           defaults.epochs, defaults.batch, defaults.rate, defaults.momentum,
           exchange_form_name(defaults.form), defaults.data, defaults.rows);
}

static bool parse_real(const struct complaint *complaint, const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value)
           ? true
           : arguments_complain(complaint, text, "a number such as 0.01");
}

static bool parse_rate(const struct complaint *complaint, const char *text, double *rate)
{
    return parse_real(complaint, text, rate)
           && (*rate > 0.0 || arguments_complain(complaint, text, "above 0; try 0.01"));
}

static bool parse_momentum(const struct complaint *complaint, const char *text, double *momentum)
{
    return parse_real(complaint, text, momentum)
           && ((*momentum >= 0.0 && *momentum < 1.0)
               || arguments_complain(complaint, text, "from 0 to below 1; try 0.9"));
}

static bool parse_form(const struct complaint *complaint, const char *text,
                       enum exchange_form *form)
{
    for (*form = EXCHANGE_BLOCKING; *form <= EXCHANGE_PERSISTENT; ++*form) {
        if (strcmp(text, exchange_form_name(*form)) == 0) {
            return exchange_form_exists(*form)
                   || arguments_complain(complaint, text, "in this MPI; try 'nonblocking'");
        }
    }
    return arguments_complain(complaint, text, "'blocking', 'nonblocking' or 'persistent'");
}

static bool parse_path(const struct complaint *complaint, const char *text, const char **path)
{
    *path = text;
    return *text != '\0' || arguments_complain(complaint, text, "a file name");
}

/* An option's value goes into the struct options at `to`; --quiet has none. */
static bool parse_value(const struct complaint *complaint, int letter, const char *text, void *to)
{
    struct options *options = to;

    switch (letter) {
    case 'e':
        return arguments_integer(complaint, text, 1, &options->epochs);
    case 'b':
        return arguments_integer(complaint, text, 0, &options->batch);
    case 'n':
        return arguments_integer(complaint, text, 0, &options->rows);
    case 'r':
        return parse_rate(complaint, text, &options->rate);
    case 'm':
        return parse_momentum(complaint, text, &options->momentum);
    case 'f':
        return parse_form(complaint, text, &options->form);
    case 'M':
        return arguments_memory(complaint, text, &options->memory);
    case 'd':
        return parse_path(complaint, text, &options->data);
    case 'q':
        options->quiet = true;
        return true;
    default:
        return parse_path(complaint, text, &options->result);
    }
}

enum arguments_outcome options_parse(int argc, char **argv, struct options *options, char *error,
                                     size_t error_size)
{
    *options = defaults;
    return arguments_parse(argc, argv, long_options, parse_value, options, error, error_size);
}
