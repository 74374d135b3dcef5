/*
 * Timed MPI_Allreduce and MPI_Allgather.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "collectives.h"

void collectives_init(struct collectives *collectives, MPI_Comm comm)
{
    *collectives = (struct collectives){.comm = comm, .memory = {.kind = MEMORY_ALLOC_MEM}};
    MPI_Comm_rank(comm, &collectives->rank);
    MPI_Comm_size(comm, &collectives->size);
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

/*
 * Where the gradient is computed on the device there is no first copy; here the host does it, so
 * that the example needs no CUDA to be built. That copy is not part of the time, staging is.
 */
static double call_begin(const struct collectives *collectives, const struct buffer *from)
{
    double start;

    memory_upload(&collectives->memory, from);
    start = MPI_Wtime();
    if (collectives->memory.kind == MEMORY_STAGED) {
        memory_download(&collectives->memory, from);
    }
    return start;
}

static void call_end(const struct collectives *collectives, const struct buffer *to, double start,
                     struct call_record *record, int count)
{
    if (collectives->memory.kind == MEMORY_STAGED) {
        memory_upload(&collectives->memory, to);
    }
    record_call(record, (size_t)count * sizeof(double), MPI_Wtime() - start);
    memory_download(&collectives->memory, to);
}

/* What MPI gets. */
static double *address(const struct collectives *collectives, const struct buffer *buffer)
{
    return collectives->memory.kind == MEMORY_CUDA ? buffer->device : buffer->host;
}

void collectives_sum(struct collectives *collectives, const struct buffer *from,
                     const struct buffer *to)
{
    double start = call_begin(collectives, from);

    MPI_Allreduce(address(collectives, from), address(collectives, to), from->count, MPI_DOUBLE,
                  MPI_SUM, collectives->comm);
    call_end(collectives, to, start, &collectives->allreduce, from->count);
}

void collectives_gather(struct collectives *collectives, const struct buffer *from,
                        const struct buffer *to)
{
    double start = call_begin(collectives, from);

    MPI_Allgather(address(collectives, from), from->count, MPI_DOUBLE, address(collectives, to),
                  from->count, MPI_DOUBLE, collectives->comm);
    call_end(collectives, to, start, &collectives->allgather, from->count);
}
