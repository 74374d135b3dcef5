/*
 * test_stream_plan.c - the plans of calls on a stream lane: each block has something for each rank,
 * all data are covered once, and lanes have room for it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include "kernels/cuda/device_code/stream_arguments.h"
#include "kernels/cuda/stream/plan.h"

enum { MIB = 1 << 20 };

/* Threads do not have more than they hold. */
static void packets_check(const struct symm_stream_plan *plan, size_t extent)
{
    const uint64_t unit = extent > 8 ? 16 : 8, units = (plan->bytes + unit - 1) / unit;
    const uint64_t block = (uint64_t)plan->threads * plan->units;
    assert_true(block * unit * 2 <= plan->row && plan->row % 16 == 0);
    assert_true((plan->blocks - 1) * block < units && units <= plan->blocks * block);
    if (plan->way == SYMM_STREAM_TWO_SHOT) {
        assert_true(plan->units == 1 && plan->bytes % unit == 0);
    }
}

/* Blocks take pieces in turn; rows of all peers, and results behind them, fit a region. */
static void pieces_check(const struct symm_stream_plan *plan, int ranks,
                         const struct symm_stream_limits *limits)
{
    const uint32_t region = limits->region;
    const uint64_t pieces = (plan->bytes + plan->row - 1) / plan->row;
    assert_true(plan->row >= 16 && plan->row % 16 == 0);
    assert_true((uint64_t)plan->row * (uint64_t)(ranks - 1) <= (ranks > 2 ? region / 2 : region));
    assert_true(plan->blocks == (pieces < limits->blocks ? pieces : limits->blocks));
    if (plan->way == SYMM_STREAM_PUSH_TWO_LEGS) {
        assert_true(ranks > 2 && plan->bytes % 16 == 0);
    }
}

static void plan_check(const struct symm_stream_demand *demand,
                       const struct symm_stream_limits *limits)
{
    const struct symm_stream_plan plan = symm_stream_plan(demand, limits);
    if (demand->bytes == 0) {
        assert_int_equal(plan.way, SYMM_STREAM_NOTHING);
        return;
    }
    assert_true(plan.threads >= 1 && plan.threads % 32 == 0);
    assert_true(plan.threads <= SYMM_STREAM_THREADS);
    assert_true(plan.blocks >= 1 && plan.blocks <= limits->blocks);
    if (plan.way == SYMM_STREAM_TWO_SHOT || plan.way == SYMM_STREAM_PUSH_TWO_LEGS) {
        const uint64_t ranks = (uint64_t)demand->ranks;
        assert_true(demand->is_reduced && plan.bytes * ranks >= demand->bytes);
        assert_true(plan.bytes * ranks < demand->bytes + 16 * ranks + 16);
    } else {
        assert_true(plan.bytes == demand->bytes);
    }
    if (plan.way == SYMM_STREAM_ONE_SHOT || plan.way == SYMM_STREAM_TWO_SHOT) {
        packets_check(&plan, demand->extent);
        assert_true(plan.bytes <= limits->packets || demand->bytes <= 8);
    } else {
        pieces_check(&plan, demand->ranks, limits);
    }
}

/* Of copies and reductions of elements of any size. */
static void plans_check(int ranks, uint64_t bytes, const struct symm_stream_limits *limits)
{
    static const size_t extents[] = {1, 2, 4, 8, 16};
    for (int i = 0; i < 10; i++) {
        const struct symm_stream_demand demand = {
            .ranks = ranks, .bytes = bytes, .extent = extents[i % 5], .is_reduced = i > 4,
        };
        plan_check(&demand, limits);
    }
}

/* Every size up to 4 KiB, then some up to 4 MiB, and much longer ones. */
static void sizes_check(int ranks, const struct symm_stream_limits *limits)
{
    for (uint64_t step = 0; step <= 3 * 4096; step++) {
        plans_check(ranks, step <= 4096 ? step : (step - 4096) * 511, limits);
    }
    for (uint64_t bytes = 4 * MIB; bytes < UINT64_C(1) << 40; bytes += bytes / 3 + 1) {
        plans_check(ranks, bytes, limits);
    }
}

