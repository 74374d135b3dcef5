/*
 * sweep.h - one rank's share of a collective, done in private memory: load from all sources, add in
 * order, store to all targets. Slices are whole vectors, so there are no tails to treat.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_SWEEP_H
#define BENCH_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

enum { SWEEP_VECTOR = 64 };

struct sweep {
    int sources;
    int targets;
    size_t slice;  /* bytes of each, a multiple of SWEEP_VECTOR */
    size_t stride; /* from one slice to the next, a multiple of SWEEP_VECTOR */
    unsigned char *from;
    unsigned char *to;
    bool streaming; /* write with non-temporal stores, where sweep_can_stream() */
};

bool sweep_can_stream(void);

void sweep_run(const struct sweep *sweep);

#endif
