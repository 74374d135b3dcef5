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
    SYMM_STREAM_TOO_LONG, /* packets have no room for it */
};

/* What a call asks for. */
struct symm_stream_demand {
    int ranks;       /* 2 to SYMM_STREAM_RANKS */
    uint64_t bytes;  /* from one rank to another */
    size_t extent;   /* of an element that is reduced; 1: of copies */
    bool is_reduced; /* by all ranks alike, so that it can be done in slices */
};

/* Of rank 0, for all: as bytes of a call. */
struct symm_stream_limits {
    uint64_t one_shot; /* longer reductions of three ranks and more go in two shots */
};

struct symm_stream_plan {
    enum symm_stream_way way;
    unsigned blocks, threads, units; /* units of each thread */
    uint32_t row;                    /* bytes of a block's region for one rank's packets */
    uint64_t bytes;                  /* from one rank to another in a shot */
};

struct symm_stream_limits symm_stream_limits_default(int ranks);

struct symm_stream_plan symm_stream_plan(const struct symm_stream_demand *demand,
                                         const struct symm_stream_limits *limits);

#endif /* SYMM_KERNELS_CUDA_STREAM_PLAN_H */
