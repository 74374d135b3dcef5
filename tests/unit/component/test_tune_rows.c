/*
 * test_tune_rows.c - from measured times to rows of a table of choices: who wins, and from how many
 * bytes on.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tests/unit/harness/unit.h"

#include "bench/tune_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST, SECOND, MULTICAST, ONE_SHOT, SLOT, CANDIDATES };

const char *call_name(enum collective collective)
{
    return collective == COLLECTIVE_ALLREDUCE   ? "MPI_Allreduce"
           : collective == COLLECTIVE_SCATTERV ? "MPI_Scatterv"
                                               : "MPI_Allgather";
}

/* Nothing is measured yet; sizes double from 1 KiB on. */
static struct tune_part part_of(enum collective collective, int sizes)
{
    static const char *const words[CANDIDATES] = {"first", "second", "multimem",
                                                  "multimem_one_shot", "inline"};
    struct tune_part part = {.there = true, .sizes = sizes};
    part.forcing.collective = collective;
    part.forcing.count = CANDIDATES;
    for (int i = 0; i < CANDIDATES; i++) {
        strcpy(part.forcing.candidate[i].word, words[i]);
    }
    for (int place = 0; place < 2; place++) {
        for (int size = 0; size < sizes; size++) {
            struct choice_times *times = &part.times[place][size];
            times->bytes = (size_t)1024 << size;
            for (int i = 0; i < FORCING_MOST; i++) {
                times->us[i] = -1;
            }
        }
    }
    return part;
}

/* A negative time: not possible. */
static void measured(struct tune_part *part, int place, int size, double first, double second)
{
    struct choice_times *times = &part->times[place][size];
    times->measured = true;
    times->us[FIRST] = first;
    times->us[SECOND] = second;
}

static void measured_alike(struct tune_part *part, int size, double first, double second)
{
    measured(part, 0, size, first, second);
    measured(part, 1, size, first, second);
}

/* The rows, and nothing else of what is written, are these. */
static void expect_rows(const struct tune_part *part, int ranks, const char *expected)
{
    char *text = NULL, rows[1024] = "";
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    tune_rows_write(file, part, ranks, true);
    assert_int_equal(fclose(file), 0);
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] != '#') {
            assert_true(strlen(rows) + strlen(line) + 2 < sizeof(rows));
            strcat(strcat(rows, line), "\n");
        }
    }
    free(text);
    assert_string_equal(rows, expected);
}

static void test_one_wins(void **state)
{
    (void)state;
    struct tune_part part = part_of(COLLECTIVE_ALLREDUCE, 3);
    for (int size = 0; size < 3; size++) {
        measured_alike(&part, size, 1, 2);
    }
    expect_rows(&part, 2, "allreduce device 2 any any 1K first\n");
}

/*
 * 4 behind at 2 KiB, 4 ahead at 4 KiB: even at 3 KiB. In an all-gather the blocks of all count, in
 * a gatherv or scatterv a block.
 */
static void test_lines_cross(void **state)
{
    (void)state;
    struct tune_part part = part_of(COLLECTIVE_ALLREDUCE, 3);
    measured_alike(&part, 0, 10, 16);
    measured_alike(&part, 1, 14, 18);
    measured_alike(&part, 2, 26, 22);
    expect_rows(&part, 2,
                "allreduce device 2 any any 1K-3K first\n"
                "allreduce device 2 any any 3K second\n");
    part.forcing.collective = COLLECTIVE_ALLGATHER;
    expect_rows(&part, 4,
                "allgather device 4 any any 4K-12K first\n"
                "allgather device 4 any any 12K second\n");
    part.forcing.collective = COLLECTIVE_SCATTERV;
    expect_rows(&part, 4,
                "scatterv device 4 any any 1K-3K first\n"
                "scatterv device 4 any any 3K second\n");
}

/* The one before stays if it loses less than 2 %; it then has lost right behind that size. */
static void test_before_stays(void **state)
{
    (void)state;
    struct tune_part part = part_of(COLLECTIVE_ALLREDUCE, 3);
    measured_alike(&part, 0, 10, 16);
    measured_alike(&part, 1, 20.1, 20);
    measured_alike(&part, 2, 40, 30);
    expect_rows(&part, 2,
                "allreduce device 2 any any 1K-2304 first\n"
                "allreduce device 2 any any 2304 second\n");
}

