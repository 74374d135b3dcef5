/*
 * test_fold.c - the order in which symm_fold() reduces, and the slices of symm_slice().
 *
 * The elements of the first half are texts: reducing "0" and "1" gives "(01)", so that a result
 * tells the whole story of how it came about.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <stdio.h>
#include <string.h>

#include "heap/team.h"
#include "kernels/reduction.h"

/* Three ranks and more reduce COUNT elements in several parts, and FEW in one. */
enum { RANKS_MAX = 6, FEW = 5, COUNT = 1000, TEXT_SIZE = 40, GUARD = 3 };

struct text {
    char letters[TEXT_SIZE];
};

/* ---- an operation on texts ------------------------------------------------------------------- */

struct journal {
    bool commutes; /* the operands' order does not matter: the lower rank is written first */
    unsigned reductions, combinations;
};

static char first_digit(const struct text *text)
{
    return text->letters[strspn(text->letters, "(")];
}

static struct text join(const struct journal *journal, const struct text *left,
                        const struct text *right)
{
    struct text joined;
    bool swapped = journal->commutes && first_digit(left) > first_digit(right);
    memset(&joined, 0, sizeof(joined));
    (void)snprintf(joined.letters, sizeof(joined.letters), "(%.17s%.17s)",
                   swapped ? right->letters : left->letters,
                   swapped ? left->letters : right->letters);
    return joined;
}

static void reduce_texts(void *context, const void *source, void *target, size_t count)
{
    struct journal *journal = context;
    const struct text *left = source;
    struct text *right = target;
    journal->reductions++;
    for (size_t i = 0; i < count; i++) {
        right[i] = join(journal, &left[i], &right[i]);
    }
}

