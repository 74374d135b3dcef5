/*
 * lane.h - a lane of a team: how its ranks come to its control memory, and leave it.
 *
 * A lane is what belongs to one stream of operations.  Rank 0 takes a block of its arena and tells
 * the others the place; these map the chunk, unless it is mapped here already; then all agree
 * whether all have the memory.  How these messages travel is not known here, nor how many lanes a
 * team has.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_LANE_H
#define SYMM_HEAP_TEAM_LANE_H

#include "heap/server/request.h"
#include "heap/team/control.h"
#include "heap/team/process.h"

/* How the ranks' agreement has ended, as far as this rank knows. */
enum symm_lane_verdict {
    SYMM_LANE_ALL,   /* all ranks have the memory */
    SYMM_LANE_NOT,   /* some rank has not, all know it, and nobody has been told otherwise */
    SYMM_LANE_DOUBT, /* messages have failed: somebody may use it */
};

/* All zero: there is no memory. */
struct symm_lane {
    struct symm_control_place place;
    struct symm_arena_block *block;     /* rank 0's */
    struct symm_arena_mapping *mapping; /* the other ranks' */
    struct symm_request request;        /* for the chunk */
    bool is_agreed;                     /* so this rank counts itself out in the end */
};

/* Rank 0: take the memory; lane->place is for the others.  Errors: as symm_arena_take(). */
enum symm_status symm_lane_take(struct symm_lane *lane, struct symm_process *process, int size,
                                const struct symm_control_config *config,
                                struct symm_control *control);

/*
 * The others: reach what `owner`, the name of rank 0's server, has placed; the name outlives the
 * request.  Call until the answer is not SYMM_PENDING.  Errors: those of symm_request_test(),
 * symm_arena_peers_add() and symm_control_attach().
 */
enum symm_status symm_lane_reach(struct symm_lane *lane, struct symm_process *process,
                                 const char *owner, int size,
                                 const struct symm_control_place *place,
                                 struct symm_control *control);

/* The ranks have agreed, or cannot any more.  Unless all have the memory, it is let go. */
void symm_lane_settle(struct symm_lane *lane, struct symm_process *process,
                      struct symm_control *control, enum symm_lane_verdict verdict);

/*
 * This rank makes no access any more; its newest call was `last`.  Without a verdict so far, it is
 * as with SYMM_LANE_DOUBT.
 */
void symm_lane_leave(struct symm_lane *lane, struct symm_process *process,
                     struct symm_control *control, uint64_t last);

#endif /* SYMM_HEAP_TEAM_LANE_H */
