/*
 * test_stream_ordering.c - every execution of kernels on a stream lane (docs/design/streams.md):
 * who sends, waits, says hello, and wipes, in the order in which stream.cuh does so.  Epochs have
 * three bits, so that they come again.  Each rule is broken on purpose as well.
 *
 * Blocks of a kernel meet their namesakes alone, so the model has one.  A unit is a thread with
 * data of its own.  As in test_pads_ordering the programs are written down here, so they show that
 * the protocol is right, and not that the sources follow it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/ordering/ordering_stream_kernels.h"

enum { KERNELS_MOST = 6, LAPS_KERNELS = 14 };

static const char *const verdicts[] = {
    [STREAM_SOUND] = "sound",   [STREAM_LOST] = "lost",           [STREAM_MISREAD] = "misread",
    [STREAM_STUCK] = "stuck",   [STREAM_TOO_LARGE] = "too large",
};

/* ---- one mixture ----------------------------------------------------------------------------- */

static struct stream_result explore(const struct stream_shape *shape)
{
    static struct stream_programs programs;
    struct stream_result result;
    stream_build(shape, &programs);
    stream_explore(&programs, &result);
    return result;
}

static uint64_t expect_sound(const struct stream_shape *shape)
{
    struct stream_result result = explore(shape);
    if (result.verdict != STREAM_SOUND) {
        fail_msg("%d ranks, %d units, epoch %d, fault %d, %s: %s, rank %d, kernel %d",
                 shape->ranks, shape->units, shape->epoch, shape->fault, shape->mixture,
                 verdicts[result.verdict], result.rank, result.kernel);
    }
    return result.states;
}

static void is_sound(struct stream_shape shape)
{
    print_message("ranks %d, %s: %llu states\n", shape.ranks, shape.mixture,
                  (unsigned long long)expect_sound(&shape));
}

/* The same mixture is sound when nothing is wrong. */
static void is_noticed(struct stream_shape shape)
{
    struct stream_result result = explore(&shape);
    if (result.verdict == STREAM_SOUND || result.verdict == STREAM_TOO_LARGE) {
        fail_msg("fault %d, %d ranks, %d units, epoch %d, %s: %s", shape.fault, shape.ranks,
                 shape.units, shape.epoch, shape.mixture, verdicts[result.verdict]);
    }
    shape.fault = STREAM_RIGHT;
    (void)expect_sound(&shape);
}

/* ---- all mixtures ---------------------------------------------------------------------------- */

struct family_sum {
    uint64_t all, mixtures, unsound, states;
};

/* All mixtures of `length` kernels out of `kernels`, with each of `epochs` for the first turn. */
struct family {
    int ranks, units, length;
    const char *kernels, *epochs;
    enum stream_fault fault;
    bool at_any_time;
    bool in_shares; /* the default run takes a share */
    void (*check)(const struct stream_shape *shape, struct family_sum *sum);
};

/* Whether another mixture is the same but for the ranks' numbers. */
static bool is_another_renamed(const char *mixture)
{
    char next = '0';
    for (const char *at = mixture; *at != '\0'; at += 2) {
        bool has_root = strchr("brBR", at[0]) != NULL;
        if (has_root && at[1] > next) {
            return true;
        }
        next = (char)(next + (has_root && at[1] == next ? 1 : 0));
    }
    return false;
}

static void mixture_check(const struct family *family, const char *mixture,
                          struct family_sum *sum)
{
    for (const char *epoch = family->epochs; *epoch != '\0'; epoch++) {
        if (family->in_shares && unit_leaves_out(sum->all++)) {
            continue;
        }
        sum->mixtures++;
        family->check(&(struct stream_shape){.ranks = family->ranks, .units = family->units,
                                             .epoch = *epoch - '0', .mixture = mixture,
                                             .fault = family->fault,
                                             .at_any_time = family->at_any_time},
                      sum);
    }
}

