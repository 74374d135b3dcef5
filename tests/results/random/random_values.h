/*
 * Inputs of random calls, and what is known of their results besides another component's answer.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_RANDOM_VALUES_H
#define SYMM_TESTS_RANDOM_VALUES_H

#include "tests/results/random/random_call.h"

/* Writes the contribution of `rank` of the communicator; gaps keep what they hold. */
void random_values_fill(const struct random_call *call, int rank, void *input);

/* Where the data come from that `rank` contributes to an all-gather. */
uint64_t random_values_stream(const struct random_call *call, int rank);

/* Whether every right answer has the same bits: all but sums and products of floating point, which
 * have them only if the call is exact. */
bool random_values_same_bits(const struct random_call *call);

/* For results without that: reports the first element that is too far from the other component's
 * answer or, among some elements, from a reduction in long double. */
void random_values_check_rounded(const struct random_call *call, const unsigned char *result,
                                 const unsigned char *other);

#endif
