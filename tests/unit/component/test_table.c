/*
 * test_table.c - the choice of an algorithm: rows and their order, the model.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/choose/before.h"
#include "mca/coll/symm/choose/choose.h"
#include "mca/coll/symm/choose/model.h"
#include "kernels/cuda/device_code/arguments.h"

#include "tests/unit/component/table_stand_ins.h"
#include "tests/unit/harness/unit.h"

#include <math.h>

/* ---- built-in rows --------------------------------------------------------------------------- */

/* The limits that measurements gave, on both sides. */
static void test_limits(void **state)
{
    static const struct {
        enum symm_collective collective;
        bool device;
        int ranks;
        size_t bytes;
        enum symm_algorithm at, above; /* this size, and a byte (of a block) more */
    } limits[] = {
        {SYMM_ALLREDUCE, true, 2, ((size_t)144 << 20) - 1, SYMM_ALLREDUCE_CUDA_TWO_SHOT,
         SYMM_ALLREDUCE_CUDA_PUSH},
        {SYMM_ALLREDUCE, true, 2, ((size_t)320 << 20) - 1, SYMM_ALLREDUCE_CUDA_PUSH,
         SYMM_ALLREDUCE_CUDA_COPY_ENGINE},
        {SYMM_ALLREDUCE, true, 4, (24 << 20) - 1, SYMM_ALLREDUCE_CUDA_TWO_SHOT,
         SYMM_ALLREDUCE_CUDA_PUSH},
        {SYMM_ALLREDUCE, true, 3, (192 << 20) - 1, SYMM_ALLREDUCE_CUDA_PUSH,
         SYMM_ALLREDUCE_CUDA_COPY_ENGINE},
        {SYMM_REDUCE, true, 4, (256 << 20) - 1, SYMM_REDUCE_CUDA_TWO_SHOT, SYMM_REDUCE_CUDA_RING},
        {SYMM_REDUCE, true, 2, (256 << 20) - 1, SYMM_REDUCE_CUDA_TWO_SHOT,
         SYMM_REDUCE_CUDA_TWO_SHOT},
        {SYMM_BCAST, true, 4, (5 << 20) - 1, SYMM_BCAST_CUDA_COPY_ENGINE, SYMM_BCAST_CUDA_CHAIN},
        {SYMM_ALLGATHER, true, 2, (9 << 19) - 1, SYMM_ALLGATHER_CUDA_KERNEL,
         SYMM_ALLGATHER_CUDA_COPY_ENGINE},
        {SYMM_ALLGATHER, true, 4, (3 << 20) - 1, SYMM_ALLGATHER_CUDA_KERNEL,
         SYMM_ALLGATHER_CUDA_COPY_ENGINE},
        {SYMM_ALLGATHER, false, 4, (320 << 10) - 1, SYMM_ALLGATHER_PULL, SYMM_ALLGATHER_PUSH},
        {SYMM_ALLGATHER, false, 2, (20 << 10) - 1, SYMM_ALLGATHER_PUSH, SYMM_ALLGATHER_PULL},
        {SYMM_ALLGATHER, false, 2, (88 << 10) - 1, SYMM_ALLGATHER_PULL, SYMM_ALLGATHER_PUSH},
        {SYMM_ALLGATHER, false, 2, 1000, SYMM_ALLGATHER_PUSH, SYMM_ALLGATHER_PUSH},
        {SYMM_ALLREDUCE, false, 8, 1 << 20, SYMM_ALLREDUCE_TWO_SHOT, SYMM_ALLREDUCE_TWO_SHOT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        mca_coll_symm_table_fill(&table, limits[i].ranks, NULL, 0);
        struct symm_facts facts = facts_of(limits[i].collective, limits[i].device,
                                           limits[i].ranks, limits[i].bytes);
        assert_int_equal(mca_coll_symm_choose(&facts), limits[i].at);
        facts.bytes++;
        assert_int_equal(mca_coll_symm_choose(&facts), limits[i].above);
    }
}

/* Beside the program's own kernels, all-gathers go by copy engines from 1 MiB in all. */
static void test_beside(void **state)
{
    static const struct symm_row file[] = {
        {.collective = SYMM_ALLGATHER, .memory = SYMM_ALGORITHM_DEVICE, .ranks_least = 2,
         .ranks_most = SYMM_ROW_RANKS_MOST, .from = 0, .to = UINT64_MAX,
         .algorithm = SYMM_ALLGATHER_CUDA_KERNEL, .origin = SYMM_ROW_FILE, .line = 1},
    };
    (void)state;
    for (int ranks = 2; ranks <= 8; ranks++) {
        mca_coll_symm_table_fill(&table, ranks, NULL, 0);
        struct symm_facts facts = facts_of(SYMM_ALLGATHER, true, ranks, 1024 * 1024 / 2);
        bool engines_are_usual = mca_coll_symm_choose(&facts) == SYMM_ALLGATHER_CUDA_COPY_ENGINE;
        assert_true(!engines_are_usual || ranks != 2);
        facts.beside = true;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLGATHER_CUDA_COPY_ENGINE);
        facts.outputs_reachable = false;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLGATHER_CUDA_SCRATCH);
        facts.outputs_reachable = true;
        facts.bytes = 1024;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLGATHER_CUDA_KERNEL);
        facts.bytes = 1 << 20;
        facts.forced = SYMM_ALLGATHER_CUDA_KERNEL;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLGATHER_CUDA_KERNEL);
        facts.forced = MCA_COLL_SYMM_AUTO;
        mca_coll_symm_table_fill(&table, ranks, file, 1);
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLGATHER_CUDA_KERNEL);
        facts = facts_of(SYMM_ALLGATHER, false, ranks, 1 << 20);
        facts.beside = true;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLGATHER_PUSH);
    }
}

