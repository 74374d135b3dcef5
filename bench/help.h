/*
 * help.h - the text of symm_bench --help.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_HELP_H
#define BENCH_HELP_H

#include <stdio.h>

void help_print(FILE *stream);

#endif
