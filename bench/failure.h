/*
 * failure.h - failures that end a run. Either one rank meets one and ends the job, or all ranks
 * take a step together and all know afterwards whether it failed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_FAILURE_H
#define BENCH_FAILURE_H

#include <mpi.h>
#include <stdbool.h>

/* Room for what went wrong, in one sentence. */
enum { FAILURE_LENGTH = 512 };

/* The name that lines begin with, "symm_bench" unless a program changes it. */
extern const char *failure_program;

/* Prints "symm_bench: rank R: ..." as one line and ends the job. */
__attribute__((noreturn, format(printf, 1, 2))) void failure_stop(const char *format, ...);

/* Collective over `control`: whether all ranks have managed. If not, rank 0 prints the `text` of
 * the first one that has not, which has FAILURE_LENGTH bytes. */
bool failure_agree(bool managed, const char *text, MPI_Comm control);

#endif
