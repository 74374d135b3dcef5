/*
 * multicast_state.h - what a team's groups hold, for the files that make and look for them:
 * multicast_groups.c and multicast_setup.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_MULTICAST_STATE_H
#define SYMM_HEAP_TEAM_MULTICAST_STATE_H

#include "heap/team/multicast_groups.h"

enum symm_group_place {
    SYMM_GROUP_FREE,
    SYMM_GROUP_IN_SET_UP,
    SYMM_GROUP_READY,
    SYMM_GROUP_REFUSED,
    SYMM_GROUP_GONE, /* one of its segments has; the place stays taken */
};

struct symm_group {
    enum symm_group_place place;
    uint64_t used; /* the last call that asked for it */
    struct symm_location *segments; /* [size] their first bytes */
    unsigned char **replicas;       /* [size] */
    const struct symm_kind *kind;
    size_t size; /* of a segment */
    bool has_object, added;
    symm_handle object;
    struct symm_binding binding;
    void *address; /* of the first byte of the segments; NULL: not mapped, or software */
};

struct symm_multicast_groups {
    struct symm_group groups[SYMM_MULTICAST_GROUPS_MAX];
    struct symm_group *pending; /* in set-up; NULL: none */
    uint32_t begun;             /* groups so far */
    uint64_t sequence;          /* of the call at hand */
    struct symm_request request; /* for the object of the pending group */
    bool exported;               /* that object, by rank 0 */
};

/* ---- multicast_groups.c ---------------------------------------------------------------------- */

/* A place for another group; NULL: all are taken by groups that are needed. */
struct symm_group *symm_group_place_find(struct symm_multicast_groups *groups);

/* Let go of everything that a group has here. */
void symm_group_undo(struct symm_group *group);

/*
 * One more object in this process, or one less.  Errors: NO_MEMORY, which is a failure of ours and
 * not of a driver's call.
 */
enum symm_status symm_group_object_count(void);
void symm_group_object_uncount(void);

/* Under which rank 0's server has the object of the pending group; nobody asks for it any more. */
struct symm_object_id symm_group_object_id(const struct symm_team *team);
void symm_group_offer_end(struct symm_team *team);

#endif /* SYMM_HEAP_TEAM_MULTICAST_STATE_H */
