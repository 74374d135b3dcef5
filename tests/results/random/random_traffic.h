/*
 * What goes on around random calls on the same communicator: collectives that nobody serves,
 * messages, and nonblocking collectives that are under way during the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_RANDOM_TRAFFIC_H
#define SYMM_TESTS_RANDOM_TRAFFIC_H

#include "tests/results/random/random_call.h"

void random_traffic_before(const struct random_call *call);

/* All ranks of the communicator start, make the call, and finish. */
void random_traffic_start(const struct random_call *call);
void random_traffic_finish(const struct random_call *call);

#endif
