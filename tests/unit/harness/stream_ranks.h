/*
 * stream_ranks.h - several ranks in one process with a stream lane: each has a device of the
 * stand-in driver (rank modulo two), a stream, and two buffers. Nobody waits for another rank but
 * in kernels.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STREAM_RANKS_H
#define SYMM_TESTS_STREAM_RANKS_H

#include "kernels/cuda/stream/queue.h"
#include "tests/unit/harness/device_memory.h"

struct stream_rank {
    struct symm_stream_queue *queue;
    CUstream stream;
    int device;
    unsigned char *input, *output; /* on the device */
    struct symm_stream_memory *lane;
};

struct stream_ranks {
    struct fork_rank *self;
    int size;
    struct symm_stream_limits limits;
    struct stream_rank all[SYMM_STREAM_RANKS];
};

/*
 * Ranks with buffers of so many bytes, and lanes with so much room for the pieces of a block and
 * slot; to do first in a rank of fork_ranks.
 */
void stream_ranks_begin(struct stream_ranks *ranks, struct fork_rank *self, int size, size_t bytes,
                        uint32_t region);

/* All that is queued has ended, and all graphs have gone. */
void stream_ranks_end(struct stream_ranks *ranks);

/* Between the device of a rank and this process, behind what the rank has queued. */
void stream_ranks_put(const struct stream_ranks *ranks, int rank, void *to, const void *from,
                      size_t size);
void stream_ranks_get(const struct stream_ranks *ranks, int rank, void *to, const void *from,
                      size_t size);

void stream_ranks_queue(const struct stream_ranks *ranks, int rank,
                        const struct symm_stream_call *call);

/* Have what is queued between the two in a graph that can be launched. */
void stream_ranks_capture(const struct stream_ranks *ranks, int rank);
CUgraphExec stream_ranks_captured(const struct stream_ranks *ranks, int rank);
void stream_ranks_launch(const struct stream_ranks *ranks, int rank, CUgraphExec exec);
void stream_ranks_forget(const struct stream_ranks *ranks, int rank, CUgraphExec exec);

/* Wait for all that a rank has queued. */
void stream_ranks_await(const struct stream_ranks *ranks, int rank);

/* All blocks of all ranks, none of which is at work, go on with this epoch. */
void stream_ranks_set_epoch(const struct stream_ranks *ranks, uint32_t epoch);

/* The same of what they push. */
void stream_ranks_set_pushed(const struct stream_ranks *ranks, uint32_t epoch);

/* Why the lane of a rank is of no use any more. */
uint32_t stream_ranks_poison(const struct stream_ranks *ranks, int rank);

#endif /* SYMM_TESTS_STREAM_RANKS_H */
