/*
 * ordering_stream_push.h - kernels of a stream lane that push tiles through a ring of slots.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_STREAM_PUSH_H
#define SYMM_TESTS_ORDERING_STREAM_PUSH_H

#include "tests/unit/ordering/ordering_stream_lanes.h"

/* One kernel.  Flags go between all ranks, also where no data do. */
void push_run(struct lanes *lanes, int tiles, int legs);

#endif /* SYMM_TESTS_ORDERING_STREAM_PUSH_H */
