/*
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which GPU each rank has.
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

/* Collective over `control`: prints the lines, each beginning with '#', on its rank 0. */
void gpus_print(const struct gpus *gpus, MPI_Comm control);

#endif
