/*
 * test_ordering.c - the memory ordering of collective calls, for every processor that C11 allows.
 *
 * The component's own code is recorded (ordering_recorder.h) while two or three ranks make a few
 * calls, and all executions of what has been recorded are gone through (ordering_model.h).  In none
 * of them may there be a data race, a value that does not belong there, or a rank that waits for
 * ever.
 *
 * To show that it would be noticed, each promise of control.h is then broken in the recording.
 * What becomes of control memory between communicators is in test_ordering_life.c.
 *
 * What a recording has is one path through the code.  Where the path depends on what a rank has
 * seen (whether it must ask for the `finished` words), several are recorded.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_ranks.h"
#include "tests/unit/ordering/ordering_trial.h"
#include "tests/unit/ordering/test_ordering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/team/control.h"

enum { CALLS_MAX = 64 };

/* ---- exploring ------------------------------------------------------------------------------- */

/* What to record, what to do to it, and how to look at it. */
struct trial {
    int ranks;
    const char *calls;
    uint64_t stream; /* of the random turns that the ranks take */
    enum breakage how;
    enum word_class class;
    enum model_search search;
};

static struct model_result try(const struct trial *trial, const struct planned_call *calls,
                               int count)
{
    struct recording recording = {.count = 0};
    ordering_record(&recording, trial->ranks, calls, count, unit_random_start(1, trial->stream));
    ordering_break(&recording, trial->how, trial->class);
    return ordering_explore(&recording, trial->ranks, trial->search);
}

static void expect_sound(const struct trial *trial, const struct planned_call *calls, int count)
{
    struct model_result result = try(trial, calls, count);
    if (result.verdict != MODEL_SOUND) {
        (void)printf("# %d ranks:", trial->ranks);
        for (int i = 0; i < count; i++) {
            (void)printf(" %c%d!%d", calls[i].algorithm, calls[i].pieces, calls[i].vetoer);
        }
        (void)printf("\n");
        fail_msg("%s: event %d of rank %d meets event %d of rank %d",
                 ordering_verdict_names[result.verdict], result.position, result.rank,
                 result.other_position, result.other_rank);
    }
}