static void family_check(const struct family *family)
{
    struct family_sum sum = {.all = 0};
    size_t kernels = strlen(family->kernels) / 2, count = 1;
    assert_true(family->length <= KERNELS_MOST);
    for (int i = 0; i < family->length; i++) {
        count *= kernels;
    }
    for (size_t number = 0; number < count; number++) {
        char mixture[2 * KERNELS_MOST + 1] = "";
        size_t rest = number;
        for (int i = 0; i < family->length; i++) {
            memcpy(mixture + (size_t)i * 2, family->kernels + rest % kernels * 2, 2);
            rest /= kernels;
        }
        if (!is_another_renamed(mixture)) {
            mixture_check(family, mixture, &sum);
        }
    }
    print_message("fault %d, ranks %d, units %d, %d of %s: %llu mixtures, %llu unsound, "
                  "%llu states\n",
                  family->fault, family->ranks, family->units, family->length, family->kernels,
                  (unsigned long long)sum.mixtures, (unsigned long long)sum.unsound,
                  (unsigned long long)sum.states);
}

static void shape_is_sound(const struct stream_shape *shape, struct family_sum *sum)
{
    sum->states += expect_sound(shape);
}

static void family_is_sound(struct family family)
{
    family.check = shape_is_sound;
    family_check(&family);
}

/* Where not all arrivals are tried at every time, the same faults are found. */
static void shape_is_alike(const struct stream_shape *shape, struct family_sum *sum)
{
    struct stream_shape full = *shape;
    full.at_any_time = true;
    struct stream_result result = explore(shape), full_result = explore(&full);
    if ((result.verdict == STREAM_SOUND) != (full_result.verdict == STREAM_SOUND)) {
        fail_msg("fault %d, %d ranks, %d units, epoch %d, %s: %s, at any time %s", shape->fault,
                 shape->ranks, shape->units, shape->epoch, shape->mixture,
                 verdicts[result.verdict], verdicts[full_result.verdict]);
    }
    sum->unsound += result.verdict != STREAM_SOUND ? 1 : 0;
    sum->states += result.states + full_result.states;
}

static void family_is_alike(struct family family)
{
    family.check = shape_is_alike;
    family_check(&family);
}