/* Large broadcasts among several are passed on, which takes no multiprocessors either. */
static void test_bcast_beside(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 8; ranks++) {
        mca_coll_symm_table_fill(&table, ranks, NULL, 0);
        struct symm_facts facts = facts_of(SYMM_BCAST, true, ranks, 1 << 20);
        facts.beside = true;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_BCAST_CUDA_COPY_ENGINE);
        facts.bytes = 5 << 20;
        assert_int_equal(mca_coll_symm_choose(&facts), ranks == 2 ? SYMM_BCAST_CUDA_COPY_ENGINE
                                                                  : SYMM_BCAST_CUDA_CHAIN);
    }
}

/* What is not possible is passed over, and what is forced comes first where it is possible. */
static void test_possible(void **state)
{
    (void)state;
    mca_coll_symm_table_fill(&table, 2, NULL, 0);
    struct symm_facts facts = facts_of(SYMM_ALLREDUCE, true, 2, (size_t)1 << 30);
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_COPY_ENGINE);
    facts.small_pages = true;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_PUSH);
    facts.slices = false;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_TWO_SHOT);
    facts.outputs_reachable = false;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_ONE_SHOT);
    facts.out_of_place = false;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_SCRATCH);
    facts.scratch_size = 0;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALGORITHM_COUNT);
    assert_int_equal(mca_coll_symm_choose_not(&facts), SYMM_REASON_REACH);
    facts.withheld = true;
    assert_true(mca_coll_symm_choose_again(&facts));

    facts = facts_of(SYMM_ALLREDUCE, true, 2, 1000);
    facts.forced = SYMM_ALLREDUCE_ONE_SHOT; /* for both memories */
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_ONE_SHOT);
    facts.out_of_place = false;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_TWO_SHOT);
    facts.forced = SYMM_ALLREDUCE_STAGED; /* not on devices */
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_TWO_SHOT);
}

