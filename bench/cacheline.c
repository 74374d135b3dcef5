/*
 * cacheline.c - two ranks pass a counter to and fro through one cache line of a shared MPI window.
 * The trips are timed in batches and the quickest batch counts, since a batch in which a rank lost
 * its core says nothing about distance. With more ranks than cores the others sleep meanwhile, and
 * batches go on for some time until the scheduler has given the two ranks a core each.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "cacheline.h"

#include "clock.h"

#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE_BYTES = 128, /* two lines of 64, which some processors fetch together */
    NEAR_NS = 250,    /* shorter trips are near */
    SHARED_NS = 1500, /* no interconnect is so slow: there was a change of process in every trip */
    BATCHES = 16,
    MOST_BATCHES = 200, /* while the two ranks seem to share a core */
    MOST_US = 60000,    /* where other programs take turns with the ranks, a trip takes ms */
    TRIPS = 32,
    TRIPS_BETWEEN_LOOKS = 8, /* at the clock */
    POLLS_BEFORE_YIELD = 2000,
    /* A trip that sits near the threshold may pass it by noise: less than this much more
     * after than before, or the other way round, is no change of state. */
    TOLERANCE_PERCENT = 25
};

struct shared_line {
    alignas(LINE_BYTES) _Atomic uint64_t ball;
    alignas(LINE_BYTES) _Atomic uint64_t finished; /* probes completed */
};

static bool node_holds_rank_zero(const struct cacheline *cacheline)
{
    int rank, lowest;
    MPI_Comm_rank(cacheline->control, &rank);
    MPI_Reduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, 0, cacheline->node);
    MPI_Bcast(&lowest, 1, MPI_INT, 0, cacheline->node);
    return lowest == 0;
}

/* The window may begin anywhere in a page, but pages start at page bounds in every process. */
static struct shared_line *window_line(MPI_Win window)
{
    MPI_Aint bytes;
    int unit;
    void *base;
    MPI_Win_shared_query(window, 0, &bytes, &unit, &base);
    uintptr_t address = ((uintptr_t)base + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return (struct shared_line *)address;
}

void cacheline_open(struct cacheline *cacheline, MPI_Comm control)
{
    int rank, ranks, available;
    void *mine;
    cacheline->control = control;
    cacheline->epoch = 0;
    cacheline->ball = 0;
    MPI_Comm_rank(control, &rank);
    MPI_Comm_split_type(control, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &cacheline->node);
    MPI_Comm_rank(cacheline->node, &cacheline->node_rank);
    MPI_Comm_size(cacheline->node, &ranks);
    cacheline->on_node = node_holds_rank_zero(cacheline);
    cacheline->crowded = ranks > (int)sysconf(_SC_NPROCESSORS_ONLN);
    MPI_Aint bytes = cacheline->node_rank == 0 ? (MPI_Aint)sizeof(struct shared_line) + LINE_BYTES
                                               : 0;
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, cacheline->node, &mine, &cacheline->window);
    cacheline->line = window_line(cacheline->window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, cacheline->window);
    if (cacheline->node_rank == 0) {
        atomic_init(&cacheline->line->ball, 0);
        atomic_init(&cacheline->line->finished, 0);
    }
    MPI_Barrier(cacheline->node);
    available = ranks > 1;
    MPI_Bcast(&available, 1, MPI_INT, 0, control);
    cacheline->available = available;
}

void cacheline_ignore(struct cacheline *cacheline)
{
    cacheline->available = false;
}

void cacheline_close(struct cacheline *cacheline)
{
    MPI_Win_unlock_all(cacheline->window);
    MPI_Win_free(&cacheline->window);
    MPI_Comm_free(&cacheline->node);
}

static bool probe_is_over(const struct cacheline *cacheline)
{
    return atomic_load_explicit(&cacheline->line->finished, memory_order_acquire)
           >= cacheline->epoch;
}

/* Waits until the ball has come; false if the probe ended instead. There is no pause instruction in
 * the loop: on some processors one pause is longer than a near trip. */
