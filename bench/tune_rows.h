/*
 * tune_rows.h - from times to rows: who wins, and for which sizes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_TUNE_ROWS_H
#define BENCH_TUNE_ROWS_H

#include "tune.h"

#include <stdio.h>

/* Writes the rows of one collective, and its times as comments. */
void tune_rows_write(FILE *file, const struct tune_part *part, int ranks, bool on_device);

#endif
