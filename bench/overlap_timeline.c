/*
 * overlap_timeline.c - see overlap_timeline.h. All ranks read the same monotonic clock of their
 * node. A GPU has a clock of its own: an event on an idle stream, waited for between two readings
 * of the host's clock, says how the two are related.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "overlap_timeline.h"

#include "clock.h"
#include "failure.h"
#include "forcing.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    RUNS = 9,
    ANCHORS = 8 /* events of which the one between the nearest two readings counts */
};

enum lane { LANE_CALL, LANE_LAUNCH, LANE_WAIT, LANE_COLLECTIVE, LANE_PRODUCT, LANES };

struct span {
    double begin, end;
};

/* Of one run, on one rank; sent as numbers. */
struct timeline {
    struct span lane[LANES];
    double within; /* half the time between the two readings of the host's clock */
};

enum { TIMELINE_NUMBERS = sizeof(struct timeline) / sizeof(double) };

/* The same moment on both clocks. */
struct anchor {
    void *event;
    double host, within;
};

void overlap_timeline_head(void)
{
    printf("# timeline rows: collective, Size, side, rank, lane, begin and end in us from the "
           "first rank's call,\n"
           "#   of the middle one of %d overlapped runs by length. Lanes of the host: call (that "
           "starts the collective),\n"
           "#   launch (of the products), wait (until both are done). Lanes of the GPU: product "
           "(events on its stream),\n"
           "#   collective (NCCL: events on its stream; MPI: from the call to the MPI_Test that "
           "completes it).\n", RUNS);
}

static void anchor_open(const struct device *device, struct anchor *anchor)
{
    void *other = device_event_open(device);
    *anchor = (struct anchor){.event = device_event_open(device)};
    for (int i = 0; i < ANCHORS; i++) {
        double before = clock_us();
        device_event_record(device, other, device_stream(device));
        device_event_wait(device, other);
        double after = clock_us();
        if (i == 0 || (after - before) / 2 < anchor->within) {
            void *nearest = other;
            other = anchor->event;
            *anchor = (struct anchor){nearest, (before + after) / 2, (after - before) / 2};
        }
    }
    device_event_close(device, other);
}

static struct span span_of_events(const struct device *device, const struct anchor *anchor,
                                  void *begin, void *end)
{
    return (struct span){anchor->host + device_event_us(device, anchor->event, begin),
                         anchor->host + device_event_us(device, anchor->event, end)};
}

static struct timeline timeline_of(const struct overlap_case *plan, const struct anchor *anchor,
                                   const struct overlap_marks *marks)
{
    const struct device *device = plan->device;
    bool collective_last = marks->collective_done > marks->products_done;
    struct timeline timeline = {.within = anchor->within};
    timeline.lane[LANE_CALL] = (struct span){marks->call, marks->returned};
    timeline.lane[LANE_LAUNCH] = (struct span){marks->returned, marks->launched};
    timeline.lane[LANE_WAIT] = (struct span){
        marks->launched, collective_last ? marks->collective_done : marks->products_done
    };
    timeline.lane[LANE_COLLECTIVE] =
        plan->side.path != NULL
            ? span_of_events(device, anchor, marks->collective_begin, marks->collective_end)
            : (struct span){marks->call, marks->collective_done};
    timeline.lane[LANE_PRODUCT] =
        span_of_events(device, anchor, marks->products_begin, marks->products_end);
    return timeline;
}

/* Moves all spans to the first rank's call, and returns when the last one of all ranks ends. */
static double timeline_align(struct timeline *timeline, MPI_Comm control)
{
    double first = timeline->lane[LANE_CALL].begin, last = 0;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_DOUBLE, MPI_MIN, control);
    for (int lane = 0; lane < LANES; lane++) {
        struct span *span = &timeline->lane[lane];
        span->begin -= first;
        span->end -= first;
        last = span->end > last ? span->end : last;
    }
    MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_DOUBLE, MPI_MAX, control);
    return last;
}

static double timeline_take(const struct overlap_case *plan, int products, int round,
                            struct overlap_marks *marks, struct timeline *timeline)
{
    struct anchor anchor;
    anchor_open(plan->device, &anchor);
    overlap_run_marked(plan, products, round, marks);
    *timeline = timeline_of(plan, &anchor, marks);
    device_event_close(plan->device, anchor.event);
    return timeline_align(timeline, plan->control);
}

/* The first run whose length is the median one. */
static int middle_of(const double *lengths)
{
    double sorted[RUNS];
    int middle = 0;
    for (int i = 0; i < RUNS; i++) {
        sorted[i] = lengths[i];
    }
    double median = clock_median(sorted, RUNS);
    while (lengths[middle] != median) {
        middle++;
    }
    return middle;
}

static void rows_print(const struct overlap_case *plan, const struct timeline *of_ranks)
{
    static const char *const names[LANES] = {
        [LANE_CALL] = "call", [LANE_LAUNCH] = "launch", [LANE_WAIT] = "wait",
        [LANE_COLLECTIVE] = "collective", [LANE_PRODUCT] = "product"
    };
    double within = 0;
    for (int rank = 0; rank < plan->call.ranks; rank++) {
        within = of_ranks[rank].within > within ? of_ranks[rank].within : within;
        for (int lane = 0; lane < LANES; lane++) {
            const struct span *span = &of_ranks[rank].lane[lane];
            printf("timeline %s %zu %s %d %-10s %8.1f %8.1f\n",
                   options_collective_name(plan->call.collective), call_result_bytes(&plan->call),
                   plan->side.name, rank, names[lane], span->begin, span->end);
        }
    }
    printf("# the GPUs' clocks are placed to within %.1f us\n", within);
    fflush(stdout);
}

static void timeline_gather(const struct overlap_case *plan, const struct timeline *mine)
{
    struct timeline *of_ranks = malloc((size_t)plan->call.ranks * sizeof(*of_ranks));
    if (of_ranks == NULL) {
        failure_stop("out of memory");
    }
    MPI_Gather(mine, TIMELINE_NUMBERS, MPI_DOUBLE, of_ranks, TIMELINE_NUMBERS, MPI_DOUBLE, 0,
               plan->control);
    if (plan->call.rank == 0) {
        rows_print(plan, of_ranks);
    }
    free(of_ranks);
}

void overlap_timeline_print(const struct overlap_case *plan, int products)
{
    const struct device *device = plan->device;
    struct timeline timeline[RUNS];
    double lengths[RUNS];
    struct overlap_marks marks = {
        .collective_begin = device_event_open(device),
        .collective_end = device_event_open(device),
        .products_begin = device_event_open(device),
        .products_end = device_event_open(device),
    };
    for (int i = 0; i < RUNS; i++) {
        lengths[i] = timeline_take(plan, products, i, &marks, &timeline[i]);
    }
    timeline_gather(plan, &timeline[middle_of(lengths)]);
    device_event_close(device, marks.collective_begin);
    device_event_close(device, marks.collective_end);
    device_event_close(device, marks.products_begin);
    device_event_close(device, marks.products_end);
}
