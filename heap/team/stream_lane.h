/*
 * stream_lane.h - device memory of each rank of a communicator, which the others reach, for kernels
 * that meet without the host.
 *
 * The ranks bring each other's names and places together in their own way.  A kernel writes to the
 * memory of all ranks, and nobody may give back what others still write to.  So a rank whose last
 * kernel has ended *departs*: it says so in a block of host memory that each other rank shares
 * with it.  A rank that has read that of all others can leave.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_STREAM_LANE_H
#define SYMM_HEAP_TEAM_STREAM_LANE_H

#include <stdatomic.h>

#include "heap/symm.h"

enum { SYMM_STREAM_LANE_RANKS = 8 };

/* Where a rank's blocks are, for the others. */
struct symm_stream_place {
    struct symm_location memory, shared;
};

/* A rank's block of host memory: who writes to its lane no more, and why others have given up. */
struct symm_stream_shared {
    _Atomic uint32_t departed[SYMM_STREAM_LANE_RANKS];
    _Atomic uint32_t failed[SYMM_STREAM_LANE_RANKS];
};

struct symm_stream_lane {
    struct symm_process *process;
    int rank, size;
    struct symm_stream_place place;                            /* of the own blocks */
    void *memory[SYMM_STREAM_LANE_RANKS];                      /* of each rank, here; or NULL: */
    struct symm_stream_shared *shared[SYMM_STREAM_LANE_RANKS]; /* it is not reached yet */
    struct symm_peer *peers[SYMM_STREAM_LANE_RANKS][2];        /* for the one and the other */
};

/*
 * Get `bytes` of memory on `device`, which read as zero.  Errors: those of
 * symm_process_device_alloc(), and ARGUMENT for too many ranks; then nothing is left.
 */
enum symm_status symm_stream_lane_take(struct symm_stream_lane *lane,
                                       struct symm_process *process, int device,
                                       int rank, int size, size_t bytes);

/*
 * Map the blocks of another rank, from its process's name and its `place`.  Call until the answer
 * is not SYMM_PENDING.  Errors: those of symm_process_get_peer() and symm_peer_map().
 */
enum symm_status symm_stream_lane_reach(struct symm_stream_lane *lane, int rank,
                                        const char *name,
                                        const struct symm_stream_place *place);

/*
 * Tell the others that this rank's kernels do nothing any more; `why` is not 0, and the first one
 * counts.  Only until it leaves.  The other: whether one of them has told so, and which.
 */
void symm_stream_lane_tell(struct symm_stream_lane *lane, uint32_t why);
uint32_t symm_stream_lane_told(const struct symm_stream_lane *lane, int *rank);

/*
 * No kernel of this rank writes to the others any more: tell those that have been reached.  Makes
 * no call of a device's driver.
 */
void symm_stream_lane_depart(struct symm_stream_lane *lane);

/* Whether another rank has departed; whether all have. */
bool symm_stream_lane_has_departed(const struct symm_stream_lane *lane, int rank);
bool symm_stream_lane_is_left(const struct symm_stream_lane *lane);

/*
 * Let go of the others' memory, and give back the own: all have departed, or nobody has begun.  May
 * wait for all kernels of this process.
 */
void symm_stream_lane_leave(struct symm_stream_lane *lane);

#endif /* SYMM_HEAP_TEAM_STREAM_LANE_H */