static bool ball_await(const struct cacheline *cacheline, uint64_t ball)
{
    int polls = 0;
    while (ball != atomic_load_explicit(&cacheline->line->ball, memory_order_acquire)) {
        if (probe_is_over(cacheline)) {
            return false;
        }
        if (++polls >= POLLS_BEFORE_YIELD) {
            sched_yield();
            polls = 0;
        }
    }
    return true;
}

static void ball_throw(const struct cacheline *cacheline, uint64_t ball)
{
    atomic_store_explicit(&cacheline->line->ball, ball, memory_order_release);
}

/*
 * Nanoseconds of a trip; trips end early at the deadline. The ball counts up for ever: odd on its
 * way out, even when it is back.
 */
static double batch_serve(struct cacheline *cacheline, double deadline)
{
    double start = clock_us();
    int trips = 0;
    do {
        for (int i = 0; i < TRIPS_BETWEEN_LOOKS; i++) {
            ball_throw(cacheline, cacheline->ball + 1);
            ball_await(cacheline, cacheline->ball + 2);
            cacheline->ball += 2;
        }
        trips += TRIPS_BETWEEN_LOOKS;
    } while (trips < TRIPS && clock_us() < deadline);
    return (clock_us() - start) * 1e3 / trips;
}

static double trips_serve(struct cacheline *cacheline)
{
    double deadline = clock_us() + MOST_US;
    double quickest = batch_serve(cacheline, deadline);
    for (int batch = 1; batch < MOST_BATCHES && clock_us() < deadline; batch++) {
        if (batch >= BATCHES && (quickest < SHARED_NS || !cacheline->crowded)) {
            break;
        }
        double taken = batch_serve(cacheline, deadline);
        quickest = taken < quickest ? taken : quickest;
    }
    atomic_store_explicit(&cacheline->line->finished, cacheline->epoch, memory_order_release);
    return quickest;
}

static void trips_return(struct cacheline *cacheline)
{
    while (ball_await(cacheline, cacheline->ball + 1)) {
        ball_throw(cacheline, cacheline->ball + 2);
        cacheline->ball += 2;
    }
}

/* A core has to look idle for about half a millisecond before Linux moves a waiting process to it
 * at once; shorter naps kept the two ranks on one core. */
static void bystander_sleep(const struct cacheline *cacheline)
{
    const struct timespec nap = {0, 1000000};
    while (!probe_is_over(cacheline)) {
        nanosleep(&nap, NULL);
    }
}

double cacheline_trip(struct cacheline *cacheline)
{
    double trip = 0;
    if (!cacheline->available) {
        return 0;
    }
    cacheline->epoch++;
    if (cacheline->on_node) {
        if (cacheline->node_rank == 0) {
            trip = trips_serve(cacheline);
        } else if (cacheline->node_rank == 1) {
            trips_return(cacheline);
        } else if (cacheline->crowded) {
            bystander_sleep(cacheline);
        }
    }
    MPI_Bcast(&trip, 1, MPI_DOUBLE, 0, cacheline->control);
    return trip;
}

static enum cacheline_state trip_state(double trip)
{
    return trip < NEAR_NS ? CACHELINE_NEAR : trip < SHARED_NS ? CACHELINE_FAR : CACHELINE_SHARED;
}

enum cacheline_state cacheline_classify(double before, double after)
{
    if (before <= 0) {
        return CACHELINE_UNKNOWN;
    }
    double less = before < after ? before : after;
    double more = before < after ? after : before;
    if (trip_state(less) != trip_state(more) && more > less * (100 + TOLERANCE_PERCENT) / 100) {
        return CACHELINE_CHANGED;
    }
    return trip_state((less + more) / 2);
}

const char *cacheline_state_name(enum cacheline_state state)
{
    switch (state) {
    case CACHELINE_NEAR: return "near";
    case CACHELINE_FAR: return "far";
    case CACHELINE_SHARED: return "shared";
    case CACHELINE_CHANGED: return "changed";
    default: return "-";
    }
}
