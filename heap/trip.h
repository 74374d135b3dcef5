/*
 * trip.h - how far apart the processors of a team's first two ranks are: the time that a cache line
 * takes from one to the other and back.
 *
 * Both ranks are in the same call, and have seen that the other is.  Neither waits for longer than
 * symm_trip_limit_ns, so a rank that has lost its processor costs the other no more.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TRIP_H
#define SYMM_HEAP_TRIP_H

#include "heap/control.h"

static const uint64_t symm_trip_limit_ns = 20000;

/*
 * Rank 0: nanoseconds of a round trip in call `sequence`, at least 1.  The quickest of a few
 * batches counts.  0: rank 1 has not sent all back in time.
 */
SYMM_API unsigned symm_trip_time(const struct symm_control *control, uint64_t sequence);

/* Rank 1, in the same call: send back what comes. */
SYMM_API void symm_trip_answer(const struct symm_control *control, uint64_t sequence);

#endif /* SYMM_HEAP_TRIP_H */
