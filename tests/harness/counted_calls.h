/*
 * counted_calls.h - calls in known numbers, for programs whose counters are looked at.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_COUNTED_CALLS_H
#define SYMM_TESTS_COUNTED_CALLS_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>

/* Zeros, from MPI_Alloc_mem or malloc; ends the job if there is no memory. */
void *counted_new_zeros(size_t bytes, bool from_mpi);

/* Sums of `bytes` bytes of MPI_DOUBLE on MPI_COMM_WORLD. */
void counted_reduce(int times, void *send, void *receive, int bytes);

void counted_gather(int times, void *send, void *receive, int count, MPI_Datatype type);

#endif /* SYMM_TESTS_COUNTED_CALLS_H */
