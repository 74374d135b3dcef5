/*
 * test_table_file.c - rows that users give: the reader of files, and what comes before what.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <glob.h>

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/choose/before.h"
#include "mca/coll/symm/choose/table_file.h"

#include "tests/unit/component/table_stand_ins.h"
#include "tests/unit/harness/unit.h"

static struct symm_row *rows;
static size_t row_count;
static struct symm_table_fault fault;

static bool read_text(const char *text)
{
    FILE *file = fmemopen(symm_ompi_unconst(text), strlen(text), "r");
    assert_non_null(file);
    bool good = mca_coll_symm_table_read(file, &rows, &row_count, &fault);
    (void)fclose(file);
    return good;
}

static void test_reader(void **state)
{
    static const char *const formatted[] = {
        "allreduce host any any any 64K two_shot",
        "allreduce device 4 out yes 3-1G multimem_one_shot",
        "allgather device 3-8 in no 1536K copy_engine",
        "allgather host 3- any any 0 below",
        "allreduce host 2 any any 0-1025 inline",
    };
    (void)state;
    assert_true(read_text("# nothing\n\n   \t\n"));
    assert_int_equal(row_count, 0);
    assert_true(read_text("allreduce host any any any 65536 two_shot # why\n"
                          "\tallreduce\tdevice 4 out yes 3-1024m multimem_one_shot\r\n"
                          "# a comment\n"
                          "allgather device 3-8 in no 1536k copy_engine\n"
                          "allgather host 3- any any 0 below\n"
                          "allreduce host 2-2 any any 0-1025 inline"));
    assert_int_equal(row_count, 5);
    for (size_t i = 0; i < row_count; i++) {
        char text[SYMM_ROW_TEXT];
        mca_coll_symm_row_format(&rows[i], text);
        assert_string_equal(text, formatted[i]);
        assert_int_equal(rows[i].origin, SYMM_ROW_FILE);
    }
    assert_int_equal(rows[2].line, 4);
    free(rows);
}

static void test_faults(void **state)
{
    static const struct {
        const char *text;
        unsigned line;
        const char *value;
        const char *allowed; /* its beginning */
    } faults[] = {
        {"allreduce host any any any 0\n", 1, "allreduce host any any any 0", "seven words"},
        {"\nallreduce host 2 any any 0 staged now\n", 2, "now", "nothing behind"},
        {"Allreduce host 2 any any 0 staged\n", 1, "Allreduce", "collective: "},
        {"allreduce cuda 2 any any 0 staged\n", 1, "cuda", "memory: "},
        {"allreduce host 1 any any 0 staged\n", 1, "1", "ranks: "},
        {"allreduce host 4-3 any any 0 staged\n", 1, "4-3", "ranks: "},
        {"allreduce host 2x any any 0 staged\n", 1, "2x", "ranks: "},
        {"allreduce host 70000 any any 0 staged\n", 1, "70000", "ranks: "},
        {"allreduce host 2 both any 0 staged\n", 1, "both", "place: "},
        {"allreduce host 2 any maybe 0 staged\n", 1, "maybe", "multicast: "},
        {"allreduce host 2 any any -1 staged\n", 1, "-1", "bytes: "},
        {"allreduce host 2 any any 1T staged\n", 1, "1T", "bytes: "},
        {"allreduce host 2 any any 2K-1K staged\n", 1, "2K-1K", "bytes: "},
        {"allreduce host 2 any any 99999999999 staged\n", 1, "99999999999", "bytes: "},
        {"allreduce host 2 any any 0 kernel\n", 1, "kernel",
         "allreduce in host memory: inline staged staged_one_shot one_shot two_shot multimem "
         "below"},
        {"allgather device 2 any any 0 inline\n", 1, "inline",
         "allgather in device memory: copy_engine"},
        {"allreduce host 2 out any 0 inline\n", 1, "inline", "any for place"},
        {"\x01\x02 x\n", 1, "?? x", "seven words"},
    };
    char many[SYMM_TABLE_FILE_MOST * 64 + 128] = "";
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        assert_false(read_text(faults[i].text));
        assert_null(rows);
        assert_int_equal(fault.line, faults[i].line);
        assert_string_equal(fault.value, faults[i].value);
        assert_memory_equal(fault.allowed, faults[i].allowed, strlen(faults[i].allowed));
    }
    /* Too many for 5 ranks, and as many as there may be. */
    for (int i = 0; i < SYMM_TABLE_FILE_MOST; i++) {
        (void)strcat(many, "allreduce host 3-9 any any 0 staged\n");
    }
    assert_true(read_text(many));
    free(rows);
    (void)strcat(many, "allreduce host 5- any any 0 staged\nallreduce host 10 any any 0 staged\n");
    assert_false(read_text(many));
    assert_int_equal(fault.line, SYMM_TABLE_FILE_MOST + 1);
    assert_string_equal(fault.value, "49 rows for 5 ranks");
}

