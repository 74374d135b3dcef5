/*
 * compute.c - see compute.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "compute.h"

#include "clock.h"

enum {
    STEPS = 16,          /* of a unit, each of which waits for the one before: 40 to 60 ns */
    TRIAL_UNITS = 20000, /* about a millisecond */
    TRIALS = 9
};

/* Where results end up, so that no compiler drops them. */
static volatile double compute_sink;

static void work(long units)
{
    double value = compute_sink;
    for (long unit = 0; unit < units; unit++) {
        for (int step = 0; step < STEPS; step++) {
            value = value * 0.999 + 0.001;
        }
    }
    compute_sink = value;
}

void compute_open(struct compute *compute, int tests)
{
    double times[TRIALS];
    work(TRIAL_UNITS);
    for (int i = 0; i < TRIALS; i++) {
        double start = clock_us();
        work(TRIAL_UNITS);
        times[i] = clock_us() - start;
    }
    compute->unit_us = clock_median(times, TRIALS) / TRIAL_UNITS;
    compute->tests = tests;
    compute->units = 0;
}

void compute_set(struct compute *compute, double us)
{
    compute->units = (long)(us / compute->unit_us) + 1;
}

void compute_run(const struct compute *compute, MPI_Request *request)
{
    long pieces = request != NULL ? compute->tests + 1L : 1;
    long left = compute->units;
    int over = 0;
    for (; pieces > 1 && !over; pieces--) {
        long piece = left / pieces;
        work(piece);
        left -= piece;
        MPI_Test(request, &over, MPI_STATUS_IGNORE);
    }
    work(left);
}