static void every_execution(int ranks, const char *text)
{
    struct planned_call calls[CALLS_MAX];
    int count = ordering_calls_parse(text, calls, CALLS_MAX);
    for (uint64_t stream = 0; stream < (ranks == 2 ? 2 : 1); stream++) {
        const struct trial trial = {.ranks = ranks, .stream = stream,
                                    .search = MODEL_EVERY_EXECUTION};
        expect_sound(&trial, calls, count);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* More calls than the ring has slots, so that each slot is used again. */
static void test_slots(void **state)
{
    (void)state;
    every_execution(2, "rgrgrgrgrgrgrgrgrgrg");
    every_execution(2, "brbbgbrbbgbb");
    every_execution(3, "rgrgrgrgrgrg");
    /* The longer one has seven million states. */
    every_execution(2, getenv("SYMM_TEST_ALL") != NULL ? "chchchchchchchchchch"
                                                       : "chchchchchchch");
    every_execution(3, "chhch");
}

/* Who vetoes does not wait for the others, but for its slot. */
static void test_vetoes(void **state)
{
    (void)state;
    every_execution(2, "r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1rr");
    every_execution(2, "r!0r!0r!0r!0r!0r!0r!0r!0r!0r!0rr");
    every_execution(2, "r!0r!1r!1r!0rr!0rr!1r!1r!0r!0r");
}

static void test_staged(void **state)
{
    (void)state;
    every_execution(2, "R5R4r");
    every_execution(2, "S7S2r");
    every_execution(2, "G7G2r");
    every_execution(3, "R2r");
    every_execution(3, "S3r");
    every_execution(3, "G2r");
    every_execution(2, "C7C2C6r");
    every_execution(2, "H7H2H6r");
    every_execution(2, "F7F2F6r");
    every_execution(3, "C5H5C2");
    every_execution(3, "F5H5F2");
    every_execution(2, "PrPPPG2Pr");
    every_execution(3, "PPr");
}

static void test_direct(void **state)
{
    (void)state;
    every_execution(2, "2i1lp2i1lp");
    every_execution(3, "2i1lp");
    every_execution(2, "mnM2mMp");
    every_execution(3, "mnM");
    every_execution(2, "dqkdqkkqd");
    every_execution(3, "dqkkd");
}

/* Who has no one to wait for gets ahead, as far as there are slots. */
static void test_loose(void **state)
{
    unsigned long before = ordering_fast_calls();
    (void)state;
    every_execution(2, "ccccccccccc");
    every_execution(2, "hhhhhhhhhhh");
    every_execution(3, "ccch");
    every_execution(3, "hhhc");
    every_execution(2, "ccccC5ccccH5hhhhC5");
    every_execution(3, "ccC2hhH2");
    every_execution(2, "c!1cc!1c!0ccc!1cccc!1c");
    every_execution(2, "h!1hh!1h!0hhh!1hhhh!0h");
    every_execution(3, "c!1c!2c!0c!2");
    every_execution(3, "h!0h!1h!2h!1");
    every_execution(2, "ssssssssssss");
    every_execution(3, "sssc");
    every_execution(3, "hssH2");
    every_execution(2, "s!1ss!1s!0sss!1ssss!1s");
    every_execution(3, "s!1s!2s!0s!2");
    every_execution(2, "vvvvvvvvvvv");
    every_execution(3, "vvvc");
    every_execution(3, "hvvH2");
    every_execution(2, "v!1vv!1v!0vvv!1vvvv!0v");
    every_execution(3, "v!0v!1v!2v!0");
    every_execution(3, "V6v");
    every_execution(3, "vV5C2");
    every_execution(3, "V2V6H2");
    every_execution(3, "V3!0V6!1V6!2V1!1");
    assert_in_range(ordering_fast_calls() - before, 20, 1000); /* some wait, and some do not */
}

/*
 * The ring grows while ranks are as far ahead as they may be, and they get further ahead then.  All
 * executions of so many calls would be too many.
 */
static void test_growth(void **state)
{
    static const struct {
        int ranks;
        const char *text;
    } rows[] = {{2, "cccccccccccccccccccccccccccccccccccccccccccccccc"},
                {2, "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh"},
                {2, "rrrr!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1r"},
                {3, "chchchchchchchchchccccccccccccccccccccchhhhhhhhh"},
                {3, "C2cccccccccR2hhhhhhhhhhhhC2cccccccccccccccccccH2"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct planned_call calls[CALLS_MAX];
        int count = ordering_calls_parse(rows[i].text, calls, CALLS_MAX);
        for (uint64_t stream = 0; stream < 24; stream++) {
            const struct trial trial = {.ranks = rows[i].ranks, .stream = stream,
                                        .search = MODEL_WEAKEST_EXECUTION};
            ordering_ring_set(2 * SYMM_RING_LEAST, 1 + (unsigned)stream);
            expect_sound(&trial, calls, count);
        }
    }
    ordering_ring_set(SYMM_RING_LEAST, 0);
}

/* Long mixtures of everything, for the execution in which ranks know least. */
static void test_mixtures(void **state)
{
    static const char algorithms[] = "rgRSGP2i1lpmnMbcCdhHqksvV";
    const char *given = getenv("SYMM_TEST_ORDERINGS"); /* how many, for a long run */
    unsigned long mixtures = given != NULL ? strtoul(given, NULL, 0) : 60;
    (void)state;
    for (unsigned long i = 0; i < mixtures; i++) {
        struct unit_random random = unit_random_start(2, i);
        struct planned_call calls[CALLS_MAX];
        const struct trial trial = {.ranks = 2 + (int)unit_random_below(&random, 3), .stream = i,
                                    .search = MODEL_WEAKEST_EXECUTION};
        size_t veto_rate = 1 + unit_random_below(&random, 8);
        int vetoer = 0;
        for (int call = 0; call < CALLS_MAX; call++) {
            if (unit_random_below(&random, 6) == 0) { /* the same one for a while */
                vetoer = (int)unit_random_below(&random, (size_t)trial.ranks);
            }
            calls[call] = (struct planned_call){
                .algorithm = algorithms[unit_random_below(&random, sizeof(algorithms) - 1)],
                .vetoer = unit_random_below(&random, 8) < veto_rate ? vetoer : -1,
                .pieces = 1 + (int)unit_random_below(&random, PIECES_MAX),
            };
        }
        expect_sound(&trial, calls, CALLS_MAX);
    }
}

/* What control.h promises, broken: each has to be noticed, in either search. */
static void test_breakages(void **state)
{
    static const char vetoes[] = "r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1";
    static const char ahead[] = "cccccccccccccccccc";
    static const char scans[] = "ssssssssssssssssss";
    static const struct {
        enum word_class class;
        enum breakage how;
        const char *calls;
    } breakages[] = {
        {WORD_LINE, RELAXED_STORE, "r"}, {WORD_LINE, RELAXED_STORE, "R1"},
        {WORD_LINE, RELAXED_LOAD, "g"},  {WORD_LINE, RELAXED_LOAD, "2"},
        {WORD_LINE, NO_LOAD, "m"},       {WORD_PHASE, EARLY_STORE, "m"},
        {WORD_PHASE, NO_LOAD, "n"},      {WORD_PHASE, RELAXED_STORE, "M"},
        {WORD_LINE, EARLY_STORE, "r"},   {WORD_LINE, EARLY_STORE, "l"},
        {WORD_LINE, LATE_LOAD, "r"},     {WORD_LINE, LATE_LOAD, "G1"},
        {WORD_LINE, NO_LOAD, "g"},       {WORD_LINE, NO_LOAD, "p"},
        {WORD_PHASE, RELAXED_STORE, "R3"}, {WORD_PHASE, RELAXED_STORE, "G3"},
        {WORD_PHASE, RELAXED_STORE, "2"},  {WORD_PHASE, RELAXED_STORE, "p"},
        {WORD_PHASE, RELAXED_STORE, "11"}, {WORD_PHASE, RELAXED_STORE, "ll"},
        {WORD_PHASE, RELAXED_LOAD, "R3"},  {WORD_PHASE, RELAXED_LOAD, "G3"},
        {WORD_PHASE, RELAXED_LOAD, "i"},   {WORD_PHASE, RELAXED_LOAD, "p"},
        {WORD_PHASE, EARLY_STORE, "R3"},   {WORD_PHASE, EARLY_STORE, "G3"},
        {WORD_PHASE, EARLY_STORE, "2"},    {WORD_PHASE, EARLY_STORE, "p"},
        {WORD_PHASE, LATE_LOAD, "R3"},     {WORD_PHASE, LATE_LOAD, "G3"},
        {WORD_PHASE, NO_LOAD, "R3"},       {WORD_PHASE, NO_LOAD, "G3"},
        {WORD_PHASE, NO_LOAD, "i"},        {WORD_PHASE, NO_LOAD, "p"},
        {WORD_FINISHED, RELAXED_STORE, vetoes}, {WORD_FINISHED, RELAXED_LOAD, vetoes},
        {WORD_FINISHED, EARLY_STORE, vetoes},   {WORD_FINISHED, LATE_LOAD, vetoes},
        {WORD_FINISHED, NO_LOAD, vetoes},
        {WORD_CLASSES, HALF_STAGES, "R3"}, {WORD_CLASSES, HALF_STAGES, "G3"},
        {WORD_CLASSES, HALF_STAGES, "S3"}, {WORD_PHASE, RELAXED_STORE, "P"},
        {WORD_PHASE, LATE_LOAD, "P"},     {WORD_PHASE, RELAXED_STORE, "C5"},
        {WORD_PHASE, NO_LOAD, "H6"},      {WORD_PHASE, RELAXED_LOAD, "q"},
        {WORD_LINE, RELAXED_STORE, "c"},   {WORD_LINE, RELAXED_LOAD, "h"},
        {WORD_LINE, EARLY_STORE, "c"},     {WORD_LINE, NO_LOAD, "c"},
        {WORD_FINISHED, NO_LOAD, ahead},   {WORD_FINISHED, EARLY_STORE, ahead},
        {WORD_FINISHED, RELAXED_LOAD, ahead}, {WORD_CLASSES, HALF_STAGES, "C7"},
        {WORD_CLASSES, HALF_STAGES, "H7"}, {WORD_CLASSES, HALF_STAGES, "F7"},
        {WORD_PHASE, NO_LOAD, "F6"},       {WORD_PHASE, EARLY_STORE, "F5"},
        {WORD_LINE, EARLY_STORE, "s"},     {WORD_LINE, NO_LOAD, "s"},
        {WORD_FINISHED, NO_LOAD, scans},   {WORD_FINISHED, EARLY_STORE, scans},
        {WORD_LINE, EARLY_STORE, "v"},     {WORD_LINE, NO_LOAD, "v"},
        {WORD_FINISHED, NO_LOAD, "vvvvvvvvvvvvvvvvvv"},
        {WORD_PHASE, RELAXED_STORE, "V3"}, {WORD_PHASE, EARLY_STORE, "V3"},
        {WORD_PHASE, NO_LOAD, "V3"},       {WORD_PHASE, RELAXED_LOAD, "V3"},
        {WORD_CLASSES, HALF_STAGES, "V6"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(breakages) / sizeof(*breakages); i++) {
        struct planned_call calls[CALLS_MAX];
        int count = ordering_calls_parse(breakages[i].calls, calls, CALLS_MAX);
        for (int search = 0; search < 2; search++) {
            int ranks = strchr(breakages[i].calls, 'V') != NULL ? 3 : 2; /* only then it differs */
            struct trial trial = {.ranks = ranks, .how = breakages[i].how,
                                  .class = breakages[i].class,
                                  .search = (enum model_search)search};
            enum model_verdict verdict = MODEL_SOUND;
            /* Ranks that happen to take turns so that they never wait hide some of it. */
            for (; trial.stream < 20 && !ordering_is_noticed(verdict); trial.stream++) {
                verdict = try(&trial, calls, count).verdict;
            }
            if (!ordering_is_noticed(verdict)) {
                fail_msg("%s: %s of the %s: %s", breakages[i].calls,
                         ordering_breakage_names[breakages[i].how],
                         ordering_class_names[breakages[i].class], ordering_verdict_names[verdict]);
            }
        }
    }
}

static int say_how_much(void **state)
{
    (void)state;
    (void)printf("# %llu recordings, %llu states\n", (unsigned long long)ordering_recordings,
                 (unsigned long long)ordering_states);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_vetoes),
        cmocka_unit_test(test_loose),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_staged),
        cmocka_unit_test(test_direct),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_breakages),
        cmocka_unit_test(test_lives),
        cmocka_unit_test(test_life_mixtures),
        cmocka_unit_test(test_life_breakages),
    };
    unit_begin("test_ordering", 500);
    return cmocka_run_group_tests(tests, NULL, say_how_much);
}
