/*
 * test_ordering_life.c - the memory ordering of what becomes of a block of control memory: taken,
 * joined, used, left, and taken again for the next communicator; tests of test_ordering.c.
 *
 * In no execution may a process take words of another team for its own, or touch a block that is
 * another team's already or no longer its own; and each finds what rank 0 has prepared.  Each of
 * the promises is then broken on purpose.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/test_ordering.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/ordering/ordering_life.h"
#include "tests/unit/ordering/ordering_trial.h"

/*
 * Communicators in short, one after another: "012:rg" has processes 0, 1 and 2 and the calls `r`
 * and `g` (ordering_ranks.h).  Behind the calls:
 *   *   all leave for good at the end        -n  rank n votes no in set-up
 *   ~n  process n frees it later             ?   messages fail in set-up
 *   #n  it has table n of choices
 */
static const char *life_parse(const char *text, struct planned_life *life)
{
    char calls[2 * LIFE_CALLS_MAX];
    size_t length;
    *life = (struct planned_life){.late = -1};
    for (; isdigit((unsigned char)*text); text++) {
        life->members[*text - '0'] = true;
    }
    assert_int_equal(*text++, ':');
    length = strcspn(text, "*-~?# ");
    assert_true(length < sizeof(calls));
    memcpy(calls, text, length);
    calls[length] = '\0';
    life->count = ordering_calls_parse(calls, life->calls, LIFE_CALLS_MAX);
    for (text += length; *text != '\0' && *text != ' '; text++) {
        switch (*text) {
        case '*':
            life->end = LIFE_FAILED;
            break;
        case '?':
            life->end = LIFE_DOUBTED;
            break;
        case '-':
            life->end = LIFE_LOST;
            life->loser = *++text - '0';
            break;
        case '~':
            life->late = *++text - '0';
            break;
        default:
            life->table = *++text - '0';
            break;
        }
    }
    return *text == ' ' ? text + 1 : text;
}

/* Returns how many there are; *processes becomes how many take part. */
static int lives_parse(const char *text, struct planned_life lives[LIVES_MAX], int *processes)
{
    int count = 0;
    *processes = 0;
    while (*text != '\0') {
        assert_true(count < LIVES_MAX);
        text = life_parse(text, &lives[count]);
        for (int process = 0; process < MODEL_RANKS_MAX; process++) {
            if (lives[count].members[process] && process >= *processes) {
                *processes = process + 1;
            }
        }
        count++;
    }
    return count;
}

/* ---- exploring ------------------------------------------------------------------------------- */

/* What to do to a recording, and how to look at it. */
struct life_trial {
    uint64_t stream; /* of the random turns that the processes take */
    enum life_breakage code;
    enum breakage how;
    enum word_class class;
    bool without_messages; /* they hand on nothing */
    bool without_headers;  /* what is plain in the headers, and the newest calls, is left out */
    enum model_search search;
};

static struct model_result try(const struct life_trial *trial, const struct planned_life *lives,
                               int count, int processes)
{
    struct recording recording = {.count = 0};
    ordering_record_lives(&recording, processes, lives, count, trial->code,
                          unit_random_start(3, trial->stream));
    if (trial->without_messages) {
        ordering_relax_messages(&recording);
    }
    if (trial->without_headers) {
        ordering_drop_headers(&recording);
    }
    ordering_break(&recording, trial->how, trial->class);
    return ordering_explore(&recording, processes, trial->search);
}