/*
 * A file's rows come first, for the sizes and ranks that they name; what is forced comes before
 * them.
 */
static void test_override(void **state)
{
    (void)state;
    assert_true(read_text("allreduce host 2 any any 1M-2M one_shot\n"
                          "allreduce host 3 any any 1M staged\n"
                          "allgather host 2 any any 0-100 inline\n"
                          "allgather host 2 any any 0-1K push\n"
                          "allgather host 2 any any 4K below\n"));
    mca_coll_symm_table_fill(&table, 2, rows, row_count);
    free(rows);
    struct symm_facts facts = facts_of(SYMM_ALLREDUCE, false, 2, 1 << 20);
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_ONE_SHOT);
    facts.forced = SYMM_ALLREDUCE_STAGED;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_STAGED);
    facts.forced = MCA_COLL_SYMM_AUTO;
    facts.out_of_place = false;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_TWO_SHOT);
    facts.out_of_place = true;
    facts.bytes = 2 << 20;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_TWO_SHOT);

    facts = facts_of(SYMM_ALLGATHER, false, 2, 2048); /* 4 KiB are received */
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALGORITHM_COUNT);
    assert_int_equal(mca_coll_symm_choose_not(&facts), SYMM_REASON_SLOWER);
    assert_true(mca_coll_symm_table_inline(&table, SYMM_ALLGATHER, 2, 49));
    assert_false(mca_coll_symm_table_inline(&table, SYMM_ALLGATHER, 2, 50));
    assert_true(mca_coll_symm_table_inline(&table, SYMM_ALLGATHER, 2, 512)); /* built-in again */
    assert_false(mca_coll_symm_table_inline(&table, SYMM_ALLGATHER, 2, 2048));
    assert_true(mca_coll_symm_table_inline(&table, SYMM_ALLREDUCE, 2, 8192));
    assert_false(mca_coll_symm_table_inline(&table, SYMM_ALLREDUCE, 2, 8193));
}

/* Rows for a place, and for calls that multicast would be possible for or not. */
static void test_columns(void **state)
{
    static const char *const text = "allreduce device 4 in any 0 push\n"
                                    "allreduce device 4 out no 0 one_shot\n"
                                    "allreduce device 4 any yes 0-1K copy_engine\n"
                                    "allgather device 4 any no 0 below\n"
                                    "allgather device 4 any yes 0 copy_engine\n";
    (void)state;
    assert_true(read_text(text));
    mca_coll_symm_table_fill(&table, 4, rows, row_count);
    free(rows);
    struct symm_facts facts = facts_of(SYMM_ALLREDUCE, true, 4, 1000);
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_ONE_SHOT);
    facts.multicast_inputs = facts.multicast_outputs = facts.multimem = true;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_COPY_ENGINE);
    facts.bytes = 1024;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_MULTIMEM);
    facts.multimem = false;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_ONE_SHOT);
    facts.out_of_place = false;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLREDUCE_CUDA_PUSH);

    facts = facts_of(SYMM_ALLGATHER, true, 4, 1000);
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALGORITHM_COUNT);
    assert_int_equal(mca_coll_symm_choose_not(&facts), SYMM_REASON_SLOWER);
    facts.withheld = true;
    assert_false(mca_coll_symm_choose_again(&facts)); /* it is not wanted here */
    facts.multicast_outputs = true;
    assert_int_equal(mca_coll_symm_choose(&facts), SYMM_ALLGATHER_CUDA_COPY_ENGINE);
}

