/*
 * test_algorithms.c - every algorithm among forked ranks, against results computed here.
 *
 * All algorithms get the same inputs, and their results must have the same bits.  Pieces are 4096
 * bytes, so that there are many.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/algorithm_plan.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4096, LAST_CALL = 1 };

/* ---- the ranks ------------------------------------------------------------------------------- */

static struct stage stage_open(struct fork_rank *self)
{
    struct symm_process *process = fork_team_process(self);
    struct stage stage = {
        .self = self,
        .heap = symm_process_heap(process),
        .team = fork_team_create(self, process),
        .delays = unit_random_start(10, (uint64_t)self->rank),
    };
    FORK_STATUS(self, fork_team_set_up(self, stage.team, PLAN_PAYLOAD, PIECE), SYMM_OK);
    return stage;
}

static void stage_close(struct stage *stage)
{
    struct symm_heap_stats stats;
    struct symm_process *process = stage->team->process;
    fork_rank_barrier(stage->self);
    symm_heap_get_stats(stage->heap, &stats);
    FORK_CHECK(stage->self, stats.blocks == 0);
    symm_team_destroy(stage->team);
    symm_process_release(process);
}

/* Counts around pieces (4096 bytes), blocks (64 KiB), and slices of several blocks. */
static void test_reductions(struct fork_rank *self, void *context)
{
    static const size_t bytes[] = {4, 12, 60, 252, 4092, 4096, 4100, 8192, 12300, 65532, 65536,
                                   65604, 401200};
    struct stage stage = stage_open(self);
    (void)context;
    for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
        for (enum element_type type = 0; type < ELEMENT_TYPES; type++) {
            struct unit_random common = unit_random_start(11 + i, type);
            struct plan plan = {
                .type = type, .stream = 100 + i,
                .count = bytes[i] / element_reductions[type].extent + (bytes[i] < 12),
                .is_late = bytes[i] < 100000};
            for (plan.algorithm = 0; plan.algorithm < SYMM_ALGORITHM_COUNT; plan.algorithm++) {
                plan.in_place = (unsigned)unit_random_below(&common, 32);
                plan.others_in_heap = unit_random_below(&common, 2) == 0;
                uint64_t one = (i * ELEMENT_TYPES + type) * SYMM_ALGORITHM_COUNT + plan.algorithm;
                if (!plan_is_for(&plan, SYMM_ALLGATHER) && plan_is_possible(&plan) &&
                    !unit_leaves_out(one)) {
                    (void)plan_make(&stage, &plan, 0);
                }
            }
        }
    }
    stage_close(&stage);
}

static void test_allgather(struct fork_rank *self, void *context)
{
    static const size_t bytes[] = {1, 3, 64, 1000, 4095, 4096, 4097, 8192, 12289, 65535, 65536,
                                   65537, 300001};
    struct stage stage = stage_open(self);
    struct unit_random common = unit_random_start(12, 0);
    (void)context;
    for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
        for (unsigned turn = 0; turn < 3; turn++) { /* in place: nobody, everybody, some */
            struct plan plan = {.count = bytes[i], .stream = 200 + 3 * i + turn,
                                .is_late = bytes[i] < 100000};
            for (plan.algorithm = 0; plan.algorithm < SYMM_ALGORITHM_COUNT; plan.algorithm++) {
                plan.in_place = turn == 0   ? 0
                                : turn == 1 ? 31
                                            : (unsigned)unit_random_below(&common, 32);
                plan.others_in_heap = unit_random_below(&common, 2) == 0;
                if (plan_is_for(&plan, SYMM_ALLGATHER) && plan_is_possible(&plan)) {
                    (void)plan_make(&stage, &plan, 0);
                }
            }
        }
    }
    stage_close(&stage);
}

static enum symm_algorithm host_algorithm_draw(struct unit_random *random)
{
    enum symm_algorithm algorithm;
    do {
        algorithm = (enum symm_algorithm)unit_random_below(random, SYMM_ALGORITHM_COUNT);
    } while (!plan_takes(algorithm));
    return algorithm;
}

/* Short calls of all algorithms one after the other, as fast as they go. */
static void run_mixture(struct fork_rank *self, void *context)
{
    enum { CALLS_MOST = 3000 };
    struct stage stage = stage_open(self);
    double end = unit_seconds() + 0.8;
    uint64_t call = 0;
    uint32_t flags = 0;
    (void)context;
    while ((flags & LAST_CALL) == 0) {
        struct unit_random common = unit_random_start(13, ++call);
        struct plan plan = {
            .algorithm = host_algorithm_draw(&common),
            .type = (enum element_type)unit_random_below(&common, ELEMENT_TYPES),
            .stream = 10000 + call,
            .in_place = (unsigned)unit_random_below(&common, 32),
        };
        size_t most = unit_random_below(&common, 4) == 0 ? 20000 : 600;
        plan.count = 1 + unit_random_below(&common, most) / plan_extent(&plan);
        plan.others_in_heap = unit_random_below(&common, 2) == 0;
        if (!plan_is_possible(&plan)) {
            plan.count = PLAN_PAYLOAD / plan_extent(&plan);
        }
        bool is_last = self->rank == 0 && (call == CALLS_MOST || unit_seconds() > end);
        flags = plan_make(&stage, &plan, is_last ? LAST_CALL : 0);
    }
    (void)fork_send(self->channel, &call, sizeof(call));
    stage_close(&stage);
}

