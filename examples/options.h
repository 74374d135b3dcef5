/*
 * The command line of digits_training.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include "arguments.h"
#include "exchange.h"

#include <stdbool.h>
#include <stddef.h>

struct options {
    int epochs;      /* passes over the training samples */
    int batch;       /* samples a step, of all ranks together; 0: all training samples */
    double rate;     /* learning rate */
    double momentum; /* 0: plain gradient descent */
    enum exchange_form form;
    enum memory_kind memory;
    const char *data;   /* the data file */
    int rows;           /* rows that it must have; 0: any number */
    const char *result; /* file for the key=value lines, or NULL */
    bool quiet;         /* no progress lines */
};

/*
 * Fills *options, whose strings point into `argv`. ARGUMENTS_BAD: `error` holds one line that names
 * the bad value and the remedy.
 */
enum arguments_outcome options_parse(int argc, char **argv, struct options *options, char *error,
                                     size_t error_size);

/* The text of --help, on standard output. */
void options_print_help(void);

#endif