/* What is offered before ranks know of each other: scratch where slices are to be moved. */
static void test_scratch(void **state)
{
    struct symm_team team = {.size = 4, .control = {.extra = &table, .payload_size = 4096}};
    struct symm_call call = {.collective = SYMM_ALLREDUCE, .payload_bytes = 24 << 20};
    (void)state;
    mca_coll_symm_table_fill(&table, 4, NULL, 0);
    assert_int_equal(mca_coll_symm_choose_scratch(&call, &team, false, true),
                     symm_algorithm_get(SYMM_ALLREDUCE_CUDA_PUSH)->scratch_wanted(24 << 20, 4));
    /* multicast needs none */
    assert_int_equal(mca_coll_symm_choose_scratch(&call, &team, true, true), 0);
    call.payload_bytes--;
    assert_int_equal(mca_coll_symm_choose_scratch(&call, &team, false, true), 0);
    assert_true(read_text("allreduce device any in any 1M-2M copy_engine\n"));
    mca_coll_symm_table_fill(&table, 4, rows, row_count);
    free(rows);
    call.payload_bytes = 1 << 20;
    assert_int_equal(mca_coll_symm_choose_scratch(&call, &team, false, true),
                     symm_algorithm_get(SYMM_ALLREDUCE_CUDA_COPY_ENGINE)
                         ->scratch_wanted(1 << 20, 4));
    call.payload_bytes = 2 << 20;
    assert_int_equal(mca_coll_symm_choose_scratch(&call, &team, false, true), 0);
}

/* In place, and where peers do not reach the inputs, reduce-scatters want scratch of any size. */
static void test_scratch_of_scatters(void **state)
{
    static const struct {
        bool in_place;
        size_t bytes;
        enum symm_algorithm algorithm;
    } cases[] = {
        {true, 1000, SYMM_REDUCE_SCATTER_BLOCK_CUDA_COPY_ENGINE}, /* also where packets are first */
        {true, 96 << 10, SYMM_REDUCE_SCATTER_BLOCK_CUDA_COPY_ENGINE},
        {true, 16 << 20, SYMM_REDUCE_SCATTER_BLOCK_CUDA_PUSH},
        {true, 300 << 20, SYMM_REDUCE_SCATTER_BLOCK_CUDA_COPY_ENGINE},
        {false, 1000, SYMM_REDUCE_SCATTER_BLOCK_CUDA_PUSH},
        {false, 300 << 20, SYMM_REDUCE_SCATTER_BLOCK_CUDA_PUSH},
        {false, 600 << 20, SYMM_REDUCE_SCATTER_BLOCK_CUDA_COPY_ENGINE},
    };
    const struct symm_team team = {.size = 2,
                                   .control = {.extra = &table, .payload_size = 4096}};
    (void)state;
    mca_coll_symm_table_fill(&table, 2, NULL, 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct symm_call call = {.collective = SYMM_REDUCE_SCATTER_BLOCK,
                                       .in_place = cases[i].in_place,
                                       .payload_bytes = cases[i].bytes};
        assert_int_equal(mca_coll_symm_choose_scratch(&call, &team, false, false),
                         symm_algorithm_get(cases[i].algorithm)->scratch_wanted(cases[i].bytes, 2));
    }
}

static enum symm_left below(int ranks, enum symm_collective collective, size_t bytes, int device,
                             uint8_t forced)
{
    const struct symm_team team = {.size = ranks,
                                   .control = {.extra = &table, .payload_size = 4096}};
    table.forced[collective] = forced;
    const struct symm_call call = {.collective = collective, .payload_bytes = bytes,
                                   .device = device};
    return mca_coll_symm_choose_left(&call, &team);
}

