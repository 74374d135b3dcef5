/*
 * compute.h - a computation of a given length, which runs beside a call. It works in registers, so
 * what it takes longer than alone it has lost to the call: to its copies on this core, and to calls
 * of MPI_Test.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_COMPUTE_H
#define BENCH_COMPUTE_H

#include <mpi.h>

struct compute {
    double unit_us; /* of the least piece of work */
    int tests;
    long units;
};

/* Finds out how quick this core is. The computation is empty. */
void compute_open(struct compute *compute, int tests);

/* Makes the computation so long, with nothing beside it. */
void compute_set(struct compute *compute, double us);

/* The tests of *request are spread evenly, and end with the call; NULL: none. */
void compute_run(const struct compute *compute, MPI_Request *request);

#endif
