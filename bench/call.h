/*
 * call.h - one collective call as it is measured: which one, how large, on which buffers. Only
 * this file decides what in place means: all others ask it where a call's input and result are.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_CALL_H
#define BENCH_CALL_H

#include "buffers.h"

#include <mpi.h>

struct call {
    enum collective collective;
    size_t bytes; /* the size in the table: of the vector or of a block; 0 for a barrier */
    int rank;
    int ranks;
    bool in_place;
    enum element element; /* of an all-reduce */
    const struct buffers *buffers;
};

/* "MPI_Allreduce" and so on. */
const char *call_name(enum collective collective);

/* Rounds the sizes of an all-reduce up to its elements of four bytes. All-gather moves bytes. */
size_t call_round(enum collective collective, size_t bytes);

/* The first byte of this rank's input, `bytes` long, within the result if in place. */
unsigned char *call_input(const struct call *call);

/* Length of the result, which stands in the receive buffer. */
size_t call_result_bytes(const struct call *call);

/* Makes the call. */
void call_run(const struct call *call, MPI_Comm comm);

/* What a program does between two calls: reads all of the last result, writes all of its input. */
void call_touch(const struct call *call, int round);

#endif
