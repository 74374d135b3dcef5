/*
 * distances.c - a library for LD_PRELOAD in whose presence ranks measure, in place of the processors'
 * distance, what SYMM_TEST_TRIPS says: round trips in nanoseconds, with blanks between, in turn from
 * the first.  0: the other rank does not answer.  Used by tests/distance.tap.
 *
 * SYMM_TEST_TRIPS_TOLD=1: rank 0 says so in each measurement.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "heap/trip.h"

unsigned symm_trip_time(const struct symm_control *control, uint64_t sequence)
{
    static _Atomic unsigned measured;
    const char *trips = getenv("SYMM_TEST_TRIPS");
    unsigned long trip = 0, values[16];
    unsigned count = 0;
    char *end = NULL;
    (void)control;
    for (const char *at = trips; at != NULL && count < 16; at = end) {
        trip = strtoul(at, &end, 10);
        if (end == at) {
            break;
        }
        values[count++] = trip;
    }
    trip = count > 0 ? values[atomic_fetch_add(&measured, 1) % count] : 0;
    if (getenv("SYMM_TEST_TRIPS_TOLD") != NULL) {
        fprintf(stderr, "measured %lu in call %llu\n", trip,
                (unsigned long long)(sequence - symm_control_first_start));
    }
    return (unsigned)trip;
}

void symm_trip_answer(const struct symm_control *control, uint64_t sequence)
{
    (void)control, (void)sequence;
}
