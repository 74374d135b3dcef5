/*
 * test_stream_push.c - long calls on a stream lane, which push pieces: random ones with lanes so
 * small that calls have many pieces, and slots are used again and again, mixed with packets; over
 * the last epoch; and calls of some MiB with lanes as they are.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/stream_calls.h"

enum { ROUNDS = 6, LONG = (5 << 20) / sizeof(uint64_t) + 3 };

struct lanes {
    int ranks;
    uint32_t region;
};

/* ---- random calls ---------------------------------------------------------------------------- */

static void random_calls(struct fork_rank *self, void *context)
{
    const struct lanes *lanes = context;
    struct stream_stage stage = {.packets = {0, 2000}};
    stage.random = unit_random_start(83, (uint64_t)lanes->ranks * 1000 + lanes->region);
    stream_ranks_begin(&stage.ranks, self, lanes->ranks, STREAM_BUFFER, lanes->region);
    for (int i = 0; i < ROUNDS; i++) {
        if (i == ROUNDS / 2) {
            stream_ranks_set_pushed(&stage.ranks, UINT32_MAX - STREAM_CALLS);
        }
        /* Longer reductions go in two legs, and once all of them in one. */
        stage.ranks.limits.one_shot = i == 0 ? UINT64_MAX : 1000;
        stream_calls_round(&stage);
    }
    stream_ranks_end(&stage.ranks);
}

static void test_random_calls(void **state)
{
    static const uint32_t regions[] = {SYMM_STREAM_REGION_STEP, 5 * SYMM_STREAM_REGION_STEP,
                                       8 << 10};
    (void)state;
    for (int ranks = 2; ranks <= SYMM_STREAM_RANKS; ranks++) {
        for (int i = 0; i < 3; i++) {
            struct lanes lanes = {ranks, regions[i]};
            if ((ranks <= 3 && i == 0) || !unit_leaves_out((uint64_t)(ranks * 3 + i))) {
                fork_ranks_run(1, random_calls, &lanes);
            }
        }
    }
}

/* ---- long calls ------------------------------------------------------------------------------ */

/* Of element i on a rank. */
static uint64_t number(uint64_t rank, uint64_t i)
{
    return i * (rank + 1) + rank;
}

/* A sum, then an all-to-all of what has come of it. */
static void long_calls(struct fork_rank *self, void *context)
{
    static uint64_t numbers[LONG];
    const uint64_t size = (uint64_t)*(const int *)context, block = LONG / size;
    struct stream_ranks ranks;
    stream_ranks_begin(&ranks, self, (int)size, sizeof(numbers),
                       symm_stream_limits_default((int)size).region);
    for (uint64_t rank = 0; rank < size; rank++) {
        const struct stream_rank *own = &ranks.all[rank];
        for (uint64_t i = 0; i < LONG; i++) {
            numbers[i] = number(rank, i);
        }
        stream_ranks_put(&ranks, (int)rank, own->input, numbers, sizeof(numbers));
        const struct symm_stream_call sum = {
            .collective = SYMM_ALLREDUCE, .input = own->input, .output = own->output,
            .count = LONG, .type = SYMM_CUDA_UINT64, .op = SYMM_CUDA_SUM,
        }, change = {
            .collective = SYMM_ALLTOALL, .input = own->output, .output = own->input,
            .count = block * sizeof(uint64_t),
        };
        stream_ranks_queue(&ranks, (int)rank, &sum);
        stream_ranks_queue(&ranks, (int)rank, &change);
    }
    for (uint64_t rank = 0; rank < size; rank++) {
        stream_ranks_get(&ranks, (int)rank, numbers, ranks.all[rank].input, sizeof(numbers));
        for (uint64_t i = 0; i < block * size; i++) {
            uint64_t sum = 0;
            for (uint64_t other = 0; other < size; other++) {
                sum += number(other, rank * block + i % block);
            }
            FORK_CHECK(self, numbers[i] == sum);
        }
        FORK_CHECK(self, stream_ranks_poison(&ranks, (int)rank) == SYMM_STREAM_SOUND);
    }
    stream_ranks_end(&ranks);
}

static void test_long_calls(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 3; ranks++) {
        fork_ranks_run(1, long_calls, &ranks);
    }
}

UNIT_MAIN("test_stream_push", 120,
    cmocka_unit_test(test_random_calls),
    cmocka_unit_test(test_long_calls))