static void expect_sound(const struct life_trial *trial, const struct planned_life *lives,
                         int count, int processes, const char *text)
{
    struct model_result result = try(trial, lives, count, processes);
    if (result.verdict != MODEL_SOUND) {
        fail_msg("%s: %s: event %d of process %d meets event %d of process %d", text,
                 ordering_verdict_names[result.verdict], result.position, result.rank,
                 result.other_position, result.other_rank);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

/*
 * All executions.  A set-up that succeeds needs messages for what they say only.  One that is lost
 * needs them for the ordering as well: a rank has done with the block when it votes.
 */
static void every_execution(const char *text)
{
    struct planned_life lives[LIVES_MAX];
    int processes, count = lives_parse(text, lives, &processes);
    bool is_lost = false;
    for (int i = 0; i < count; i++) {
        is_lost |= lives[i].end == LIFE_LOST;
    }
    for (int without = 0; without < (is_lost ? 1 : 2); without++) {
        const struct life_trial trial = {.without_messages = without != 0,
                                         .search = MODEL_EVERY_EXECUTION};
        expect_sound(&trial, lives, count, processes, text);
    }
}

/* Rank 0 reads no line, and so finds out by rank 1's `finished` word when a slot is free. */
static const char failed_then_vetoes[] = "01:r* 01:r!0r!0r!0r!0r!0r!0r!0r!0r!0r!0";

void test_lives(void **state)
{
    static const char *const texts[] = {
        "01:rg 01:gr", "01:r 01:g 01:r", "01:r 02:g 01:r", "012:r 012:g", "012:rg 013:gr",
        "01:R2 02:G2", "01:2 02:p",
        "01:2* 02:l 01:2*", /* marks of failures */
        "01:r* 01:r!1r!1r!1r!1r!1r!1r!1r!1r!1r!1", "01:r* 01:r!0r!0r!0r!0r!0r!0r!0r!0r!0r!0",
        "01:r~1 01:g 01:r", "02:r 01:g~1 01:r 01:r", "012:r~2 012:g",  /* somebody is late */
        "01:r-1 01:g", "01:r 01:r-1 02:g",                             /* lost votes */
        "01:r? 01:g 01:r", "012:r? 012:r",                             /* in doubt */
        "01:r 01:r#1", "01:r 02:r#1 01:r", "01:R2 02:R2#1",            /* the chunk is cleared */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        every_execution(texts[i]);
    }
}

/* One of some processes, and always process 0. */
static void members_draw(struct unit_random *random, struct planned_life *life, int processes,
                         int size)
{
    life->members[0] = true;
    while (--size > 0) {
        int process;
        do {
            process = (int)unit_random_below(random, (size_t)processes);
        } while (life->members[process]);
        life->members[process] = true;
    }
}

static void calls_draw(struct unit_random *random, struct planned_life *life, int size)
{
    static const char algorithms[] = "rgRSGP2i1lpb";
    life->count = 1 + (int)unit_random_below(random, LIFE_CALLS_MAX / 2);
    for (int i = 0; i < life->count; i++) {
        life->calls[i] = (struct planned_call){
            .algorithm = algorithms[unit_random_below(random, sizeof(algorithms) - 1)],
            .vetoer = -1,
            .pieces = 1 + (int)unit_random_below(random, PIECES_MAX),
        };
        if (unit_random_below(random, 2) == 0) { /* the same one for a while */
            life->calls[i].vetoer = i > 0 && life->calls[i - 1].vetoer >= 0
                ? life->calls[i - 1].vetoer : (int)unit_random_below(random, (size_t)size);
        }
    }
}

/* Where tables differ, there is one block at a time. */
static struct planned_life life_draw(struct unit_random *random, int processes, int size,
                                     bool tables_differ, int *doubts)
{
    struct planned_life life = {.late = -1};
    size_t end = unit_random_below(random, 8);
    members_draw(random, &life, processes, size);
    calls_draw(random, &life, size);
    life.loser = 1 + (int)unit_random_below(random, (size_t)size - 1);
    life.end = end < 2 ? LIFE_FAILED : end == 2 ? LIFE_LOST : LIFE_FREED;
    if (tables_differ) {
        life.table = (int)unit_random_below(random, 2);
    } else if (end == 3 && *doubts < 2) {
        life.end = LIFE_DOUBTED;
        ++*doubts;
    } else if (life.end != LIFE_LOST && unit_random_below(random, 3) == 0) {
        life.late = (int)unit_random_below(random, (size_t)processes);
    }
    if (life.late >= 0 && !life.members[life.late]) {
        life.late = -1;
    }
    return life;
}

/* Many communicators, for the execution in which processes know least. */
void test_life_mixtures(void **state)
{
    const char *given = getenv("SYMM_TEST_ORDERINGS"); /* how many, for a long run */
    unsigned long mixtures = given != NULL ? strtoul(given, NULL, 0) : 60;
    (void)state;
    for (unsigned long i = 0; i < mixtures; i++) {
        if (given == NULL && unit_leaves_out(i)) {
            continue;
        }
        struct unit_random random = unit_random_start(4, i);
        struct planned_life lives[LIVES_MAX];
        char text[32];
        int processes = 2 + (int)unit_random_below(&random, MODEL_RANKS_MAX - 1), doubts = 0;
        int size = 2 + (int)unit_random_below(&random, (size_t)processes - 1);
        bool tables_differ = size < MODEL_RANKS_MAX && unit_random_below(&random, 3) == 0;
        bool is_lost = false;
        for (int life = 0; life < LIVES_MAX; life++) {
            lives[life] = life_draw(&random, processes, size, tables_differ, &doubts);
            is_lost |= lives[life].end == LIFE_LOST;
        }
        const struct life_trial trial = {.stream = i, .without_messages = !is_lost && i % 2 == 0,
                                         .search = MODEL_WEAKEST_EXECUTION};
        (void)snprintf(text, sizeof(text), "mixture %lu", i);
        expect_sound(&trial, lives, LIVES_MAX, processes, text);
    }
}

/* What control.h and arena.h promise, broken: each has to be noticed, in either search. */
void test_life_breakages(void **state)
{
    static const struct {
        const char *lives;
        enum life_breakage code;
        enum breakage how;
        enum word_class class;
        bool without_messages, is_about_header;
    } breakages[] = {
        /* A block is handed on before the last rank has left it. */
        {"01:r 01:r", LIFE_WHOLE, RELAXED_STORE, WORD_LEFT, false, false},
        {"01:r 02:r", LIFE_WHOLE, RELAXED_STORE, WORD_LEFT, false, false},
        {"01:r 01:r", LIFE_WHOLE, RELAXED_LOAD, WORD_LEFT, false, false},
        {"01:r 02:r", LIFE_WHOLE, RELAXED_LOAD, WORD_LEFT, false, false},
        {"01:r 02:r", LIFE_WHOLE, EARLY_STORE, WORD_LEFT, false, false},
        {"01:r 02:r", LIFE_WHOLE, LATE_LOAD, WORD_LEFT, false, false},
        {"01:r 02:r", LIFE_WHOLE, NO_LOAD, WORD_LEFT, false, false},
        {"01:r 02:r 01:r", LIFE_WHOLE, NO_RESET, WORD_LEFT, false, false},
        {"01:r? 02:r", LIFE_NO_DOUBT, WHOLE, WORD_CLASSES, false, false},
        {"01:r-1 02:r", LIFE_NO_BALLOTS, WHOLE, WORD_CLASSES, false, true},
        {"01:r-1 02:r", LIFE_WHOLE, WHOLE, WORD_CLASSES, true, true},
        {"01:r 02:r#1", LIFE_WHOLE, RELAXED_STORE, WORD_LEFT, false, false},
        {"01:r 02:r#1", LIFE_WHOLE, NO_LOAD, WORD_LEFT, false, false},
        /* Words of a team are taken for those of the next one. */
        {"01:r 01:r", LIFE_NO_NUMBERS, WHOLE, WORD_CLASSES, false, false},
        {"01:r 02:r", LIFE_NO_NUMBERS, WHOLE, WORD_CLASSES, false, false},
        {"01:2 02:2", LIFE_NO_NUMBERS, WHOLE, WORD_CLASSES, false, false},
        {"01:r 02:r", LIFE_WHOLE, SAME_VALUES, WORD_SERIAL, true, false},
        {failed_then_vetoes, LIFE_WHOLE, NO_RESET, WORD_FINISHED, false, false},
        {"01:2* 01:2", LIFE_WHOLE, NO_RESET, WORD_FINISHED, false, false},
        /* The block is not prepared for who joins. */
        {"01:r 01:r", LIFE_WHOLE, RELAXED_STORE, WORD_SERIAL, true, false},
        {"01:r 02:r", LIFE_WHOLE, RELAXED_LOAD, WORD_SERIAL, true, false},
        {"01:r 02:r!1", LIFE_WHOLE, EARLY_STORE, WORD_SERIAL, true, false},
        {"01:r 02:r", LIFE_WHOLE, LATE_LOAD, WORD_SERIAL, true, true},
        {"01:r 02:r", LIFE_WHOLE, NO_LOAD, WORD_SERIAL, true, false},
        {"01:r 02:r", LIFE_WHOLE, RELAXED_STORE, WORD_MESSAGE, false, false},
        {"01:r 01:r#1", LIFE_WHOLE, RELAXED_STORE, WORD_SERIAL, true, false},
        {"01:r 01:r#1", LIFE_WHOLE, NO_LOAD, WORD_SERIAL, true, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(breakages) / sizeof(*breakages); i++) {
        struct planned_life lives[LIVES_MAX];
        int processes, count = lives_parse(breakages[i].lives, lives, &processes);
        /* What is noticed by a block's header is noticed by what lies behind it as well. */
        for (int variant = 0; variant < (breakages[i].is_about_header ? 2 : 4); variant++) {
            struct life_trial trial = {.code = breakages[i].code, .how = breakages[i].how,
                                       .class = breakages[i].class,
                                       .without_messages = breakages[i].without_messages,
                                       .without_headers = variant / 2 != 0,
                                       .search = (enum model_search)(variant % 2)};
            struct model_result result = {.verdict = MODEL_SOUND};
            /* Processes that happen to take turns so that they never wait hide some of it. */
            for (; trial.stream < 20 && !ordering_is_noticed(result.verdict); trial.stream++) {
                result = try(&trial, lives, count, processes);
            }
            if (!ordering_is_noticed(result.verdict)) {
                fail_msg("%s: %s of the %s (%d): %s", breakages[i].lives,
                         ordering_breakage_names[breakages[i].how],
                         ordering_class_names[breakages[i].class], breakages[i].code,
                         ordering_verdict_names[result.verdict]);
            }
        }
    }
}