static void combine_texts(void *context, const void *left, const void *right, void *target,
                          size_t count)
{
    struct journal *journal = context;
    const struct text *one = left, *two = right;
    struct text *result = target;
    journal->combinations++;
    for (size_t i = 0; i < count; i++) {
        result[i] = join(journal, &one[i], &two[i]);
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

static struct text inputs[RANKS_MAX][COUNT + 2 * GUARD];
static struct text target[COUNT + 2 * GUARD];

/* Rank 0's letter in an element: elements of different parts differ. */
static char first_of(size_t element)
{
    return "0Aa"[element * 3 / COUNT];
}

static void inputs_fill(void)
{
    memset(inputs, 0, sizeof(inputs));
    memset(target, '#', sizeof(target));
    for (int rank = 0; rank < RANKS_MAX; rank++) {
        for (size_t i = 0; i < COUNT + 2 * GUARD; i++) {
            bool is_input = i >= GUARD && i < GUARD + COUNT;
            inputs[rank][i].letters[0] = is_input ? (char)(first_of(i - GUARD) + rank) : '?';
        }
    }
}

static void expect_story_of(const struct symm_reduction *reduction, int ranks, size_t count,
                            const char *story)
{
    const void *pointers[RANKS_MAX];
    struct text guard[GUARD];
    memset(guard, '#', sizeof(guard));
    inputs_fill();
    static struct text before[RANKS_MAX][COUNT + 2 * GUARD];
    memcpy(before, inputs, sizeof(inputs));
    for (int rank = 0; rank < ranks; rank++) {
        pointers[rank] = inputs[rank];
    }
    struct symm_team team = {.rank = ranks / 2, .size = ranks};
    symm_fold(reduction, &team, pointers, GUARD * sizeof(struct text), &target[GUARD], count);
    for (size_t i = 0; i < count; i++) {
        struct text expected = {""};
        for (size_t at = 0; story[at] != '\0'; at++) {
            bool is_digit = story[at] >= '0' && story[at] <= '9';
            expected.letters[at] = is_digit ? (char)(story[at] - '0' + first_of(i)) : story[at];
        }
        assert_string_equal(target[GUARD + i].letters, expected.letters);
    }
    assert_memory_equal(&target[0], guard, sizeof(guard));
    assert_memory_equal(&target[GUARD + count], guard, sizeof(guard));
    assert_memory_equal(before, inputs, sizeof(inputs));
}

static void expect_story(const struct symm_reduction *reduction, int ranks, const char *story)
{
    expect_story_of(reduction, ranks, FEW, story);
    expect_story_of(reduction, ranks, COUNT, story);
}

static void test_ordered(void **state)
{
    static const char *const stories[] = {"0", "(01)", "(0(12))", "(0(1(23)))", "(0(1(2(34))))"};
    struct journal journal = {.commutes = false};
    struct symm_reduction reduction = {
        .context = &journal, .extent = sizeof(struct text), .ordered = true,
        .reduce = reduce_texts, .combine = NULL};
    (void)state;
    for (int ranks = 1; ranks <= 5; ranks++) {
        expect_story(&reduction, ranks, stories[ranks - 1]);
    }
    reduction.combine = combine_texts; /* there, but not to be used */
    for (int ranks = 1; ranks <= 5; ranks++) {
        expect_story(&reduction, ranks, stories[ranks - 1]);
    }
    assert_int_equal(journal.combinations, 0);
}

static void test_in_rank_order(void **state)
{
    static const char *const stories[] = {"0", "(01)", "((01)2)", "(((01)2)3)", "((((01)2)3)4)"};
    struct journal journal = {.commutes = true};
    const struct symm_reduction reduction = {
        .context = &journal, .extent = sizeof(struct text), .ordered = false,
        .reduce = reduce_texts, .combine = combine_texts};
    (void)state;
    for (int ranks = 1; ranks <= 5; ranks++) {
        journal.reductions = journal.combinations = 0;
        expect_story_of(&reduction, ranks, FEW, stories[ranks - 1]);
        assert_int_equal(journal.combinations, ranks > 1);
        assert_int_equal(journal.reductions, ranks > 2 ? ranks - 2 : 0);
        journal.reductions = journal.combinations = 0;
        expect_story_of(&reduction, ranks, COUNT, stories[ranks - 1]);
        assert_true(ranks <= 2 || journal.combinations > 1);
        assert_int_equal(journal.reductions, ranks > 2 ? journal.combinations * (ranks - 2) : 0);
    }
}

/* Without a function of three operands the order is fixed as well: that of an ordered operation. */
static void test_without_combine(void **state)
{
    struct journal journal = {.commutes = true};
    const struct symm_reduction reduction = {
        .context = &journal, .extent = sizeof(struct text), .ordered = false,
        .reduce = reduce_texts, .combine = NULL};
    (void)state;
    expect_story(&reduction, 1, "0");
    expect_story(&reduction, 2, "(01)");
    expect_story(&reduction, 4, "(0(1(23)))");
}

/* ---- slices ---------------------------------------------------------------------------------- */

static void check_slices(size_t count, size_t extent, int ranks)
{
    size_t expected = 0, largest = 0;
    for (int rank = 0; rank < ranks; rank++) {
        size_t begin, end;
        symm_slice(count, extent, rank, ranks, &begin, &end);
        assert_int_equal(begin, expected); /* complete, disjoint and in order of ranks */
        assert_true(end >= begin && end <= count);
        if (begin < count) {
            assert_int_equal(begin * extent % 64, 0);
        }
        largest = end - begin > largest ? end - begin : largest;
        expected = end;
    }
    assert_int_equal(expected, count);
    /* Fair, but for the rounding to cache lines, which comes in at most 64 elements. */
    assert_true(largest <= count / (size_t)ranks + 1 + 64);
}

static void test_slices(void **state)
{
    static const size_t extents[] = {1,  2,  4,  8,  12,  16,  20,   24,
                                     32, 40, 64, 96, 100, 128, 4096, 65536};
    struct unit_random random = unit_random_start(1, 0);
    (void)state;
    for (size_t i = 0; i < sizeof(extents) / sizeof(*extents); i++) {
        for (int ranks = 1; ranks <= 64; ranks++) {
            for (size_t count = 0; count < 70; count++) {
                check_slices(count, extents[i], ranks);
            }
            for (unsigned turn = 0; turn < 20; turn++) {
                check_slices(unit_random_below(&random, (size_t)1 << (1 + turn * 2)), extents[i],
                             ranks);
            }
        }
    }
    for (unsigned turn = 0; turn < 20000; turn++) {
        size_t count = unit_random_below(&random, 100000);
        size_t extent = 1 + unit_random_below(&random, 3000);
        check_slices(count, extent, 1 + (int)unit_random_below(&random, 300));
    }
}

/* A rank of many that have one element each gets it exactly when it lies in its cache line. */
static void test_small_slices(void **state)
{
    size_t begin, end;
    (void)state;
    symm_slice(1, 4, 0, 4, &begin, &end);
    assert_true(begin == 0 && end == 1);
    symm_slice(1, 4, 3, 4, &begin, &end);
    assert_true(begin == 1 && end == 1);
    symm_slice(17, 4, 1, 4, &begin, &end);
    assert_true(begin == 16 && end == 17);
    symm_slice(64, 4, 2, 4, &begin, &end);
    assert_true(begin == 32 && end == 48);
}

UNIT_MAIN("test_fold", 100,
    cmocka_unit_test(test_ordered),
    cmocka_unit_test(test_in_rank_order),
    cmocka_unit_test(test_without_combine),
    cmocka_unit_test(test_slices),
    cmocka_unit_test(test_small_slices))
