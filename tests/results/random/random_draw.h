/*
 * Random numbers of one stream, one after the other.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_RANDOM_DRAW_H
#define SYMM_TESTS_RANDOM_DRAW_H

#include "tests/harness/harness.h"

#include <stdbool.h>
#include <stdint.h>

struct draw {
    uint64_t stream;
    uint64_t next;
};

static inline uint64_t below(struct draw *draw, uint64_t limit)
{
    return test_random(draw->stream, draw->next++) % limit;
}

static inline bool one_in(struct draw *draw, uint64_t chances)
{
    return below(draw, chances) == 0;
}

#endif