/* What was not possible, or not measured, at the size before takes over at its own size. */
static void test_no_line(void **state)
{
    (void)state;
    struct tune_part part = part_of(COLLECTIVE_ALLREDUCE, 4);
    measured_alike(&part, 0, 10, -1);
    measured_alike(&part, 2, 40, 30);
    measured_alike(&part, 3, 80, 60);
    expect_rows(&part, 2,
                "allreduce device 2 any any 1K-4K first\n"
                "allreduce device 2 any any 4K second\n");
}

static void test_places_differ(void **state)
{
    (void)state;
    struct tune_part part = part_of(COLLECTIVE_ALLREDUCE, 2);
    measured(&part, 0, 0, 10, 20);
    measured(&part, 1, 0, 20, 10);
    measured(&part, 0, 1, 20, 10);
    measured(&part, 1, 1, 30, 20);
    expect_rows(&part, 2,
                "allreduce device 2 out any 1K-1536 first\n"
                "allreduce device 2 out any 1536 second\n"
                "allreduce device 2 in any 1K second\n");
}

/* What multicast wins has rows of its own, in front of those for calls without. */
static void test_multicast(void **state)
{
    (void)state;
    struct tune_part part = part_of(COLLECTIVE_ALLREDUCE, 2);
    measured_alike(&part, 0, 10, 20);
    measured_alike(&part, 1, 20, 30);
    for (int place = 0; place < 2; place++) {
        part.times[place][0].us[MULTICAST] = 15;
        part.times[place][1].us[MULTICAST] = 15;
    }
    expect_rows(&part, 2,
                "allreduce device 2 any yes 1K-1536 first\n"
                "allreduce device 2 any yes 1536 multimem\n"
                "allreduce device 2 any any 1K first\n");
}

/* One-shot by multicast is not for all types: behind its rows stand those of all that is. */
static void test_multicast_one_shot(void **state)
{
    (void)state;
    struct tune_part part = part_of(COLLECTIVE_ALLREDUCE, 3);
    for (int size = 0; size < 3; size++) {
        measured_alike(&part, size, 10 << size, 30 << size);
        for (int place = 0; place < 2; place++) {
            part.times[place][size].us[MULTICAST] = 8 + size;
            part.times[place][size].us[ONE_SHOT] = 7 + 2 * size;
        }
    }
    expect_rows(&part, 2,
                "allreduce device 2 any yes 1K-2304 multimem_one_shot\n"
                "allreduce device 2 any yes 2304 multimem\n"
                "allreduce device 2 any yes 1K multimem\n"
                "allreduce device 2 any any 1K first\n");
}

/*
 * The slot is for both places, and hands over where it was measured. That of a scatterv counts all
 * blocks.
 */
static void test_slot(void **state)
{
    (void)state;
    struct tune_part part = part_of(COLLECTIVE_ALLREDUCE, 2);
    measured_alike(&part, 0, 10, 20);
    measured_alike(&part, 1, 20, 30);
    part.times[0][0].us[SLOT] = part.times[1][0].us[SLOT] = 5;
    part.times[0][1].us[SLOT] = part.times[1][1].us[SLOT] = 50;
    expect_rows(&part, 2,
                "allreduce device 2 any any 1K-2K inline\n"
                "allreduce device 2 any any 2K first\n");
    part.forcing.collective = COLLECTIVE_SCATTERV;
    expect_rows(&part, 4,
                "scatterv device 4 any any 4K-8K inline\n"
                "scatterv device 4 any any 2K first\n");
}

UNIT_MAIN("test_tune_rows", 30,
    cmocka_unit_test(test_one_wins),      cmocka_unit_test(test_lines_cross),
    cmocka_unit_test(test_before_stays),  cmocka_unit_test(test_no_line),
    cmocka_unit_test(test_places_differ), cmocka_unit_test(test_multicast),
    cmocka_unit_test(test_multicast_one_shot), cmocka_unit_test(test_slot))
