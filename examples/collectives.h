/*
 * The two collectives of the training, MPI_Allreduce and MPI_Allgather, with a stop-watch around each
 * call. Numbers go in and come out on the host, wherever the memory is that MPI works in.
 *
 * Errors of MPI end the job (MPI_ERRORS_ARE_FATAL, MPI's default for a communicator).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_COLLECTIVES_H
#define EXAMPLES_COLLECTIVES_H

#include "memory.h"

#include <mpi.h>
#include <stddef.h>

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
    struct memory memory;
    struct call_record allreduce;
    struct call_record allgather;
};

/* The memory is to be opened with memory_open(). */
void collectives_init(struct collectives *collectives, MPI_Comm comm);

/* The sums over all ranks of from->count numbers. */
void collectives_sum(struct collectives *collectives, const struct buffer *from,
                     const struct buffer *to);

/* The numbers in `from` of each rank, one rank after the other, into `to` (size x as many). */
void collectives_gather(struct collectives *collectives, const struct buffer *from,
                        const struct buffer *to);

#endif
