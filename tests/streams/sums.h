/*
 * sums.h - what the programs about ends and arguments have in common: a communicator with a stream,
 * buffers, sums that are checked, and errors that are expected.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STREAMS_SUMS_H
#define SYMM_TESTS_STREAMS_SUMS_H

#include "tests/harness/cuda_memory.h"
#include "tests/harness/cuda_streams.h"
#include "tests/harness/harness.h"

enum { SUMS_COUNT = 1000, SUMS_MOST = 1 << 18 };

extern bool sums_by_host; /* SYMM_STREAM_PATH says so; then MPI gives MPI_THREAD_MULTIPLE */
extern void *stream;
extern MPI_Comm comm;
extern int *input, *output;     /* of the device, SUMS_MOST elements */
extern int numbers[SUMS_MOST]; /* pageable */

/* MPI, the device, a stream and buffers. */
void sums_open(char **argv, const char *name);

/* The communicator.  The errors of MPI_COMM_WORLD stay fatal if that is wanted. */
void sums_begin(bool is_fatal);

void sums_write(int factor);
void sums_add(MPI_Comm on);

/* That the output is a sum of factor times the ranks, and that the communicator has not failed. */
void sums_check(int factor, const char *what);

/* All three, now. */
void sums_try(MPI_Comm on, int factor, const char *what);

/* A code of this class, with a sentence. */
void expect(int code, int error_class, const char *what);

#endif