/* A rank whose memory is in no heap knows without the others what the table leaves below. */
static void test_left_without(void **state)
{
    static const struct {
        enum symm_collective collective;
        size_t bytes;
        unsigned unmet;
        bool is_left;
    } cases[] = {
        {SYMM_BCAST, 64 << 10, SYMM_NEEDS_INPUTS, true},
        {SYMM_BCAST, 64 << 10, SYMM_NEEDS_OUTPUTS, false}, /* the root's input alone is read */
        {SYMM_BCAST, 64 << 10, 0, false},
        {SYMM_BCAST, 16 << 10, SYMM_NEEDS_INPUTS, false}, /* staged */
        {SYMM_REDUCE, 64 << 10, SYMM_NEEDS_INPUTS, true},
        {SYMM_ALLGATHER, 64 << 10, SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUTPUTS, false},
        {SYMM_ALLTOALL, 128 << 10, SYMM_NEEDS_INPUTS, true},
        {SYMM_ALLTOALLV, 128 << 10, SYMM_NEEDS_INPUTS, true},
        {SYMM_SCATTERV, 64 << 10, SYMM_NEEDS_INPUTS, false}, /* half of it for each rank: staged */
        {SYMM_SCATTERV, 256 << 10, SYMM_NEEDS_INPUTS, true},
        {SYMM_GATHERV, 128 << 10, SYMM_NEEDS_INPUTS, true},
        {SYMM_GATHERV, 256 << 10, SYMM_NEEDS_INPUTS, false},
    };
    static const char *const text = "bcast host 2 any any 0 pull\n"
                                    "bcast host 2 any any 48K-448K below\n"
                                    "reduce host 2 any any 0 one_shot\n"
                                    "reduce host 2 any any 32K-384K below\n"
                                    "alltoall host 2 any any 0 pull\n"
                                    "alltoall host 2 any any 48K-448K below\n"
                                    "alltoallv host 2 any any 0 pull\n"
                                    "alltoallv host 2 any any 48K-448K below\n"
                                    "scatterv host 2 any any 0 pull\n"
                                    "scatterv host 2 any any 48K-384K below\n"
                                    "gatherv host 2 any any 0 pull\n"
                                    "gatherv host 2 any any 24K-96K below\n";
    struct symm_team team = {.size = 2, .control = {.extra = &table, .payload_size = 4096}};
    (void)state;
    assert_true(read_text(text));
    mca_coll_symm_table_fill(&table, 2, rows, row_count);
    free(rows);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct symm_call call = {.collective = cases[i].collective, .device = -1,
                                       .payload_bytes = cases[i].bytes,
                                       .output = {.bytes = cases[i].bytes}};
        team.rank = 0;
        assert_int_equal(mca_coll_symm_choose_left_without(&call, &team, cases[i].unmet),
                         cases[i].is_left);
        team.rank = 1;
        bool knows = cases[i].collective != SYMM_SCATTERV && cases[i].collective != SYMM_GATHERV;
        assert_int_equal(mca_coll_symm_choose_left_without(&call, &team, cases[i].unmet),
                         cases[i].is_left && knows);
    }
    const struct symm_call call = {.collective = SYMM_BCAST, .device = -1,
                                   .payload_bytes = 64 << 10};
    table.forced[SYMM_BCAST] = SYMM_BCAST_STAGED + 1;
    assert_false(mca_coll_symm_choose_left_without(&call, &team, SYMM_NEEDS_INPUTS));
    table.forced[SYMM_BCAST] = 0;
}

/* Rank 0's parameters, and numbers that MPI_T may have given them. */
static void test_parameters(void **state)
{
    const struct symm_team team = {.size = 4, .control = {.extra = &table, .payload_size = 4096}};
    (void)state;
    mca_coll_symm_table_fill(&table, 4, NULL, 0);
    for (int collective = 0; collective < SYMM_COLLECTIVE_COUNT; collective++) {
        int *forced = &mca_coll_symm_component.forced[collective];
        for (*forced = -3; *forced < SYMM_ALGORITHM_COUNT + 300; ++*forced) {
            bool is_known = *forced >= 0 && *forced < SYMM_ALGORITHM_COUNT &&
                            symm_algorithm_get((enum symm_algorithm)*forced)->collective ==
                                (enum symm_collective)collective;
            mca_coll_symm_choose_settle(&table);
            assert_int_equal(mca_coll_symm_choose_forced((enum symm_collective)collective, &team),
                             is_known ? *forced : MCA_COLL_SYMM_AUTO);
        }
        *forced = MCA_COLL_SYMM_AUTO;
    }
    assert_true(table.staged_max == UINT64_MAX && table.staged_max_of_many == UINT64_MAX);
    assert_true(table.staged_share_max == UINT64_MAX);
    mca_coll_symm_component.allgather_staged_max = 5000;
    mca_coll_symm_choose_settle(&table);
    assert_int_equal(table.staged_max, 4096);
    assert_int_equal(table.staged_max_of_many, 4096);
    assert_int_equal(table.staged_share_max, 4096);
    mca_coll_symm_component.allgather_staged_max = 0;
}

/*
 * What is left to the component below before ranks know of each other, and what travels in the slot
 * instead.
 */
