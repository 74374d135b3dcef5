/*
 * plan.h - the way of a call on a stream lane, and its grid: a pure function of what all ranks know
 * alike, since block b of a rank waits for block b of its peers.
 *
 * Addresses are not looked at: where they lie may decide about the kernel, but never about the
 * grid.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_STREAM_PLAN_H
#define SYMM_KERNELS_CUDA_STREAM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symm_stream_way {
    SYMM_STREAM_NOTHING,  /* there are no data: no rank starts a kernel */
    SYMM_STREAM_ONE_SHOT, /* packets, once */
    SYMM_STREAM_TWO_SHOT, /* packets: slices to those who reduce them, results to all */
    SYMM_STREAM_PUSH,     /* pieces, once */
    SYMM_STREAM_PUSH_TWO_LEGS, /* pieces of slices, and of results */
};

/* What a call asks for. */
struct symm_stream_demand {
    int ranks;       /* 2 to SYMM_STREAM_RANKS */
    uint64_t bytes;  /* from one rank to another */
    size_t extent;   /* of an element that is reduced; 1: of copies */
    bool is_reduced; /* by all ranks alike, so that it can be done in slices */
};

/* Of rank 0, for all, but for the blocks: the fewest of all ranks. */
struct symm_stream_limits {
    uint64_t one_shot; /* bytes of a call: longer reductions of three ranks and more go in slices */
    uint64_t packets;  /* bytes from one rank to another: what is longer is pushed */
    uint32_t region;   /* bytes for the pieces of a block, in each slot of the lane; a multiple of
                          SYMM_STREAM_REGION_STEP */
    uint32_t blocks;   /* of a kernel, at most: all ranks' devices have room for so many at a time;
                          SYMM_STREAM_BLOCKS_LEAST to SYMM_STREAM_BLOCKS */
};

enum { SYMM_STREAM_REGION_STEP = 256, SYMM_STREAM_BLOCKS_LEAST = 8 };

struct symm_stream_plan {
    enum symm_stream_way way;
    unsigned blocks, threads, units; /* units of each thread, of packets */
    uint32_t row;                    /* bytes for one rank's packets or piece, of a block */
    uint64_t bytes;                  /* from one rank to another in a shot, or a leg */
};

struct symm_stream_limits symm_stream_limits_default(int ranks);

/* Have a lane take this much memory at most.  False: it takes more in any case. */
bool symm_stream_limits_fit(struct symm_stream_limits *limits, size_t bytes);

/* Bytes of memory that a lane takes of each rank, which is a struct symm_stream_memory. */
size_t symm_stream_memory_bytes(const struct symm_stream_limits *limits);

struct symm_stream_plan symm_stream_plan(const struct symm_stream_demand *demand,
                                         const struct symm_stream_limits *limits);

#endif /* SYMM_KERNELS_CUDA_STREAM_PLAN_H */