/* Nothing to reduce or to gather is done at once, also between other calls. */
static void test_nothing_to_do(struct fork_rank *self, void *context)
{
    struct stage stage = stage_open(self);
    (void)context;
    for (uint64_t turn = 0; turn < 3; turn++) {
        struct plan plan = {.type = ELEMENT_FLOAT, .stream = turn};
        for (plan.algorithm = 0; plan.algorithm < SYMM_ALGORITHM_COUNT; plan.algorithm++) {
            plan.count = turn == 1 ? 10 : 0;
            if (plan_takes(plan.algorithm)) {
                (void)plan_make(&stage, &plan, 0);
            }
        }
    }
    stage_close(&stage);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_mixture(void **state)
{
    (void)state;
    for (int size = 2; size <= 5; size++) {
        struct fork_ranks ranks;
        uint64_t calls = 0;
        fork_ranks_start(&ranks, size, run_mixture, NULL);
        (void)fork_receive(ranks.channels[0], &calls, sizeof(calls));
        fork_ranks_join(&ranks);
        (void)printf("# %d ranks: %llu calls\n", size, (unsigned long long)calls);
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_INLINE), "inline");
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_STAGED), "staged");
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_STAGED_ONE_SHOT), "staged_one_shot");
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_ONE_SHOT), "one_shot");
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_TWO_SHOT), "two_shot");
    assert_string_equal(symm_algorithm_name(SYMM_ALLGATHER_INLINE), "inline");
    assert_string_equal(symm_algorithm_name(SYMM_ALLGATHER_STAGED), "staged");
    assert_string_equal(symm_algorithm_name(SYMM_ALLGATHER_PULL), "pull");
    assert_string_equal(symm_algorithm_name(SYMM_ALLGATHER_PUSH), "push");
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_MULTIMEM), "multimem");
    assert_string_equal(symm_algorithm_name(SYMM_ALLGATHER_MULTIMEM), "multimem");
}

/* Each row is at its number, complete, and alone with its word. */
static void test_rows(void **state)
{
    (void)state;
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        const struct symm_algorithm_row *row = symm_algorithm_get((enum symm_algorithm)i);
        assert_int_equal(row->number, i);
        assert_non_null(row->step);
        assert_true((row->memory == SYMM_ALGORITHM_DEVICE) ==
                    (strncmp(row->name, "cuda_", strlen("cuda_")) == 0));
        assert_true(row->memory == SYMM_ALGORITHM_DEVICE || row->keeps_order);
        assert_true((row->cost.rate > 0) == (row->cost.link_bytes != NULL));
        assert_true((row->scratch_wanted != NULL) ==
                    symm_algorithm_has(i, SYMM_NEEDS_SLICE_SCRATCH | SYMM_NEEDS_RELAY_SCRATCH));
        assert_true((row->scratch_least != NULL && row->scratch_fair != NULL) ==
                    symm_algorithm_has(i, SYMM_NEEDS_SLICE_SCRATCH));
        for (int k = 0; k < i; k++) {
            const struct symm_algorithm_row *other = symm_algorithm_get((enum symm_algorithm)k);
            assert_true(other->collective != row->collective ||
                        strcmp(other->name, row->name) != 0);
        }
        if (row->memory == SYMM_ALGORITHM_HOST) {
            const struct symm_algorithm_row *like = NULL;
            for (int k = 0; k < SYMM_ALGORITHM_COUNT; k++) {
                if (symm_algorithm_is_for(k, row->collective, SYMM_ALGORITHM_DEVICE) &&
                    strcmp(symm_algorithm_word(symm_algorithm_get((enum symm_algorithm)k)),
                           row->name) == 0) {
                    like = symm_algorithm_get((enum symm_algorithm)k);
                }
            }
            assert_int_equal(row->on_device, like != NULL ? like->number : 0);
        }
    }
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        const struct symm_collective_row *collective = symm_collective_get((enum symm_collective)i);
        const struct symm_algorithm_row *slot =
            symm_algorithm_get((enum symm_algorithm)collective->inline_algorithm);
        assert_true(slot->in_slot && slot->collective == (enum symm_collective)i);
    }
    assert_false(symm_algorithm_has(-1, UINT_MAX));
    assert_false(symm_algorithm_has(SYMM_ALGORITHM_COUNT, UINT_MAX));
}

UNIT_MAIN("test_algorithms", 220,
    FORK_TEST_OF(test_reductions, 1, 5),
    FORK_TEST_OF(test_allgather, 1, 5),
    cmocka_unit_test(test_mixture),
    FORK_TEST(test_nothing_to_do, 1),
    FORK_TEST(test_nothing_to_do, 3),
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_rows))
