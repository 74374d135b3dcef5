/*
 * stream_calls.h - random calls of all collectives on a stream lane, some of them in graphs: one
 * process is all ranks, each with a stream of its own, and none waits for another one but in
 * kernels.  So ranks are as many calls apart as the lane lets them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STREAM_CALLS_H
#define SYMM_TESTS_STREAM_CALLS_H

#include "tests/unit/harness/stream_ranks.h"

enum {
    STREAM_CALLS = 16,        /* under way at a time */
    STREAM_AREA = 128 << 10,  /* bytes of a rank's input, and of its output, in a call */
    STREAM_BUFFER = STREAM_CALLS * STREAM_AREA, /* of the ranks' buffers */
};

struct stream_stage {
    struct stream_ranks ranks;
    struct unit_random random;
    uint64_t packets[2]; /* limits of packets, of which each call has one */
};

/* So many calls; what differs from what is expected fails, and is described. */
void stream_calls_round(struct stream_stage *stage);

#endif /* SYMM_TESTS_STREAM_CALLS_H */
