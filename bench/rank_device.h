/*
 * rank_device.h - what small programs on GPU memory have alike: each rank's GPU, memory on it and
 * beside it, and numbers as arguments. Every error ends the job with a message.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_RANK_DEVICE_H
#define BENCH_RANK_DEVICE_H

#include <stddef.h>

#include "bench/device.h"

/* The GPU for this rank of those on its node. Collective over MPI_COMM_WORLD. */
struct device *rank_device_open(void);

/* Ordinary memory on the GPU, and of the host. */
void *rank_device_memory(const struct device *device, size_t bytes);
void *rank_host_memory(size_t bytes);

/* The argument of this number, from 1 to `most`; `otherwise` if it is not there. */
int rank_argument(int argc, char **argv, int number, int otherwise, int most);

#endif
