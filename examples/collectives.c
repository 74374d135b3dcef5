/*
 * Timed MPI_Allreduce and MPI_Allgather, and the memory for them from MPI_Alloc_mem or malloc.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "collectives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void collectives_init(struct collectives *collectives, MPI_Comm comm, enum memory_kind memory)
{
    *collectives = (struct collectives){.comm = comm, .memory = memory};
    MPI_Comm_rank(comm, &collectives->rank);
    MPI_Comm_size(comm, &collectives->size);
}

const char *collectives_memory_name(const struct collectives *collectives)
{
    return collectives->memory == MEMORY_ALLOC_MEM ? "MPI_Alloc_mem" : "malloc";
}

double *collectives_allocate(const struct collectives *collectives, size_t count)
{
    size_t bytes = count * sizeof(double);
    void *memory = NULL;

    if (collectives->memory == MEMORY_ALLOC_MEM) {
        MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
    } else {
        memory = malloc(bytes);
    }
    if (memory == NULL) {
        fprintf(stderr, "digits_training: rank %d: no memory for %zu bytes from %s\n",
                collectives->rank, bytes, collectives_memory_name(collectives));
        MPI_Abort(collectives->comm, 1);
        abort(); /* MPI_Abort is not declared as one that does not return */
    }
    memset(memory, 0, bytes);
    return memory;
}

void collectives_free(const struct collectives *collectives, double *memory)
{
    if (collectives->memory == MEMORY_ALLOC_MEM) {
        MPI_Free_mem(memory);
    } else {
        free(memory);
    }
}

static void record_call(struct call_record *record, size_t bytes, double seconds)
{
    if (record->calls == 0) {
        record->first_seconds = seconds;
    }
    record->bytes = bytes;
    record->calls++;
    record->seconds += seconds;
}

void collectives_sum(struct collectives *collectives, const double *from, double *to, int count)
{
    double start = MPI_Wtime();

    MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, collectives->comm);
    record_call(&collectives->allreduce, (size_t)count * sizeof *from, MPI_Wtime() - start);
}

void collectives_gather(struct collectives *collectives, const double *from, double *to, int count)
{
    double start = MPI_Wtime();

    MPI_Allgather(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, collectives->comm);
    record_call(&collectives->allgather, (size_t)count * sizeof *from, MPI_Wtime() - start);
}
