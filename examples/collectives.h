/*
 * The two collectives of the training, with a stop-watch around each call, and the memory they work
 * in. This is where the example meets MPI_Alloc_mem, MPI_Allreduce and MPI_Allgather.
 *
 * Errors of MPI end the job (MPI_ERRORS_ARE_FATAL, MPI's default for a communicator).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_COLLECTIVES_H
#define EXAMPLES_COLLECTIVES_H

#include <mpi.h>
#include <stddef.h>

enum memory_kind { MEMORY_ALLOC_MEM, MEMORY_MALLOC };

/* What one kind of call took on this rank. The time includes waiting for ranks that come later. */
struct call_record {
    long calls;
    size_t bytes; /* what one call sends from one rank */
    double seconds;
    double first_seconds; /* the first call alone; part of `seconds` */
};

struct collectives {
    MPI_Comm comm;
    int rank;
    int size;
    enum memory_kind memory;
    struct call_record allreduce;
    struct call_record allgather;
};

void collectives_init(struct collectives *collectives, MPI_Comm comm, enum memory_kind memory);

/* "MPI_Alloc_mem" or "malloc" */
const char *collectives_memory_name(const struct collectives *collectives);

/* `count` doubles set to zero, for use in the calls below; ends the job if there is no memory. */
double *collectives_allocate(const struct collectives *collectives, size_t count);

void collectives_free(const struct collectives *collectives, double *memory);

/* The sums over all ranks of `count` doubles. `from` and `to` do not overlap. */
void collectives_sum(struct collectives *collectives, const double *from, double *to, int count);

/* `count` doubles of each rank, one rank after the other, into `to` (size x count doubles). */
void collectives_gather(struct collectives *collectives, const double *from, double *to, int count);

#endif