static bool is_long_run(void)
{
    return getenv("SYMM_TEST_ALL") != NULL;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_two_ranks(void **state)
{
    (void)state;
    int more = is_long_run() ? 1 : 0;
    family_is_sound((struct family){.ranks = 2, .units = 1, .length = 4 + more,
                                    .kernels = "f2t2b0b1r0r1", .epochs = "14567"});
    family_is_sound((struct family){.ranks = 2, .units = 1, .length = 3 + more,
                                    .kernels = "f2t2b0b1r0r1", .epochs = "14567",
                                    .at_any_time = true});
}

static void test_three_ranks(void **state)
{
    (void)state;
    family_is_sound((struct family){.ranks = 3, .units = 1, .length = 4,
                                    .kernels = "f2t2b0b1b2r0r1r2", .epochs = "14567",
                                    .in_shares = true});
    family_is_sound((struct family){.ranks = 3, .units = 1, .length = is_long_run() ? 3 : 2,
                                    .kernels = "f2t2b0b1r0r2", .epochs = "6",
                                    .at_any_time = true, .in_shares = true});
}

/* Kernels of which not all threads have data, and threads that are ahead of each other. */
static void test_units(void **state)
{
    (void)state;
    family_is_sound((struct family){.ranks = 2, .units = 2, .length = 4,
                                    .kernels = "f1f2t1t2b0b1r0r1", .epochs = "14567",
                                    .in_shares = true});
    if (is_long_run()) {
        family_is_sound((struct family){.ranks = 3, .units = 2, .length = 3,
                                        .kernels = "f1t2b0", .epochs = "57"});
    }
}

/* Flags that come again: more kernels than epochs, drawn at random. */
static void laps_are_sound(int ranks, int units, const char *kernels, uint64_t mixtures)
{
    uint64_t states = 0;
    for (uint64_t number = 0; number < mixtures; number++) {
        struct unit_random random = unit_random_start((uint64_t)ranks, number);
        char mixture[2 * LAPS_KERNELS + 1] = "";
        for (size_t i = 0; i < LAPS_KERNELS; i++) {
            memcpy(mixture + i * 2, kernels + unit_random_below(&random, strlen(kernels) / 2) * 2,
                   2);
        }
        const struct stream_shape shape = {.ranks = ranks, .units = units, .mixture = mixture,
                                           .epoch = 1 + (int)(number % STREAM_EPOCH_LAST)};
        states += expect_sound(&shape);
    }
    print_message("ranks %d, units %d, %d of %s: %llu mixtures, %llu states\n", ranks, units,
                  LAPS_KERNELS, kernels, (unsigned long long)mixtures,
                  (unsigned long long)states);
}

static void test_laps(void **state)
{
    (void)state;
    uint64_t more = is_long_run() ? 8 : 1;
    laps_are_sound(2, 1, "f2t2b0b1r0r1", 200 * more);
    laps_are_sound(2, 2, "f1f2t1t2b0b1r0r1p1p2q1B0R1", 100 * more);
    laps_are_sound(3, 1, "f2t2b0b1b2r0r1r2p1p2q1B2R0", 100 * more);
}

static void test_push(void **state)
{
    (void)state;
    is_sound((struct stream_shape){.ranks = 2, .units = 1, .epoch = 1, .mixture = "p9p1p3p4"});
    is_sound((struct stream_shape){.ranks = 3, .units = 2, .epoch = 1, .mixture = "p9p1p3p4"});
    is_sound((struct stream_shape){.ranks = 3, .units = 1, .epoch = 1, .mixture = "q9q1q2q3"});
    is_sound((struct stream_shape){.ranks = 3, .units = 2, .epoch = 1, .mixture = "q6q1p3q2"});
    family_is_sound((struct family){.ranks = 2, .units = 1, .length = 4, .epochs = "16",
                                    .kernels = "p1p2q1q3f2t2b0b1r1B0R1", .in_shares = true});
    family_is_sound((struct family){.ranks = 3, .units = 1, .length = 4, .epochs = "5",
                                    .kernels = "p1p3q2f2b0r1B1R2", .in_shares = true});
    family_is_sound((struct family){.ranks = 2, .units = 1, .length = 3, .epochs = "6",
                                    .kernels = "p1p2q1f2b0B0R1", .at_any_time = true});
}

/* Hellos at the end of a turn only make others wait longer. */
static void test_late_hellos(void **state)
{
    (void)state;
    is_sound((struct stream_shape){.ranks = 2, .units = 1, .epoch = 5, .mixture = "b0b0r0t2b0b1",
                                   .fault = STREAM_HELLO_AT_END});
    is_sound((struct stream_shape){.ranks = 3, .units = 1, .epoch = 5, .mixture = "b0b1r2t2b0b1",
                                   .fault = STREAM_HELLO_AT_END});
}

/* Of four bits, a word that has last been stored nine numbers ago seems to be ahead. */
static void test_old_hellos(void **state)
{
    (void)state;
    is_sound((struct stream_shape){.ranks = 2, .units = 1, .epoch = 1,
                                   .mixture = "f2f2f2f2f2f2f2f2b0b0b0"});
    is_sound((struct stream_shape){.ranks = 3, .units = 1, .epoch = 1,
                                   .mixture = "f2f2f2f2f2f2f2f2b0b0b0"});
    is_sound((struct stream_shape){.ranks = 2, .units = 1, .epoch = 1,
                                   .mixture = "p1p1p1p1p1p1p1p1p1b0b0b0"});
}

static const struct stream_shape faults[] = {
    {2, 1, 1, "f2f2", STREAM_ONE_SLOT, false},
    {3, 1, 1, "t2", STREAM_ONE_SLOT, false},
    {2, 1, 1, "b0b0b0", STREAM_NO_HELLO, false},
    {3, 1, 1, "b0r1b0", STREAM_NO_HELLO, false},
    {2, 1, 1, "b0f2", STREAM_HELLO_TO_ROOT, false},
    {3, 1, 1, "r0b1t2", STREAM_HELLO_TO_ROOT, false},
    {3, 1, 1, "f2b0f2", STREAM_HELLO_OF_ROOT, false},
    {3, 1, 1, "b0b1r2", STREAM_HELLO_OF_ROOT, false},
    {2, 1, 1, "b0b0b0", STREAM_HELLO_TOO_EARLY, false},
    {3, 1, 1, "r1b0b0b0", STREAM_HELLO_TOO_EARLY, false},
    {2, 1, 1, "f2f2f2f2f2f2f2f2b0b0b0", STREAM_LAST_IS_FULL, false},
    {2, 1, 5, "b0b0b0f2", STREAM_NOT_WIPED, false},
    {2, 2, 5, "f1f1f1f2", STREAM_NOT_WIPED, false},
    {2, 1, 5, "f2f2f2f2", STREAM_WIPED_TOO_EARLY, false},
    {3, 1, 6, "b0f2", STREAM_WIPED_TOO_EARLY, false},
    {2, 1, 4, "t2t2t2", STREAM_WIPED_TOO_LATE, false},
    {2, 1, 6, "t2f2f2", STREAM_WIPED_TOO_LATE, false},
    {2, 1, 7, "t2f2f2", STREAM_WIPED_TOO_LATE, false},
    {2, 1, 6, "f2f2f2", STREAM_WIPED_OTHER_SLOT, false},
    {2, 1, 5, "t2f2f2", STREAM_WIPED_OTHER_SLOT, false},
    {2, 2, 6, "t2f2f2", STREAM_WIPED_WITHOUT_BARRIER, false},
    {2, 2, 7, "t2f2f2", STREAM_WIPED_WITHOUT_BARRIER, false},
    {2, 1, 6, "t2f2f2", STREAM_WIPED_WITHOUT_FENCE, false},
    {2, 1, 7, "t2t2f2", STREAM_WIPED_WITHOUT_FENCE, false},
    {2, 1, 1, "t2t2", STREAM_ONE_EPOCH, false},
    {3, 1, 4, "f2t2", STREAM_ONE_EPOCH, false},
    {2, 1, 1, "p3", STREAM_PUSH_TWO_SLOTS, false},
    {3, 1, 1, "p2p2", STREAM_PUSH_TWO_SLOTS, false},
    {2, 1, 1, "p4", STREAM_PUSH_THREE_SLOTS, false},
    {2, 1, 1, "p1", STREAM_PUSH_FLAG_WITHOUT_ORDER, false},
    {3, 1, 1, "q1", STREAM_PUSH_FLAG_WITHOUT_ORDER, false},
    {2, 1, 1, "q1", STREAM_PUSH_RESULT_TOO_EARLY, false},
    {3, 1, 1, "q2", STREAM_PUSH_RESULT_TOO_EARLY, false},
    {2, 1, 1, "p1p1p1p1p1p1p1p1p1b0b0b0", STREAM_PUSH_IS_COUNTED, false},
    {3, 1, 1, "p1p1p1p1p1p1p1p1p1b0b0b0", STREAM_PUSH_IS_COUNTED, false},
};

static void test_faults_are_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        struct stream_shape shape = faults[i];
        is_noticed(shape);
        if (shape.ranks == 2 || is_long_run()) { /* three have a million states */
            shape.at_any_time = true;
            is_noticed(shape);
        }
    }
}

