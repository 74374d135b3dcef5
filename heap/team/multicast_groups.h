/*
 * multicast_groups.h - the groups of a team (multicast.h): which there are, whether buffers can be
 * one, and at which address.  multicast_setup.h makes them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_MULTICAST_GROUPS_H
#define SYMM_HEAP_TEAM_MULTICAST_GROUPS_H

#include "heap/multicast.h"
#include "heap/private.h"
#include "heap/team/team.h"

enum {
    SYMM_MULTICAST_GROUPS_MAX = 16,  /* of a team */
    SYMM_MULTICAST_OBJECTS_MAX = 64, /* of a process: drivers and switches have few */
    /* A group that was in use within so many calls is not given up for another one. */
    SYMM_MULTICAST_CALLS_KEPT = 100,
};

/* Where the ranks' buffers are together. */
struct symm_multicast_address {
    void *address; /* device memory: of the buffers; NULL: host memory */
    /* Host memory: what each rank has bound, its first byte, as mapped in this process. */
    unsigned char *const *replicas;
    size_t offset; /* of the buffers in their segments; `address` has it added already */
};

enum symm_multicast_state {
    SYMM_MULTICAST_UNKNOWN, /* not met yet */
    SYMM_MULTICAST_READY,   /* on all ranks */
    SYMM_MULTICAST_REFUSED, /* some rank could not, or there is no room for another group */
};

/*
 * Whether buffers at `locations` ([size], one of each rank, all in segments that have been mapped)
 * can be one group: at least two ranks, memory of one kind, each on a device of its own, in
 * segments of one size, at the same offset in them.  The same answer on all ranks.
 */
SYMM_PRIVATE bool symm_team_multicast_fits(const struct symm_team *team,
                                           const struct symm_location *locations);

/*
 * How far the group of these locations is; to be asked by all ranks alike, in calls that may use
 * it.
 */
SYMM_PRIVATE enum symm_multicast_state
symm_team_multicast_state(struct symm_team *team, const struct symm_location *locations);

/* The address of a group that is ready; false: it is not. */
SYMM_PRIVATE bool symm_team_multicast_address(struct symm_team *team,
                                              const struct symm_location *locations,
                                              struct symm_multicast_address *address);

/* ---- for team.c ------------------------------------------------------------------------------ */

/* Room for the groups of a team, which is got before anything is shared.  Errors: NO_MEMORY. */
enum symm_status symm_multicast_groups_create(struct symm_team *team);
void symm_multicast_groups_destroy(struct symm_team *team);

/* This call is the `sequence`th; with `forget`, refused groups are unknown again. */
void symm_multicast_groups_enter(struct symm_team *team, uint64_t sequence, bool forget);

/* Segments of this heap of `rank` have gone: groups with one of them end. */
void symm_multicast_groups_collect(struct symm_team *team, int rank, uint32_t heap);

#endif /* SYMM_HEAP_TEAM_MULTICAST_GROUPS_H */
