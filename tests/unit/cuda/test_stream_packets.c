/*
 * test_stream_packets.c - random calls on a stream lane by packets, in one shot and in two,
 * and over the last epoch.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/stream_calls.h"

enum { ROUNDS = 12 };

static void random_calls(struct fork_rank *self, void *context)
{
    struct stream_stage stage = {.packets = {UINT64_MAX, UINT64_MAX}};
    const int ranks = *(const int *)context;
    stage.random = unit_random_start(81, (uint64_t)ranks);
    stream_ranks_begin(&stage.ranks, self, ranks, STREAM_BUFFER, SYMM_STREAM_REGION_STEP);
    for (int i = 0; i < ROUNDS; i++) {
        if (i == ROUNDS / 2) { /* the last epochs, and those that come again */
            stream_ranks_set_epoch(&stage.ranks, SYMM_STREAM_EPOCH_LAST - STREAM_CALLS / 2);
        }
        stream_calls_round(&stage);
    }
    stream_ranks_end(&stage.ranks);
}

static void test_random_calls(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= SYMM_STREAM_RANKS; ranks++) {
        if (ranks == 2 || ranks == 3 || !unit_leaves_out((uint64_t)ranks)) {
            fork_ranks_run(1, random_calls, &ranks);
        }
    }
}

UNIT_MAIN("test_stream_packets", 120,
    cmocka_unit_test(test_random_calls))
