/*
 * For tests with forced algorithms: which calls those can serve, and buffers for such calls, at
 * every alignment in turn.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_FORCED_H
#define SYMM_TESTS_FORCED_H

#include "tests/harness/buffers.h"

enum { FORCED_LINE = 64 };

struct test_forced {
    size_t reduced;    /* bytes of a rank that the all-reduce algorithm takes */
    size_t gathered;   /* likewise, all-gather */
    bool in_place;     /* the all-reduce algorithm can do it */
    bool any_memory;   /* both take memory that is not from the heap */
    bool alike;        /* one takes memory only that lies alike on all ranks */
    bool reduces_gaps; /* with user-defined operations */
    bool gathers_gaps;
};

/* From what the sweep or the parameters say (tests/harness/sweep.h). */
struct test_forced test_forced_find(void);

/* Offsets from a cache line are multiples of `unit`, other ones for each rank (unless alike), role
 * and call; 64 calls with `number` counting up have them all. */
struct test_buffer test_forced_buffer(const struct test_forced *forced, uint64_t number,
                                      size_t bytes, size_t unit, enum test_role role);

#endif
