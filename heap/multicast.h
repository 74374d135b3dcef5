/*
 * multicast.h - one address for the buffers of all ranks: loads from it reduce them, stores to it go to all.
 *
 * In device memory that is a multicast object of the driver: each rank adds its device, binds a segment of
 * its own, and maps the object; NVLink's switches do the rest.  In host memory it is software, with the
 * same life cycle: the object tells which segment each rank has bound, and kernels go through all of them.
 *
 * A *group* is one segment of each rank, and has an object of its own.  It is set up in three steps,
 *     begin; create, vote; join, vote; bind, vote; settle
 * because binding waits, in the driver, until all devices have been added: so whatever fails has to be
 * agreed on before the next step.  All ranks of a team make the same calls with the same arguments, so they
 * hold the same groups in the same states.  A group ends when its team does, when a team has too many, or
 * soon after one of its segments has gone; the owner of a segment unbinds it before its memory goes.
 *
 * Thread-safety is that of team.h; the owner of a segment may give it back in another thread at any time.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_MULTICAST_H
#define SYMM_HEAP_MULTICAST_H

#include "heap/team.h"

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
 * Whether the user has forbidden NVLink multicast by a variable that other libraries have for that:
 * NCCL_NVLS_ENABLE=0, NVSHMEM_DISABLE_NVLS=1, TORCH_SYMM_MEM_DISABLE_MULTICAST=1.  *variable (unless it is
 * NULL): the assignment, as a text that stays.  The environment is read once.  Never in a build with loops in
 * the place of NVLink multicast (--enable-multicast=unicast), which makes none.
 */
SYMM_API bool symm_multicast_opted_out(const char **variable);

/*
 * Whether memory of this heap can take part: that of the host can; that of a device, if device and driver
 * have multicast, this library was built with it, and nobody has opted out.
 */
SYMM_API bool symm_heap_multicast_able(struct symm_heap *heap);

/*
 * Whether buffers at `locations` ([size], one of each rank, all in segments that have been mapped) can be
 * one group: at least two ranks, memory of one kind, each on a device of its own, in segments of one size,
 * at the same offset in them.  The same answer on all ranks.
 */
SYMM_API bool symm_team_multicast_fits(const struct symm_team *team,
                                       const struct symm_location *locations);

/* How far the group of these locations is; to be asked by all ranks alike, in calls that may use it. */
SYMM_API enum symm_multicast_state symm_team_multicast_state(struct symm_team *team,
                                                             const struct symm_location *locations);

/*
 * Begin to set up the group of these locations, which fit and whose state is unknown.  The group that has
 * gone unused for longest is given up if there is no room.  One set-up at a time.
 */
SYMM_API void symm_team_multicast_begin(struct symm_team *team,
                                        const struct symm_location *locations);

/*
 * The steps.  Each is called until the answer is not SYMM_PENDING; a failure is this rank's own, and the
 * ranks have to agree on what follows.
 * create: rank 0 makes the object and offers it; nothing to do for the others.
 * join: the others get it; all add their device.
 * bind: each binds its own segment and maps the object.
 * Errors: NO_MEMORY (SYMM_MULTICAST_OBJECTS_MAX too), NOT_FOUND, SYSTEM, and those of
 * symm_request_test().
 */
SYMM_API enum symm_status symm_team_multicast_create(struct symm_team *team);
SYMM_API enum symm_status symm_team_multicast_join(struct symm_team *team);
SYMM_API enum symm_status symm_team_multicast_bind(struct symm_team *team);

/*
 * The ranks have agreed: after the last step, or the first in which one has failed.  `ready`: the group is.
 * Otherwise everything is undone here, and the group is refused until symm_team_forget_refusals().
 */
SYMM_API void symm_team_multicast_settle(struct symm_team *team, bool ready);

/* The address of a group that is ready; false: it is not. */
SYMM_API bool symm_team_multicast_address(struct symm_team *team,
                                          const struct symm_location *locations,
                                          struct symm_multicast_address *address);

/* ---- for team.c ------------------------------------------------------------------------------------ */

/* Room for the groups of a team, which is got before anything is shared.  Errors: NO_MEMORY. */
enum symm_status symm_multicast_groups_create(struct symm_team *team);
void symm_multicast_groups_destroy(struct symm_team *team);

/* This call is the `sequence`th; with `forget`, refused groups are unknown again. */
void symm_multicast_groups_enter(struct symm_team *team, uint64_t sequence, bool forget);

/* Segments of this heap of `rank` have gone: groups with one of them end. */
void symm_multicast_groups_collect(struct symm_team *team, int rank, uint32_t heap);

#endif /* SYMM_HEAP_MULTICAST_H */
