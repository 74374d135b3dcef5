/*
 * options_check.h - which options of symm_bench exclude each other, or need what this Open MPI does
 * not have.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_OPTIONS_CHECK_H
#define BENCH_OPTIONS_CHECK_H

#include "options.h"

/* False after a message of at most `length` characters. */
bool options_check(const struct options *options, char *message, size_t length);

#endif
