/*
 * options.h - the command line of symm_info.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_OPTIONS_H
#define INFO_OPTIONS_H

#include <stdbool.h>

struct options {
    bool json, help, version;
};

/* False: the options are wrong, and standard error has been told. */
bool options_read(struct options *options, int argc, char **argv);

void options_help(void);

#endif /* INFO_OPTIONS_H */
