/*
 * agree/distance.c - see agree/distance.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/distance.h"

#include "heap/trip.h"
#include "mca/coll/symm/choose/choose.h"
#include "mca/coll/symm/report/verbose.h"

/*
 * Calls of a lane before the ranks measure first, and at most between two measurements; each time
 * twice as many.  One takes 1 to 6 us.  In a communicator that makes few calls there is none.
 */
enum { FIRST_SPAN = 16, LAST_SPAN = 4096 };

/*
 * Nanoseconds of a round trip.  Cores that share a cache have 55 to 105, other cores of a socket
 * 115 to 220, those of different sockets and of different dies of some processors 280 to 400
 * (bench/results/host-2-ranks-near-far.txt, gpu-host-2-ranks-malloc.txt).
 */
enum { MIDDLE_NS = 110, FAR_NS = 250 };

void mca_coll_symm_distance_begin(struct mca_coll_symm_lane *lane)
{
    struct symm_team *team = lane->team;
    const struct symm_table *table = mca_coll_symm_choose_table(team);
    team->distance = table->distance;
    lane->trip_span = FIRST_SPAN;
    lane->trip_due = table->distance_is_measured ? team->sequence + FIRST_SPAN : UINT64_MAX;
    if (team->rank == 0 && !table->distance_is_measured) {
        atomic_store_explicit(&lane->operation.module->distance, table->distance,
                              memory_order_relaxed);
    }
}

static const char *words(enum symm_distance distance)
{
    return distance == SYMM_DISTANCE_NEAR  ? "near each other"
           : distance == SYMM_DISTANCE_FAR ? "far from each other"
                                           : "neither near each other nor far";
}

/* Rank 0: keep what was found, for the lines of all lanes. */
static void distance_keep(struct symm_operation *operation, unsigned trip)
{
    enum symm_distance now = trip < MIDDLE_NS ? SYMM_DISTANCE_NEAR
                             : trip < FAR_NS  ? SYMM_DISTANCE_MIDDLE
                                              : SYMM_DISTANCE_FAR;
    _Atomic unsigned *kept = &operation->module->distance; /* written by blocking calls only */
    if (atomic_load_explicit(kept, memory_order_relaxed) != now) {
        atomic_store_explicit(kept, now, memory_order_relaxed);
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, operation->comm,
                                    "the ranks' processors are %s: a cache line goes to and fro in "
                                    "%u ns", words(now), trip);
    }
}

/* Both ranks are in this call. */
static void measure(struct symm_operation *operation)
{
    struct mca_coll_symm_lane *lane = operation->lane;
    const struct symm_team *team = lane->team;
    lane->trip_due = operation->sequence + lane->trip_span;
    lane->trip_span = 2 * lane->trip_span < LAST_SPAN ? 2 * lane->trip_span : LAST_SPAN;
    if (team->rank != 0) {
        symm_trip_answer(&team->control, operation->sequence);
        return;
    }
    unsigned trip = symm_trip_time(&team->control, operation->sequence);
    if (trip > 0) {
        distance_keep(operation, trip);
    }
}

/*
 * In loose calls ranks do not read all lines.  An MPI_Scatterv may be loose on some ranks and not
 * on the root.
 */
void mca_coll_symm_distance_review(struct symm_operation *operation)
{
    struct mca_coll_symm_lane *lane = operation->lane;
    const struct symm_call *call = operation->call;
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    if (operation->loose || (row->has_tables && row->from_root)) {
        return;
    }
    lane->team->distance = line_distance(mca_coll_symm_line(operation, 0));
    if (call->form != SYMM_CALL_BLOCKING) {
        lane->trip_due = UINT64_MAX; /* the blocking lane measures, where ranks wait in a call */
    } else if (operation->sequence >= lane->trip_due && call->device < 0) {
        measure(operation);
    }
}
