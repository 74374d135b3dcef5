/*
 * rank_device.c - see rank_device.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <mpi.h>

#include <stdlib.h>

#include "bench/failure.h"
#include "bench/rank_device.h"

struct device *rank_device_open(void)
{
    MPI_Comm node;
    char text[FAILURE_LENGTH];
    struct device *device;
    int local;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    MPI_Comm_free(&node);
    if (!device_open(&device, local, text)) {
        failure_stop("%s", text);
    }
    return device;
}

void *rank_device_memory(const struct device *device, size_t bytes)
{
    char text[FAILURE_LENGTH];
    void *memory = NULL;
    if (!device_allocate(device, bytes, &memory, text)) {
        failure_stop("%zu bytes: %s", bytes, text);
    }
    return memory;
}

void *rank_host_memory(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        failure_stop("no memory for %zu bytes", bytes);
    }
    return memory;
}

int rank_argument(int argc, char **argv, int number, int otherwise, int most)
{
    char *end = NULL;
    long value = argc > number ? strtol(argv[number], &end, 10) : otherwise;
    if ((end != NULL && *end != '\0') || value < 1 || value > most) {
        failure_stop("%s is no number from 1 to %d", argv[number], most);
    }
    return (int)value;
}