/* Engines that send to several peers are slow to small pages sooner than between two. */
static void test_small_pages(void **state)
{
    static const struct {
        enum symm_collective collective;
        enum symm_algorithm engine, kernel;
        size_t most_of_more; /* bytes; 0: as between two */
    } cases[] = {
        {SYMM_ALLGATHER, SYMM_ALLGATHER_CUDA_COPY_ENGINE, SYMM_ALLGATHER_CUDA_KERNEL, 4 << 20},
        {SYMM_ALLGATHERV, SYMM_ALLGATHERV_CUDA_COPY_ENGINE, SYMM_ALLGATHERV_CUDA_KERNEL, 4 << 20},
        {SYMM_ALLTOALL, SYMM_ALLTOALL_CUDA_COPY_ENGINE, SYMM_ALLTOALL_CUDA_KERNEL, 0},
        {SYMM_GATHER, SYMM_GATHER_CUDA_COPY_ENGINE, SYMM_GATHER_CUDA_PUSH, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        for (int ranks = 2; ranks <= 4; ranks++) {
            size_t of_more = cases[i].most_of_more;
            size_t most = ranks > 2 && of_more > 0 ? of_more : (size_t)16 << 20;
            mca_coll_symm_table_fill(&table, ranks, NULL, 0);
            struct symm_facts facts = facts_of(cases[i].collective, true, ranks, most);
            int usual = mca_coll_symm_choose(&facts);
            facts.small_pages = true;
            assert_int_equal(mca_coll_symm_choose(&facts), usual);
            facts.bytes++;
            assert_int_equal(mca_coll_symm_choose(&facts), cases[i].kernel);
            facts.bytes = (size_t)64 << 20;
            assert_int_equal(mca_coll_symm_choose(&facts), cases[i].kernel);
            facts.small_pages = false;
            assert_int_equal(mca_coll_symm_choose(&facts), cases[i].engine);
        }
    }
    /* Rows have engines for more bytes than those that are slow; beside a computation more go. */
    struct symm_facts scattered = facts_of(SYMM_SCATTERV, true, 4, 8 << 20);
    assert_int_equal(mca_coll_symm_choose(&scattered), SYMM_SCATTERV_CUDA_COPY_ENGINE);
    scattered.small_pages = true;
    assert_int_equal(mca_coll_symm_choose(&scattered), SYMM_SCATTERV_CUDA_KERNEL);
    scattered.beside = true;
    assert_int_equal(mca_coll_symm_choose(&scattered), SYMM_SCATTERV_CUDA_COPY_ENGINE);
}

/* With multicast: never by itself in host memory, and only reductions that it has. */
static void test_multicast(void **state)
{
    (void)state;
    for (int ranks = 3; ranks <= 8; ranks++) {
        mca_coll_symm_table_fill(&table, ranks, NULL, 0);
        struct symm_facts facts = facts_of(SYMM_ALLREDUCE, true, ranks, 4096);
        facts.multicast_inputs = facts.multicast_outputs = true;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_TWO_SHOT);
        facts.multimem = true;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_MULTIMEM);
        facts.multimem_one_shot = true;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT);
        facts.out_of_place = false;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_MULTIMEM);
        facts.device = false;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_TWO_SHOT);
        facts.forced = SYMM_ALLREDUCE_MULTIMEM;
        assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_MULTIMEM);
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Within 15 % of medians in bench/results. */
static void test_model(void **state)
{
    static const struct {
        enum symm_algorithm algorithm;
        int ranks;
        uint64_t bytes;
        bool in_place;
        double measured;
    } medians[] = {
        {SYMM_ALLREDUCE_CUDA_TWO_SHOT, 2, 1024, false, 12.04},
        {SYMM_ALLREDUCE_CUDA_TWO_SHOT, 2, 4 << 20, false, 24.81},
        {SYMM_ALLREDUCE_CUDA_TWO_SHOT, 2, 128 << 20, false, 408.9},
        {SYMM_ALLREDUCE_CUDA_TWO_SHOT, 4, 16384, false, 15.30},
        {SYMM_ALLREDUCE_CUDA_TWO_SHOT, 4, 4 << 20, false, 36.29},
        {SYMM_ALLREDUCE_CUDA_TWO_SHOT, 4, 1 << 30, false, 5085.7},
        {SYMM_ALLREDUCE_CUDA_ONE_SHOT, 4, 4096, false, 16.28},
        {SYMM_ALLREDUCE_CUDA_ONE_SHOT, 4, 16 << 20, false, 190.72},
        {SYMM_ALLREDUCE_CUDA_PUSH, 4, 64 << 20, false, 316.45},
        {SYMM_ALLREDUCE_CUDA_PUSH, 4, 1 << 30, false, 4724.7},
        {SYMM_ALLREDUCE_CUDA_COPY_ENGINE, 2, 1 << 30, false, 2900.3},
        {SYMM_ALLGATHER_CUDA_KERNEL, 2, 1024, false, 12.05},
        {SYMM_ALLGATHER_CUDA_KERNEL, 4, 4096, false, 14.23},
        {SYMM_ALLGATHER_CUDA_KERNEL, 4, 8 << 20, false, 34.86},
        {SYMM_ALLGATHER_CUDA_KERNEL, 4, 256 << 20, false, 601.8},
        {SYMM_ALLGATHER_CUDA_COPY_ENGINE, 2, 2048, false, 12.98},
        {SYMM_ALLGATHER_CUDA_COPY_ENGINE, 2, 2048, true, 8.49},
        {SYMM_ALLGATHER_CUDA_COPY_ENGINE, 2, 128 << 20, true, 182.28},
        {SYMM_ALLGATHER_CUDA_COPY_ENGINE, 4, 4096, false, 24.54},
        {SYMM_ALLGATHER_CUDA_COPY_ENGINE, 4, 4096, true, 18.6},
        {SYMM_ALLGATHER_CUDA_COPY_ENGINE, 4, 256 << 20, false, 542.37},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(medians) / sizeof(medians[0]); i++) {
        double time = mca_coll_symm_model_time(medians[i].algorithm, medians[i].ranks,
                                               medians[i].bytes, medians[i].in_place);
        if (fabs(time / medians[i].measured - 1) > 0.15) {
            fail_msg("%s, %d ranks, %llu bytes: %.2f us, measured %.2f",
                     symm_algorithm_name(medians[i].algorithm), medians[i].ranks,
                     (unsigned long long)medians[i].bytes, time, medians[i].measured);
        }
    }
    assert_true(mca_coll_symm_model_time(SYMM_ALLREDUCE_TWO_SHOT, 2, 1, false) < 0);
}