static void test_below(void **state)
{
    const uint8_t forced = SYMM_ALLREDUCE_STAGED + 1;
    (void)state;
    mca_coll_symm_table_fill(&table, 24, NULL, 0);
    assert_int_equal(below(24, SYMM_ALLREDUCE, 2048, -1, 0), SYMM_LEFT_NOT);
    mca_coll_symm_table_fill(&table, 32, NULL, 0);
    assert_true(mca_coll_symm_table_inline(&table, SYMM_ALLREDUCE, 32, 1024));
    assert_false(mca_coll_symm_table_inline(&table, SYMM_ALLREDUCE, 32, 1025));
    assert_true(mca_coll_symm_table_inline(&table, SYMM_ALLGATHER, 32, 2048));
    assert_false(mca_coll_symm_table_inline(&table, SYMM_ALLGATHER, 32, 2049));
    assert_int_equal(below(32, SYMM_ALLREDUCE, 1025, -1, 0), SYMM_LEFT_MUTE);
    assert_int_equal(below(32, SYMM_ALLREDUCE, 1025, 0, 0), SYMM_LEFT_MUTE);
    assert_int_equal(below(32, SYMM_ALLREDUCE, 4096, -1, 0), SYMM_LEFT_NOT);
    assert_int_equal(below(32, SYMM_ALLGATHER, 4000, -1, 0), SYMM_LEFT_NOT);
    mca_coll_symm_table_fill(&table, 33, NULL, 0);
    assert_int_equal(below(33, SYMM_ALLREDUCE, 2048, -1, 0), SYMM_LEFT_MUTE);
    assert_int_equal(below(33, SYMM_ALLREDUCE, 2048, 0, 0), SYMM_LEFT_MUTE);
    assert_int_equal(below(33, SYMM_ALLREDUCE, 2048, -1, forced), SYMM_LEFT_NOT);
    assert_int_equal(below(33, SYMM_ALLREDUCE, 4096, -1, 0), SYMM_LEFT_NOT);
    assert_int_equal(below(33, SYMM_ALLGATHER, 4000, -1, 0), SYMM_LEFT_NOT);
    assert_true(mca_coll_symm_table_inline(&table, SYMM_ALLREDUCE, 33, 992));
    assert_false(mca_coll_symm_table_inline(&table, SYMM_ALLREDUCE, 33, 993));

    /* Kernels serve the calls of fewer ranks, so that another rank's buffers may be on a device. */
    assert_true(read_text("allreduce host 24 any any 2K-3K below\n"));
    mca_coll_symm_table_fill(&table, 24, rows, row_count);
    free(rows);
    assert_int_equal(below(24, SYMM_ALLREDUCE, 2048, -1, 0), SYMM_LEFT_VETO);
    assert_int_equal(below(24, SYMM_ALLREDUCE, 3072, -1, 0), SYMM_LEFT_NOT);
    assert_int_equal(below(24, SYMM_ALLREDUCE, 2048, 0, 0), SYMM_LEFT_NOT);
    assert_int_equal(below(24, SYMM_ALLREDUCE, 2048, -1, forced), SYMM_LEFT_NOT);

    /*
     * A file's rows come first; one that is not for every place has to wait for the ranks' lines.
     */
    assert_true(read_text("allreduce host 40 any any 1K-2K staged\n"
                          "allreduce host 40 out any 2K-3K below\n"
                          "allgather host 40 any any 200K-400K below\n"));
    mca_coll_symm_table_fill(&table, 40, rows, row_count);
    free(rows);
    assert_int_equal(below(40, SYMM_ALLREDUCE, 2047, -1, 0), SYMM_LEFT_NOT);
    assert_int_equal(below(40, SYMM_ALLREDUCE, 2048, -1, 0), SYMM_LEFT_NOT);
    assert_int_equal(below(40, SYMM_ALLREDUCE, 3072, -1, 0), SYMM_LEFT_MUTE);
    assert_int_equal(below(40, SYMM_ALLGATHER, 8192, -1, 0), SYMM_LEFT_MUTE);
}

/*
 * Files that `symm_bench --tune-to` has written with all releases, so with words of today and
 * before (mca/old_words.c).
 */
static void test_results(void **state)
{
    glob_t found;
    int with_old_words = 0;
    (void)state;
    assert_int_equal(glob(RESULTS_FOLDER "/*.table", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 40);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "r");
        assert_non_null(file);
        if (!mca_coll_symm_table_read(file, &rows, &row_count, &fault)) {
            fail_msg("%s, line %u: %s", found.gl_pathv[i], fault.line, fault.value);
        }
        assert_true(row_count > 0);
        with_old_words += rows[0].collective == SYMM_ALLREDUCE &&
                          rows[0].algorithm == SYMM_ALLREDUCE_INLINE;
        (void)fclose(file);
        free(rows);
    }
    assert_true(with_old_words > 0);
    globfree(&found);
}

UNIT_MAIN("test_table_file", 60,
    cmocka_unit_test(test_reader),
    cmocka_unit_test(test_results),
    cmocka_unit_test(test_faults),
    cmocka_unit_test(test_override),
    cmocka_unit_test(test_columns),
    cmocka_unit_test(test_scratch),
    cmocka_unit_test(test_scratch_of_scatters),
    cmocka_unit_test(test_parameters),
    cmocka_unit_test(test_below),
    cmocka_unit_test(test_left_without))
