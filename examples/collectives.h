/*
 * What the collectives of the training share: where their numbers are, the copies around a call,
 * and a stop-watch; and MPI_Allgather. The all-reduces are in exchange.c. Numbers go in and come
 * out on the host, wherever the memory is that MPI works in.
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

/*
 * What one kind of collective took on this rank. A round is what the training does with it at once,
 * in one call or several. The time includes waiting for ranks that come later.
 */
struct call_record {
    long rounds;
    long calls;
    size_t bytes; /* what one round sends from one rank */
    double seconds;
    double first_seconds; /* the first round alone; part of `seconds` */
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

/* Brings `from` to where MPI shall read it; returns the moment from which time counts. */
double collectives_begin(const struct collectives *collectives, const struct buffer *from);

/* Brings `to` back to the host; returns the seconds since `start` that count. */
double collectives_end(const struct collectives *collectives, const struct buffer *to,
                       double start);

void collectives_record(struct call_record *record, int calls, size_t bytes, double seconds);

/* The numbers in `from` of each rank, one rank after the other, into `to` (size x as many). */
void collectives_gather(struct collectives *collectives, const struct buffer *from,
                        const struct buffer *to);

#endif
