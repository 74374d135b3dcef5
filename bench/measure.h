/*
 * measure.h - times one call in blocks, made by one side or by several that take turns, and sorts
 * the blocks by the state of the machine in which they were measured.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "cacheline.h"
#include "side.h"

struct measure_plan {
    const struct sides *sides;
    struct compute *compute;      /* beside calls that are not blocking; NULL: these are */
    MPI_Comm control;             /* barriers and everything that is not timed */
    struct cacheline *cacheline;
    enum access access;
    int iterations;               /* calls a side, over all blocks */
    int warmup;
    int blocks;                   /* blocks a side to keep */
};

/* Microseconds a call: over the ranks, of each rank's median over its blocks. */
struct measure_times {
    double average;
    double least;
    double most;
};

/* What was measured in one state of the machine. */
struct measure_row {
    bool enough;       /* on each side blocks enough for a median; else nothing below is set */
    int blocks;        /* kept, on the side that has fewer */
    double trip_ns;    /* median round trip around these blocks */
    struct measure_times times[SIDES_MOST];
};

struct measure_result {
    int calls;         /* timed calls a block */
    int timed;         /* blocks measured, both sides */
    int discarded;     /* of them, for a change of state */
    struct measure_row row[CACHELINE_STATES];
};

/* Collective over plan->control; times are valid on its rank 0, everything else on all. */
void measure_run(const struct measure_plan *plan, const struct call *call,
                 struct measure_result *result);

#endif
