/*
 * team.h - the ranks of one communicator as the heap and the kernels see them.
 *
 * A team knows its ranks by the names of their servers, shares control memory with them, and turns
 * (rank, offset) into an address.  It knows neither MPI nor what the calls on it mean, so processes
 * that merely fork can form one.
 *
 * Not thread-safe: MPI allows one collective call at a time per communicator.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_TEAM_H
#define SYMM_HEAP_TEAM_TEAM_H

#include "heap/private.h"
#include "heap/scratch.h"
#include "heap/team/control.h"
#include "heap/team/lane.h"
#include "heap/team/process.h"
#include "heap/team/team_memory.h"

/* What a team is made from. */
struct symm_team_config {
    int rank, size;
    const char *const *names; /* [size] server names; copied */
};

struct symm_team {
    int rank, size;
    struct symm_process *process;
    struct symm_control control;  /* usable once set-up has succeeded */
    uint64_t sequence;            /* of the newest call begun here */
    uint64_t finished;            /* newest call after which nothing older is unfinished here */
    uint64_t finished_by_all;     /* what this rank knows of everybody's `finished` */
    struct symm_lane lane;        /* where the control memory is */
    /* What is known of memory; private to team_memory.c. */
    char (*names)[SYMM_NAME_SIZE];
    uint8_t *devices;             /* [size] of the call at hand, then [SYMM_TEAM_VIEWS][size] */
    bool devices_differ;          /* from those of `view` */
    unsigned view, view_to_lose;  /* whose states count now; which is overwritten next */
    uint32_t *dropped;            /* [size] as the ranks have said last */
    bool dropped_more;            /* since that was last asked */
    uint64_t refused_until;       /* sequence at which refusals are forgotten; 0: none is */
    uint64_t refusal_span;        /* how long they are left alone, next time */
    bool has_tables;              /* all ranks have what follows; this one may have it before */
    bool refuses_all;             /* some rank has no memory for it: no segment is mapped */
    struct symm_peer **peers;     /* [SYMM_HEAPS_MAX][size]; NULL: not used yet, or own */
    uint32_t *retired;            /* [SYMM_HEAPS_MAX][size] last of symm_team_collect() */
    struct symm_importer **importers; /* [size]; NULL until something of the rank was opened */
    uint32_t *segment_states;     /* [SYMM_TEAM_VIEWS][SYMM_TEAM_ROWS][size][SYMM_SEGMENTS_MAX] */
    uint32_t rows_known;          /* no segment_states of heaps in rows from this one on */
    struct symm_imports *imports; /* of the process; NULL until something was opened */
    struct symm_multicast_groups *groups; /* of multicast (multicast.h) */
};

/* Nothing is shared yet.  Errors: NO_MEMORY, ARGUMENT. */
SYMM_PRIVATE enum symm_status symm_team_create(struct symm_process *process,
                                               const struct symm_team_config *config,
                                               struct symm_team **team);

/* Leave the control memory, and let go of everything. */
SYMM_PRIVATE void symm_team_destroy(struct symm_team *team);

/*
 * Get the control memory: rank 0 takes it and says where it is (team->lane.place), the others are
 * told the place and reach it.  To be called until the answer is not SYMM_PENDING.  A failure is
 * this rank's own; the ranks must agree on what follows.  Errors: those of symm_lane_take(),
 * symm_lane_reach(), symm_process_serve() and symm_scratch_reserve().
 */
SYMM_PRIVATE enum symm_status symm_team_take(struct symm_team *team,
                                             const struct symm_control_config *config);
SYMM_PRIVATE enum symm_status symm_team_reach(struct symm_team *team,
                                              const struct symm_control_place *place);

/* How that has ended on all ranks.  A request that is still under way is given up. */
SYMM_PRIVATE void symm_team_settle(struct symm_team *team, enum symm_lane_verdict verdict);

/* ---- in each call ---------------------------------------------------------------------------- */

/*
 * What could not be mapped may have met a passing shortage, so refused segments become unknown
 * again after many calls, each time after twice as many.  To be called in each call that asks for
 * states, with its sequence, so that all ranks forget in the same call.
 */
SYMM_PRIVATE void symm_team_forget_refusals(struct symm_team *team, uint64_t sequence);

/*
 * Unmap what `rank` has given back of one of its heaps, if `retired`, its count of such segments,
 * has changed; then end the groups of multicast that have such a segment.
 */
SYMM_PRIVATE void symm_team_collect(struct symm_team *team, int rank, uint32_t heap,
                                    uint32_t retired);

#endif /* SYMM_HEAP_TEAM_TEAM_H */