/*
 * For each number of ranks there is room, an answer for each size, and nothing by multicast without
 * it.
 */
static void test_model_rows(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= SYMM_CUDA_RANKS_MAX; ranks++) {
        mca_coll_symm_table_fill(&table, ranks, NULL, 0);
        for (int collective = 0; collective < SYMM_COLLECTIVE_COUNT; collective++) {
            const struct symm_table_part *parts = table.parts[collective];
            assert_true(parts[SYMM_ALGORITHM_HOST].count + parts[SYMM_ALGORITHM_DEVICE].count <=
                        SYMM_TABLE_COLLECTIVE_MOST);
        }
        for (int shift = 0; shift <= 36; shift++) {
            for (int collective = 0; collective < SYMM_COLLECTIVE_COUNT; collective++) {
                if (!symm_collective_get((enum symm_collective)collective)->writes_outputs) {
                    continue; /* no data, and so no choice */
                }
                struct symm_facts facts = facts_of((enum symm_collective)collective, true, ranks,
                                                   (size_t)1 << shift);
                const struct symm_row *row = mca_coll_symm_choose_row(&facts, NULL);
                while (row != NULL && symm_algorithm_has(row->algorithm, SYMM_NEEDS_PADS)) {
                    row = mca_coll_symm_choose_row(&facts, row);
                }
                assert_non_null(row);
                assert_false(symm_algorithm_is_multimem((enum symm_algorithm)row->algorithm));
                assert_int_equal(row->origin, ranks <= 4 || row->ranks_most != ranks
                                                  ? SYMM_ROW_BUILT_IN : SYMM_ROW_MODEL);
            }
        }
    }
}

