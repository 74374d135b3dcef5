/*
 * stream_lane.h - device memory of each rank of a communicator, which the others reach, for kernels
 * that meet without the host.
 *
 * The ranks bring each other's names and places (struct symm_location) together in their own way.
 * Nobody may write to the memory of a rank that has given it back; that is agreed elsewhere, too.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_STREAM_LANE_H
#define SYMM_HEAP_STREAM_LANE_H

#include "heap/symm.h"

enum { SYMM_STREAM_LANE_RANKS = 8 };

struct symm_stream_lane {
    struct symm_process *process;
    int rank, size;
    struct symm_location place;                    /* of the own memory, for the others */
    void *memory[SYMM_STREAM_LANE_RANKS];          /* of each rank, here; NULL: not reached yet */
    struct symm_peer *peers[SYMM_STREAM_LANE_RANKS];
};

/*
 * Get `bytes` of memory on `device`, which read as zero.  Errors: those of
 * symm_process_device_alloc(), and ARGUMENT for too many ranks; then nothing is left.
 */
enum symm_status symm_stream_lane_take(struct symm_stream_lane *lane,
                                       struct symm_process *process, int device,
                                       int rank, int size, size_t bytes);

/*
 * Map the memory of another rank, from its process's name and its `place`.  Call until the answer
 * is not SYMM_PENDING.  Errors: those of symm_process_get_peer() and symm_peer_map().
 */
enum symm_status symm_stream_lane_reach(struct symm_stream_lane *lane, int rank,
                                        const char *name,
                                        const struct symm_location *place);

/* Let go of the others' memory, and give back the own. */
void symm_stream_lane_leave(struct symm_stream_lane *lane);

#endif /* SYMM_HEAP_STREAM_LANE_H */