static void test_arrivals(void **state)
{
    (void)state;
    for (int fault = STREAM_RIGHT; fault <= STREAM_PUSH_IS_COUNTED; fault++) {
        family_is_alike((struct family){.ranks = 2, .units = 1, .length = 3, .epochs = "16",
                                        .kernels = "f2t2b0b1r1p1p2q1", .in_shares = true,
                                        .fault = (enum stream_fault)fault});
        family_is_alike((struct family){.ranks = 2, .units = 2, .length = 2, .epochs = "67",
                                        .kernels = "f1f2t1t2b0b1p2q1", .in_shares = true,
                                        .fault = (enum stream_fault)fault});
        if (is_long_run()) {
            family_is_alike((struct family){.ranks = 3, .units = 1, .length = 2, .epochs = "6",
                                            .kernels = "f2t2b0b1r2",
                                            .fault = (enum stream_fault)fault});
        }
    }
}

UNIT_MAIN("test_stream_ordering", 600,
    cmocka_unit_test(test_two_ranks),
    cmocka_unit_test(test_three_ranks),
    cmocka_unit_test(test_units),
    cmocka_unit_test(test_laps),
    cmocka_unit_test(test_push),
    cmocka_unit_test(test_late_hellos),
    cmocka_unit_test(test_old_hellos),
    cmocka_unit_test(test_faults_are_noticed),
    cmocka_unit_test(test_arrivals))