/*
 * Little data go by packets between up to eight devices, each of a rank of its own, unless a user
 * forces something else.
 */
static void test_packets(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= SYMM_CUDA_SMALL_RANKS + 1; ranks++) {
        /* Powers of two: for two ranks 24 KiB are too much, for three and four 12 KiB. */
        uint64_t most = ranks == 2                       ? 16 << 10
                        : ranks <= 4                     ? 8 << 10
                        : ranks <= SYMM_CUDA_SMALL_RANKS ? 32 << 10
                                                         : 0;
        mca_coll_symm_table_fill(&table, ranks, NULL, 0);
        for (uint64_t bytes = 8; bytes <= 1 << 20; bytes *= 2) {
            struct symm_facts facts = facts_of(SYMM_ALLREDUCE, true, ranks, (size_t)bytes);
            assert_int_not_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_PACKETS);
            facts.pads = true;
            assert_int_equal(mca_coll_symm_choose(&facts) == SYMM_ALLREDUCE_CUDA_PACKETS,
                             bytes <= most);
            facts.shared_devices = true;
            assert_int_not_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_PACKETS);
            facts.forced = SYMM_ALLREDUCE_CUDA_PACKETS;
            assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_PACKETS);
            facts.pads = false;
            assert_int_not_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_PACKETS);
        }
    }
}

/* Bytes that are not worth staging: by the user's word, and in all-to-alls of many ranks. */
static void test_large_blocks(void **state)
{
    static const struct {
        enum symm_collective collective;
        enum symm_algorithm staged;
        bool has_limit, has_limit_of_many;
    } cases[] = {
        {SYMM_ALLGATHER, SYMM_ALLGATHER_STAGED, true, false},
        {SYMM_ALLTOALL, SYMM_ALLTOALL_STAGED, true, true},
        {SYMM_ALLTOALLV, SYMM_ALLTOALLV_STAGED, true, true},
        {SYMM_SCATTERV, SYMM_SCATTERV_STAGED, true, false},
        {SYMM_GATHERV, SYMM_GATHERV_STAGED, true, false},
        {SYMM_GATHER, SYMM_GATHER_STAGED, false, false},
        {SYMM_BCAST, SYMM_BCAST_STAGED, false, false},
    };
    (void)state;
    for (int ranks = 2; ranks <= 11; ranks++) {
        mca_coll_symm_table_fill(&table, ranks, NULL, 0);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            bool is_left = cases[i].has_limit_of_many && ranks > 8;
            struct symm_facts facts = facts_of(cases[i].collective, false, ranks, 2 << 20);
            facts.inputs_reachable = facts.outputs_reachable = false;
            assert_int_equal(mca_coll_symm_choose(&facts), is_left ? SYMM_ALGORITHM_COUNT
                                                                   : cases[i].staged);
            table.staged_max = table.staged_max_of_many = (2 << 20) - 1;
            assert_int_equal(mca_coll_symm_choose(&facts),
                             cases[i].has_limit ? SYMM_ALGORITHM_COUNT : cases[i].staged);
            table.staged_max = table.staged_max_of_many = 2 << 20;
            assert_int_equal(mca_coll_symm_choose(&facts), cases[i].staged);
        }
    }
}

