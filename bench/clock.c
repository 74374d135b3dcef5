/*
 * clock.c - see clock.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <stdlib.h>
#include <time.h>

double clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

double clock_cost_us(void)
{
    enum { READINGS = 10000 };
    double start = clock_us();
    for (int i = 1; i < READINGS; i++) {
        clock_us();
    }
    return (clock_us() - start) / READINGS;
}

static int value_compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

double clock_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), value_compare);
    return count % 2 == 0 ? (values[count / 2 - 1] + values[count / 2]) / 2 : values[count / 2];
}
