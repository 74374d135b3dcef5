/*
 * MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw, MPI_Allgatherv, MPI_Gatherv and MPI_Scatterv among
 * the random calls: blocks of any lengths, in any order, with gaps between them, and with a type
 * each in MPI_Alltoallw.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Both ends of a block follow from the seed, so that every rank knows what it has to receive: the
 * whole receive buffer is known, and no other component is asked for its answer.
 */
#ifndef SYMM_TESTS_RANDOM_EXCHANGE_H
#define SYMM_TESTS_RANDOM_EXCHANGE_H

#include "tests/results/random/random_call.h"

/* Makes exchanges of some all-gathers and all-reduces, after all that they have has been drawn. */
void random_exchange_draw(struct random_call *call, const struct random_types *types);

/* What this rank sends: its send buffer, or its receive buffer if the call is in place.  Gaps keep
 * what they hold. */
void random_exchange_fill(const struct random_call *call, unsigned char *input);

void random_exchange_make(const struct random_call *call, const unsigned char *send,
                          unsigned char *receive);

/* Reports the first wrong byte of a receive buffer; gaps must hold the poison byte. */
void random_exchange_check(const struct random_call *call, const unsigned char *result,
                           unsigned char poison);

void random_exchange_describe(const struct random_call *call, char *text, size_t size);

#endif