/* The most bytes of a rank that travel in the slot: docs/design/choosing.md. */
static void test_slot(void **state)
{
    static const struct {
        enum symm_collective collective;
        int ranks;
        size_t most;
    } cases[] = {
        {SYMM_ALLREDUCE, 2, 8192},       {SYMM_ALLREDUCE, 3, 5461},   {SYMM_ALLREDUCE, 16, 1024},
        {SYMM_ALLREDUCE, 32, 1024},      {SYMM_ALLGATHER, 2, 4096},   {SYMM_ALLGATHER, 8, 2048},
        {SYMM_ALLGATHERV, 32, 2048},     {SYMM_REDUCE, 2, 8192},      {SYMM_REDUCE, 16, 4096},
        {SYMM_GATHER, 4, 8192},          {SYMM_GATHER, 64, 1024},     {SYMM_SCAN, 8, 8192},
        {SYMM_EXSCAN, 32, 2048},         {SYMM_BCAST, 2, 16384},      {SYMM_SCATTER, 64, 16384},
        {SYMM_REDUCE_SCATTER, 2, 16384}, {SYMM_ALLTOALL, 32, 16384},  {SYMM_ALLTOALLV, 2, 9216},
        {SYMM_ALLTOALLW, 4, 13312},      {SYMM_GATHERV, 2, 9216},     {SYMM_SCATTERV, 16, 16384},
        {SYMM_REDUCE_SCATTER_BLOCK, 32, 16384},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum symm_collective collective = cases[i].collective;
        mca_coll_symm_table_fill(&table, cases[i].ranks, NULL, 0);
        assert_true(
            mca_coll_symm_table_inline(&table, collective, cases[i].ranks, cases[i].most));
        assert_false(
            mca_coll_symm_table_inline(&table, collective, cases[i].ranks, cases[i].most + 1));
    }
}

/* Where one copy by the kernel is quicker, large all-to-alls are left below. */
static void test_two_copies(void **state)
{
    static const struct {
        enum symm_collective collective;
        enum symm_algorithm staged;
        int ranks;
        bool is_left;
    } cases[] = {
        {SYMM_ALLTOALL, SYMM_ALLTOALL_STAGED, 2, true},
        {SYMM_ALLTOALLV, SYMM_ALLTOALLV_STAGED, 4, true},
        {SYMM_ALLTOALLW, SYMM_ALLTOALLW_STAGED, 8, true},
        {SYMM_SCATTER, SYMM_SCATTER_STAGED, 4, false},
        {SYMM_SCATTERV, SYMM_SCATTERV_STAGED, 4, false},
        {SYMM_ALLGATHER, SYMM_ALLGATHER_STAGED, 4, false},
        {SYMM_REDUCE, SYMM_REDUCE_STAGED, 4, false},
        {SYMM_REDUCE, SYMM_REDUCE_STAGED_ONE_SHOT, 2, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t ranks = (size_t)cases[i].ranks, most = 100 << 10;
        size_t limit = ranks > 2 ? 2 * most : most;
        mca_coll_symm_table_fill(&table, cases[i].ranks, NULL, 0);
        for (int more = 0; more < 2; more++) {
            size_t bytes = (limit + 2 * (size_t)more) * ranks;
            struct symm_facts facts = facts_of(cases[i].collective, false, (int)ranks, bytes);
            facts.inputs_reachable = facts.outputs_reachable = false;
            assert_int_equal(mca_coll_symm_choose(&facts), cases[i].staged);
            table.staged_share_max = most;
            assert_int_equal(mca_coll_symm_choose(&facts), more != 0 && cases[i].is_left
                                                               ? SYMM_ALGORITHM_COUNT
                                                               : cases[i].staged);
            facts.out_of_place = false;
            assert_int_equal(mca_coll_symm_choose(&facts), cases[i].staged);
            table.staged_share_max = UINT64_MAX;
        }
    }
}

UNIT_MAIN("test_table", 60,
    cmocka_unit_test(test_limits),
    cmocka_unit_test(test_large_blocks),
    cmocka_unit_test(test_two_copies),
    cmocka_unit_test(test_slot),
    cmocka_unit_test(test_beside),
    cmocka_unit_test(test_bcast_beside),
    cmocka_unit_test(test_possible),
    cmocka_unit_test(test_small_pages),
    cmocka_unit_test(test_multicast),
    cmocka_unit_test(test_model),
    cmocka_unit_test(test_model_rows),
    cmocka_unit_test(test_packets))
