/*
 * later_exchange.h - MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw, MPI_Allgatherv, MPI_Gatherv,
 * MPI_Scatterv and MPI_Scatter among the random calls: blocks of any lengths in any order, with a
 * type each in MPI_Alltoallw.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_LATER_EXCHANGE_H
#define SYMM_TESTS_LATER_EXCHANGE_H

#include "tests/processes/later/later_call.h"

#include <stdint.h>

/* Gives blocks of any lengths to some all-to-alls and all-gathers.  All ranks have the same
 * number. */
void later_exchange_draw(struct later_call *call, uint64_t random);

/* The arguments of the blocks. */
void later_exchange_describe(struct later_call *call, struct test_arguments *arguments);

#endif
