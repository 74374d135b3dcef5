/*
 * counted_calls.c - see counted_calls.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/counted_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *counted_new_zeros(size_t bytes, bool from_mpi)
{
    void *memory = NULL;
    if (from_mpi) {
        MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
    } else {
        memory = malloc(bytes);
    }
    if (memory == NULL) {
        fprintf(stderr, "no memory for the test's buffers\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    memset(memory, 0, bytes);
    return memory;
}

void counted_reduce(int times, void *send, void *receive, int bytes)
{
    for (int i = 0; i < times; i++) {
        MPI_Allreduce(send, receive, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

void counted_gather(int times, void *send, void *receive, int count, MPI_Datatype type)
{
    for (int i = 0; i < times; i++) {
        MPI_Allgather(send, count, type, receive, count, type, MPI_COMM_WORLD);
    }
}
