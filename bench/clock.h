/*
 * clock.h - time and medians. MPI_Wtime is not used because in some releases it counts whole
 * microseconds, which is longer than a small collective takes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

/* Microseconds since an arbitrary moment. */
double clock_us(void);

/* What one reading of the clock adds to a measured interval, in microseconds. */
double clock_cost_us(void);

/* Median of count >= 1 values, which are sorted in place. */
double clock_median(double *values, int count);

#endif
