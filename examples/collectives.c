/*
 * The copies around a call, the stop-watch, and MPI_Allgather.
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

void collectives_record(struct call_record *record, int calls, size_t bytes, double seconds)
{
    if (record->rounds == 0) {
        record->first_seconds = seconds;
    }
    record->bytes = bytes;
    record->rounds++;
    record->calls += calls;
    record->seconds += seconds;
}

/*
 * Where the gradient is computed on the device there is no first copy; here the host does it, so
 * that the example needs no CUDA to be built. That copy is not part of the time, staging is.
 */
double collectives_begin(const struct collectives *collectives, const struct buffer *from)
{
    double start;

    memory_upload(&collectives->memory, from);
    start = MPI_Wtime();
    memory_stage_in(&collectives->memory, from);
    return start;
}

double collectives_end(const struct collectives *collectives, const struct buffer *to,
                       double start)
{
    double seconds;

    memory_stage_out(&collectives->memory, to);
    seconds = MPI_Wtime() - start;
    memory_download(&collectives->memory, to);
    return seconds;
}

void collectives_gather(struct collectives *collectives, const struct buffer *from,
                        const struct buffer *to)
{
    double start = collectives_begin(collectives, from);
    double seconds;

    MPI_Allgather(memory_address(&collectives->memory, from), from->count, MPI_DOUBLE,
                  memory_address(&collectives->memory, to), from->count, MPI_DOUBLE,
                  collectives->comm);
    seconds = collectives_end(collectives, to, start);
    collectives_record(&collectives->allgather, 1, (size_t)from->count * sizeof(double), seconds);
}
