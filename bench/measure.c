/*
 * measure.c - times one call in blocks. The order of the sides changes with every round of blocks
 * (with, without, without, with, ...), so that a slow drift of the machine favours none.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "measure.h"

#include "buffers.h"
#include "clock.h"

#include <stdlib.h>

enum {
    LEAST_BLOCKS = 3,
    MORE_ROUNDS = 8, /* few blocks do not all fall into times when the machine changes */
    FIT_CALLS = 9 /* of each side, to find how long they take */
};

struct block {
    int side;
    enum cacheline_state state;
    double trip_ns; /* mean of the trips before and after */
    double call_us; /* this rank's mean over the calls of the block */
};

struct series {
    struct block *blocks;
    int count;
    int round; /* calls so far: makes every input a new one */
    double trip_ns; /* the latest round trip */
};

static double call_time(const struct measure_plan *plan, const struct call *call, int side,
                        int round)
{
    const struct side *who = &plan->sides->side[side];
    struct call mine = side_call(who, call);
    if (plan->access == ACCESS_APP) {
        call_touch(&mine, round);
    }
    MPI_Barrier(plan->control);
    double start = clock_us();
    side_run(who, &mine);
    return clock_us() - start;
}

/* The first call is not timed: it finds caches as the round trips and the other side left them. */
static void block_run(const struct measure_plan *plan, const struct call *call, int side,
                      int calls, struct series *series)
{
    struct block *block = &series->blocks[series->count++];
    double before = series->trip_ns;
    double total = 0;
    call_time(plan, call, side, series->round++);
    for (int i = 0; i < calls; i++) {
        total += call_time(plan, call, side, series->round++);
    }
    series->trip_ns = cacheline_trip(plan->cacheline);
    block->side = side;
    block->call_us = total / calls;
    block->state = cacheline_classify(before, series->trip_ns);
    block->trip_ns = (before + series->trip_ns) / 2;
}

static int series_count(const struct series *series, int side, enum cacheline_state state)
{
    int count = 0;
    for (int i = 0; i < series->count; i++) {
        count += series->blocks[i].side == side && series->blocks[i].state == state;
    }
    return count;
}

/* The kept blocks of the side that has fewer of them, in one state. */
static int series_kept(const struct series *series, int sides, enum cacheline_state state)
{
    int least = series_count(series, 0, state);
    for (int side = 1; side < sides; side++) {
        int count = series_count(series, side, state);
        least = count < least ? count : least;
    }
    return least;
}

static int series_kept_all(const struct series *series, int sides)
{
    int kept = 0;
    for (int state = 0; state < CACHELINE_STATES; state++) {
        kept += series_kept(series, sides, (enum cacheline_state)state);
    }
    return kept;
}

/* Collects the trips or the times of the blocks of a side (of all, if negative) in one state. */
static int series_values(const struct series *series, int side, enum cacheline_state state,
                         bool trips, double *values)
{
    int count = 0;
    for (int i = 0; i < series->count; i++) {
        const struct block *block = &series->blocks[i];
        if (block->state == state && (side < 0 || block->side == side)) {
            values[count++] = trips ? block->trip_ns : block->call_us;
        }
    }
    return count;
}

static struct measure_times times_over_ranks(double mine, MPI_Comm control)
{
    struct measure_times times = {0, 0, 0};
    int ranks;
    MPI_Comm_size(control, &ranks);
    MPI_Reduce(&mine, &times.average, 1, MPI_DOUBLE, MPI_SUM, 0, control);
    MPI_Reduce(&mine, &times.least, 1, MPI_DOUBLE, MPI_MIN, 0, control);
    MPI_Reduce(&mine, &times.most, 1, MPI_DOUBLE, MPI_MAX, 0, control);
    times.average /= ranks;
    return times;
}

static void row_fill(const struct measure_plan *plan, const struct series *series,
                     enum cacheline_state state, double *scratch, struct measure_row *row)
{
    int least = plan->blocks < LEAST_BLOCKS ? plan->blocks : LEAST_BLOCKS;
    row->blocks = series_kept(series, plan->sides->count, state);
    row->enough = row->blocks >= least;
    if (!row->enough) {
        return;
    }
    int count = series_values(series, -1, state, true, scratch);
    row->trip_ns = clock_median(scratch, count);
    for (int side = 0; side < plan->sides->count; side++) {
        count = series_values(series, side, state, false, scratch);
        row->times[side] = times_over_ranks(clock_median(scratch, count), plan->control);
    }
}

static void result_fill(const struct measure_plan *plan, const struct series *series,
                        double *scratch, struct measure_result *result)
{
    result->timed = series->count;
    result->discarded = 0;
    for (int i = 0; i < series->count; i++) {
        result->discarded += series->blocks[i].state == CACHELINE_CHANGED;
    }
    for (int state = 0; state < CACHELINE_STATES; state++) {
        row_fill(plan, series, (enum cacheline_state)state, scratch, &result->row[state]);
    }
}

static void warm_up(const struct measure_plan *plan, const struct call *call,
                    struct series *series)
{
    for (int i = 0; i < plan->warmup; i++) {
        for (int side = 0; side < plan->sides->count; side++) {
            call_time(plan, call, side, series->round++);
        }
    }
}

/*
 * Makes the computation as long as the call of that side which takes longest, on the slowest rank.
 * It is the same for all sides and ranks.
 */
static void compute_fit(const struct measure_plan *plan, const struct call *call,
                        struct series *series)
{
    double times[FIT_CALLS], longest = 0, longest_anywhere;
    for (int side = 0; side < plan->sides->count; side++) {
        const struct side *who = &plan->sides->side[side];
        for (int i = 0; i < FIT_CALLS; i++) {
            times[i] = call_time(plan, call, side, series->round++);
        }
        double median = clock_median(times, FIT_CALLS);
        if (who->form != FORM_BLOCKING && who->part == SIDE_CALL && median > longest) {
            longest = median;
        }
    }
    MPI_Reduce(&longest, &longest_anywhere, 1, MPI_DOUBLE, MPI_MAX, 0, plan->control);
    MPI_Bcast(&longest_anywhere, 1, MPI_DOUBLE, 0, plan->control);
    compute_set(plan->compute, longest_anywhere);
}

void measure_run(const struct measure_plan *plan, const struct call *call,
                 struct measure_result *result)
{
    int rounds = 2 * plan->blocks + MORE_ROUNDS; /* at most */
    int sides = plan->sides->count;
    size_t room = (size_t)(rounds * sides);
    struct series series = {0};
    series.blocks = buffers_private(room * sizeof(*series.blocks));
    double *scratch = buffers_private(room * sizeof(*scratch));
    result->calls = (plan->iterations + plan->blocks - 1) / plan->blocks;
    warm_up(plan, call, &series);
    if (plan->compute != NULL) {
        compute_fit(plan, call, &series);
    }
    series.trip_ns = cacheline_trip(plan->cacheline);
    for (int round = 0; round < rounds; round++) {
        for (int turn = 0; turn < sides; turn++) {
            int side = round % 2 == 0 ? turn : sides - 1 - turn;
            block_run(plan, call, side, result->calls, &series);
        }
        if (series_kept_all(&series, sides) >= plan->blocks) {
            break;
        }
    }
    result_fill(plan, &series, scratch, result);
    free(scratch);
    free(series.blocks);
}
