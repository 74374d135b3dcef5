/*
 * Exchanges that are no ordinary ones: blocks that are too long, and ranks without data.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_EXCHANGE_ERRORS_H
#define SYMM_TESTS_EXCHANGE_ERRORS_H

#include <stdbool.h>

enum exchange_call { EXCHANGE_PLAIN, EXCHANGE_TYPED, EXCHANGE_GATHER, EXCHANGE_CALLS };

/* One rank sends another one more than the `count` integers that it has room for. */
void exchange_truncation(bool heap, enum exchange_call call, int count);

/* Four calls of MPI_Alltoallv, from this one on without any data of the last rank. */
void exchange_idle(int first_idle);

#endif
