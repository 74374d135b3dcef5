/*
 * What the command lines of the examples share: the loop over the options, the messages about bad
 * ones, integers and --memory. What options there are is each program's own.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_ARGUMENTS_H
#define EXAMPLES_ARGUMENTS_H

#include "memory.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

enum arguments_outcome { ARGUMENTS_GOOD, ARGUMENTS_HELP, ARGUMENTS_BAD };

/* Where a message about a bad value goes. */
struct complaint {
    const char *option;
    char *error;
    size_t error_size;
};

/* Puts the value of the option with this letter into *options; `text` is NULL if it takes none. */
typedef bool arguments_take(const struct complaint *complaint, int letter, const char *text,
                            void *options);

/*
 * Hands the options to `take`, one after the other, until one is bad; 'h' is --help. ARGUMENTS_BAD:
 * `error` holds one line that names the bad word and the remedy.
 */
enum arguments_outcome arguments_parse(int argc, char **argv, const struct option *long_options,
                                       arguments_take *take, void *options, char *error,
                                       size_t error_size);

/* Says that `value` is not `remedy`; returns false, as do the functions below on a bad value. */
bool arguments_complain(const struct complaint *complaint, const char *value, const char *remedy);

bool arguments_integer(const struct complaint *complaint, const char *text, int least, int *value);

bool arguments_memory(const struct complaint *complaint, const char *text,
                      enum memory_kind *memory);

#endif
