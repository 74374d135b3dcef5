/*
 * gpus.h - which GPU each rank has.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_GPUS_H
#define BENCH_GPUS_H

#include "device.h"

#include <mpi.h>

struct gpus {
    struct device *device; /* this rank's */
    bool shared;           /* on every rank: two ranks have the same GPU */
};

/* Collective over `control`. If a rank has no GPU, rank 0 says why, and all return false. */
bool gpus_open(struct gpus *gpus, MPI_Comm control);
void gpus_close(struct gpus *gpus);

/* Keeps the GPU busy until it has left its idle clock, which takes a while. Returns the
 * microseconds of its smallest task: fill 4 bytes and wait for that. */
double gpus_warm_up(const struct gpus *gpus);

/* Collective over `control`: prints the lines, each beginning with '#', on its rank 0. Warms up. */
void gpus_print(const struct gpus *gpus, MPI_Comm control);

#endif
