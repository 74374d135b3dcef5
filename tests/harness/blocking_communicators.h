/*
 * blocking_communicators.h - the kinds of communicators that collectives are checked on.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_BLOCKING_COMMUNICATORS_H
#define SYMM_TESTS_BLOCKING_COMMUNICATORS_H

#include "tests/harness/blocking_calls.h"

/* What is known of a communicator, which returns errors from now on. */
struct blocking_case blocking_case_make(MPI_Comm comm, MPI_Op op, bool roots);

/*
 * A check of one communicator. `neighbors`: it has a topology, and is for the calls that need one.
 * `roots`: this rank is in the group that has the root, where there are two groups.
 */
typedef void blocking_check(MPI_Comm comm, const char *name, bool neighbors, bool roots);

/* Have it called for each: the world, this rank alone, two groups, a line and a ring. */
void blocking_communicators_check(blocking_check *check);

#endif
