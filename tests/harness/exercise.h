/*
 * Some collectives on any communicator, with their results checked: for tests whose subject is not
 * the data but communicators, threads or memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_EXERCISE_H
#define SYMM_TESTS_EXERCISE_H

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

/* Memory to work in; the contents do not matter before, and are arbitrary afterwards. */
struct test_memory {
    void *send;
    void *receive;
    size_t bytes; /* of each of the two; multiples of 8, at least 8 for every rank */
};

/* All ranks of the intra-communicator call them with the same number, which must not come twice
 * for one communicator, and the same `bytes` of the message. They report failures themselves. The
 * send buffer is overwritten as soon as the call returns, as a program may. */
void test_exercise_allreduce(MPI_Comm comm, uint64_t number, struct test_memory memory,
                             size_t bytes);
void test_exercise_allgather(MPI_Comm comm, uint64_t number, struct test_memory memory,
                             size_t bytes);

/* Small calls in memory of their own: a gather, scatter, reduce and broadcast, whose root changes
 * with the number; an MPI_Alltoallv whose counts differ, some of which are zero. */
void test_exercise_rooted(MPI_Comm comm, uint64_t number);
void test_exercise_exchange(MPI_Comm comm, uint64_t number);

/* All of them; all-reduce and all-gather for small, middle and larger messages up to `bytes`, in
 * malloc and MPI_Alloc_mem memory of its own. */
void test_exercise(MPI_Comm comm, uint64_t number, size_t bytes);

#endif
