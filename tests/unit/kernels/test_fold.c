/*
 * test_fold.c - the order in which symm_fold() reduces.
 *
 * The elements are texts: reducing "0" and "1" gives "(01)", so that a result
 * tells the whole story of how it came about.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <stdio.h>
#include <string.h>

#include "heap/team/team.h"
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

UNIT_MAIN("test_fold", 100,
    cmocka_unit_test(test_ordered),
    cmocka_unit_test(test_in_rank_order),
    cmocka_unit_test(test_without_combine))
