/*
 * One job for many algorithms: a test's body runs once with each, as the environment says.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SYMM_TEST_SWEEP has lists of values of coll_symm_NAME_algorithm, as in
 *     allreduce=auto,inline,two_shot scan+exscan=auto,staged,staged
 * The body runs once for each place in the lists, on a communicator of its own, since a
 * communicator keeps the values that it has met in its first calls. With SYMM_TEST_DIGEST all of
 * these runs have to have the digest of the first one (test_digest); with SYMM_TEST_ONLY no other
 * algorithm, and not the component below, may have had a call of these collectives.
 *
 * SYMM_TEST_SHARE=N has one of N calls made, others at each place of the lists: what the default
 * run of the tests has time for.
 */
#ifndef SYMM_TESTS_SWEEP_H
#define SYMM_TESTS_SWEEP_H

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

/* The communicator of the calls under test: MPI_COMM_WORLD, or a duplicate of it in a sweep. */
extern MPI_Comm test_comm;

/* Runs the body as the environment says, or once. */
void test_sweep(void (*body)(void));

/* The algorithm that calls of the collective are forced to, by a sweep or by the parameter; or
 * NULL. */
const char *test_algorithm(const char *collective);

/*
 * Whether this run may leave out calls that go to the host whatever algorithm of devices is forced:
 * persistent ones, and such as no kernel is for. An earlier run of the sweep has made them.
 */
bool test_sweep_repeats(void);

/* Whether the call of that number is not among those that this run makes. Alike on all ranks. */
bool test_leaves_out(uint64_t number);

#endif