static void test_default_limits(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= SYMM_STREAM_RANKS; ranks++) {
        const struct symm_stream_limits limits = symm_stream_limits_default(ranks);
        sizes_check(ranks, &limits);
    }
}

/* Packets for all that they have room for, and for nothing; lanes of all sizes. */
static void test_other_limits(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= SYMM_STREAM_RANKS; ranks++) {
        struct symm_stream_limits limits = symm_stream_limits_default(ranks);
        limits.packets = UINT64_MAX;
        sizes_check(ranks, &limits);
        limits.packets = 0;
        for (uint32_t region = SYMM_STREAM_REGION_STEP; region <= MIB; region *= 3) {
            limits.region = region / SYMM_STREAM_REGION_STEP * SYMM_STREAM_REGION_STEP;
            sizes_check(ranks, &limits);
        }
    }
}

static void test_little_memory(void **state)
{
    const struct symm_stream_limits most = symm_stream_limits_default(2);
    const size_t all = symm_stream_memory_bytes(&most);
    struct symm_stream_limits limits = most;
    (void)state;
    assert_true(symm_stream_limits_fit(&limits, SIZE_MAX) && limits.region == most.region);
    assert_true(symm_stream_limits_fit(&limits, all) && limits.region == most.region);
    for (size_t bytes = all - 1; symm_stream_limits_fit(&limits, bytes); bytes -= bytes / 100) {
        assert_true(symm_stream_memory_bytes(&limits) <= bytes);
        assert_true(limits.region % SYMM_STREAM_REGION_STEP == 0);
        limits.region += SYMM_STREAM_REGION_STEP;
        assert_true(symm_stream_memory_bytes(&limits) > bytes);
    }
    assert_int_equal(limits.region, 0);
}

/* Devices of few multiprocessors. */
static void test_few_blocks(void **state)
{
    static const uint32_t blocks[] = {SYMM_STREAM_BLOCKS_LEAST, 10, 28, 63, 64, 65, 127};
    (void)state;
    for (int ranks = 2; ranks <= SYMM_STREAM_RANKS; ranks += ranks < 4 ? 1 : 4) {
        struct symm_stream_limits limits = symm_stream_limits_default(ranks);
        for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
            limits.blocks = blocks[i];
            sizes_check(ranks, &limits);
        }
        limits.packets = UINT64_MAX;
        limits.region = SYMM_STREAM_REGION_STEP;
        limits.blocks = SYMM_STREAM_BLOCKS_LEAST;
        sizes_check(ranks, &limits);
    }
}

/* What was measured between two ranks: blocks, threads, and bytes of a piece. */
static void test_measured(void **state)
{
    static const struct {
        uint64_t bytes;
        unsigned blocks, threads;
        uint32_t row;
    } measured[] = {
        {64 << 10, 16, 128, 4 << 10}, {256 << 10, 32, 128, 8 << 10}, {MIB, 64, 256, 16 << 10},
        {4 * MIB, 128, 512, 32 << 10}, {16 * MIB, 128, 512, 32 << 10},
        {64 * MIB, 128, 512, 64 << 10},
    };
    struct symm_stream_limits limits = symm_stream_limits_default(2);
    (void)state;
    limits.packets = 0;
    for (size_t i = 0; i < sizeof(measured) / sizeof(*measured); i++) {
        const struct symm_stream_demand demand = {
            .ranks = 2, .bytes = measured[i].bytes, .extent = 4, .is_reduced = true,
        };
        const struct symm_stream_plan plan = symm_stream_plan(&demand, &limits);
        assert_int_equal(plan.way, SYMM_STREAM_PUSH);
        assert_int_equal(plan.blocks, measured[i].blocks);
        assert_int_equal(plan.threads, measured[i].threads);
        assert_int_equal(plan.row, measured[i].row);
    }
}

UNIT_MAIN("test_stream_plan", 60,
    cmocka_unit_test(test_default_limits),
    cmocka_unit_test(test_other_limits),
    cmocka_unit_test(test_little_memory),
    cmocka_unit_test(test_few_blocks),
    cmocka_unit_test(test_measured))
