/*
 * cacheline.h - how far apart two ranks are just now: the round trip of one cache line between the
 * first two ranks of rank 0's node. On a virtual machine the hypervisor may move the cores, and
 * every small collective then changes its time several times over; a measurement is only worth
 * something together with the state in which it was taken.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_CACHELINE_H
#define BENCH_CACHELINE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum cacheline_state {
    CACHELINE_NEAR,
    CACHELINE_FAR,
    CACHELINE_SHARED,  /* the two ranks take turns on one core: what is timed is the scheduler */
    CACHELINE_UNKNOWN, /* not timed, or rank 0 is alone on its node */
    CACHELINE_STATES,  /* how many states a block can have been measured in */
    CACHELINE_CHANGED = CACHELINE_STATES /* one state before, another one after */
};

struct shared_line;

struct cacheline {
    MPI_Comm control; /* borrowed */
    MPI_Comm node;
    MPI_Win window;
    struct shared_line *line;
    bool available;  /* on every rank: rank 0 has a partner, and trips are wanted */
    bool on_node;    /* this rank shares rank 0's node */
    bool crowded;    /* more ranks than cores on this node */
    int node_rank;
    uint64_t epoch;  /* probes so far */
    uint64_t ball;   /* where the counter in the line stands, in the two ranks that pass it */
};

/* Collective over `control`, whose rank 0 will hold the clock. */
void cacheline_open(struct cacheline *cacheline, MPI_Comm control);

/* From here on trips are not timed, and all states are unknown. The same on every rank. */
void cacheline_ignore(struct cacheline *cacheline);
void cacheline_close(struct cacheline *cacheline);

/* Collective; the same answer on every rank: nanoseconds of a round trip, 0 if not available. */
double cacheline_trip(struct cacheline *cacheline);

/* The state of a block from the round trips before and after it. */
enum cacheline_state cacheline_classify(double before, double after);

const char *cacheline_state_name(enum cacheline_state state);

#endif
