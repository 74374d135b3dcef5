/*
 * test_control.c - control memory: its layout, and the protocol of lines, phases and staging
 * buffers between forked ranks of random speed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/fork_ranks.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "heap/team/control.h"

/* Every word and buffer has a place of its own; words that are polled have cache lines. */
static void test_layout(void **state)
{
    enum { RANKS = 3, PIECE = 4096 };
    const struct symm_control_config config = {.payload_size = 100, .piece_size = PIECE};
    struct symm_control control;
    unsigned char mark = 0;
    (void)state;
    assert_status(symm_control_create(&control, RANKS, &config), SYMM_OK);
    unsigned char *words = (unsigned char *)(void *)control.header, *stages = control.stages;
    for (int rank = 0; rank < RANKS; rank++) {
        struct symm_word *finished = &control.finished[rank];
        assert_int_equal((uintptr_t)finished % SYMM_CACHE_LINE, 0);
        assert_int_equal(atomic_load(&finished->value), symm_control_first_start);
        memset(finished, ++mark, SYMM_CACHE_LINE);
        for (uint64_t call = control.grown; call < control.grown + control.ring; call++) {
            struct symm_word *phase = &symm_control_phases(&control, call)[rank];
            assert_int_equal((uintptr_t)phase % SYMM_CACHE_LINE, 0);
            assert_true(unit_is_zero(phase, SYMM_CACHE_LINE));
            memset(phase, ++mark, SYMM_CACHE_LINE);
            struct symm_line *line = symm_control_line(&control, call, rank);
            assert_ptr_equal(line, symm_control_line(&control, call + control.ring, rank));
            assert_int_equal((uintptr_t)line % SYMM_CACHE_LINE, 0);
            assert_true((unsigned char *)line->payload + control.payload_size <=
                        words + control.words_size);
            assert_ptr_equal(line->payload, (unsigned char *)line + SYMM_HEADER_SIZE);
            assert_true(unit_is_zero(line, SYMM_HEADER_SIZE + control.payload_size));
            memset(line, ++mark, SYMM_HEADER_SIZE + control.payload_size);
        }
        for (uint64_t buffer = 0; buffer < SYMM_STAGE_BUFFERS; buffer++) {
            unsigned char *stage = symm_stage_buffer(&control, rank, buffer);
            assert_true(stage >= stages && stage + PIECE <= stages + control.stages_size);
            assert_int_equal((uintptr_t)stage % 4096, 0);
            assert_true(unit_is_zero(stage, PIECE));
            memset(stage, ++mark, PIECE);
            assert_ptr_equal(symm_stage_buffer(&control, rank, buffer + SYMM_STAGE_BUFFERS), stage);
        }
    }
    symm_control_destroy(&control);
}

/* A phase word of an older call counts for none of the new one's steps. */
static void test_phase_words(void **state)
{
    const struct symm_control_config config = {0};
    static const uint64_t calls[] = {8, 16, 24, (UINT64_C(1) << 40) - 8};
    struct symm_control control;
    (void)state;
    assert_status(symm_control_create(&control, 2, &config), SYMM_OK);
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        for (uint64_t step = 1; step <= 1000; step += 333) {
            int seen = 0;
            assert_false(symm_phase_reached(&control, calls[i], step, &seen));
            assert_int_equal(seen, 0);
            symm_phase_raise(&control, calls[i], 0, step);
            assert_false(symm_phase_reached(&control, calls[i], step, &seen));
            assert_int_equal(seen, 1);
            symm_phase_raise(&control, calls[i], 1, step + 1); /* further than asked for */
            assert_true(symm_phase_reached(&control, calls[i], step, &seen));
            assert_int_equal(seen, 2);
        }
    }
    symm_control_destroy(&control);
}

/* ---- the protocol ---------------------------------------------------------------------------- */

enum { PAYLOAD = 320, PIECE = 4096, WORDS = PIECE / sizeof(uint64_t), LAST_CALL = 1, VETO = 2 };

struct talk {
    struct symm_control control;
    uint64_t finished;        /* my newest finished call */
    uint64_t finished_by_all; /* as far as I know */
    struct unit_random delays;
};

/* Mostly nothing, at times long enough for the others to run ahead as far as they may. */
static void dawdle(struct talk *talk)
{
    size_t chance = unit_random_below(&talk->delays, 400);
    if (chance == 0) {
        const struct timespec moment = {.tv_nsec = (long)unit_random_below(&talk->delays, 300000)};
        (void)nanosleep(&moment, NULL);
    } else if (chance < 20) {
        for (volatile size_t i = unit_random_below(&talk->delays, 3000); i > 0; i--) {
        }
    }
}

/* A line may be written when all ranks have finished the call that had it before. */
static void wait_for_slot(const struct fork_rank *self, struct talk *talk, uint64_t call)
{
    unsigned polls = 0;
    while (talk->finished_by_all < symm_control_before(&talk->control, call)) {
        uint64_t least = UINT64_MAX;
        for (int rank = 0; rank < self->size; rank++) {
            uint64_t finished = atomic_load_explicit(&talk->control.finished[rank].value,
                                                     memory_order_acquire);
            least = finished < least ? finished : least;
        }
        talk->finished_by_all = least;
        if (least < symm_control_before(&talk->control, call)) {
            unit_pause(&polls);
        }
    }
}

static struct unit_random line_contents(uint64_t call, int rank)
{
    return unit_random_start(100 + (uint64_t)rank, call);
}

static void line_write(const struct fork_rank *self, struct talk *talk, uint64_t call,
                       uint32_t flags)
{
    struct symm_line *line = symm_control_line(&talk->control, call, self->rank);
    line->signature = ~call;
    line->count = call * 3;
    line->flags = flags;
    line->finished = (uint32_t)talk->finished;
    unit_fill(line->payload, PAYLOAD, line_contents(call, self->rank));
    dawdle(talk);
    symm_line_post(line, call);
}

/* Read all lines, or up to the first veto.  Returns the flags of those read, taken together. */
static uint32_t lines_read(struct fork_rank *self, struct talk *talk, uint64_t call)
{
    uint32_t flags = 0;
    for (int rank = 0; rank < self->size && (flags & VETO) == 0; rank++) {
        struct symm_line *line = symm_control_line(&talk->control, call, rank);
        unsigned polls = 0;
        while (!symm_line_is_posted(line, call)) {
            unit_pause(&polls);
        }
        dawdle(talk);
        FORK_CHECK(self, line->signature == ~call && line->count == call * 3);
        FORK_CHECK(self, unit_is_filled(line->payload, PAYLOAD, line_contents(call, rank)));
        FORK_CHECK(self, (uint32_t)(call - line->finished) <=
                             call - symm_control_before(&talk->control, call));
        flags |= line->flags;
    }
    return flags;
}

/*
 * Some steps in which every rank writes a staging buffer, and reads everybody's when all have
 * written.  Two buffers take turns: who sees all ranks at a step knows that they are done with
 * the one before.
 */
static void phases_run(struct fork_rank *self, struct talk *talk, uint64_t call, uint64_t steps)
{
    for (uint64_t step = 1; step <= steps; step++) {
        size_t words = 1 + (size_t)(call * step % WORDS);
        uint64_t *mine =
            (uint64_t *)(void *)symm_stage_buffer(&talk->control, self->rank, step % 2);
        for (size_t i = 0; i < words; i++) {
            mine[i] = call * 1000 + step * 10 + (uint64_t)self->rank;
        }
        dawdle(talk);
        symm_phase_raise(&talk->control, call, self->rank, step);
        int seen = 0;
        unsigned polls = 0;
        while (!symm_phase_reached(&talk->control, call, step, &seen)) {
            unit_pause(&polls);
        }
        for (int rank = 0; rank < self->size; rank++) {
            const uint64_t *theirs =
                (const uint64_t *)(void *)symm_stage_buffer(&talk->control, rank, step % 2);
            dawdle(talk);
            for (size_t i = 0; i < words; i++) {
                FORK_CHECK(self, theirs[i] == call * 1000 + step * 10 + (uint64_t)rank);
            }
        }
    }
}

/* Rank 0 says so in a call that nobody vetoes, so that everybody hears of it. */
static bool may_be_last(uint64_t call)
{
    return call % 16 == 0;
}

/* One call.  Who vetoes it goes on at once, up to a ring ahead of the others. */
static bool call_make(struct fork_rank *self, struct talk *talk, uint64_t call, bool is_last)
{
    struct unit_random common = unit_random_start(3, call); /* the same on all ranks */
    bool vetoed = may_be_last(call) ? false : unit_random_below(&common, 3) == 0;
    int vetoer = (int)unit_random_below(&common, (size_t)self->size);
    uint64_t steps = unit_random_below(&common, 4) == 0 ? 1 + unit_random_below(&common, 6) : 0;
    uint32_t flags = is_last ? LAST_CALL : 0;
    wait_for_slot(self, talk, call);
    if (vetoed && vetoer == self->rank) {
        line_write(self, talk, call, VETO);
    } else {
        line_write(self, talk, call, flags);
        flags = lines_read(self, talk, call);
        FORK_CHECK(self, ((flags & VETO) != 0) == vetoed);
        if ((flags & VETO) == 0) {
            phases_run(self, talk, call, steps);
        }
    }
    talk->finished = call;
    atomic_store_explicit(&talk->control.finished[self->rank].value, call, memory_order_release);
    return (flags & LAST_CALL) != 0;
}

static void talk_for_a_while(struct fork_rank *self, void *context)
{
    enum { CALLS_MOST = 16 * 2000 };
    struct talk talk = {.control = *(struct symm_control *)context,
                        .finished = symm_control_first_start,
                        .finished_by_all = symm_control_first_start,
                        .delays = unit_random_start(4, (uint64_t)self->rank)};
    double end = unit_seconds() + 1.5;
    bool stopped = false;
    for (uint64_t call = symm_control_first_start + 1; !stopped; call++) {
        bool is_last = self->rank == 0 && may_be_last(call) &&
                       (call == CALLS_MOST || unit_seconds() > end);
        stopped = call_make(self, &talk, call, is_last);
        FORK_CHECK(self, call <= CALLS_MOST);
    }
    fork_rank_barrier(self);
    for (int rank = 0; rank < self->size; rank++) {
        FORK_CHECK(self, atomic_load(&talk.control.finished[rank].value) == talk.finished);
    }
    (void)fork_send(self->channel, &talk.finished, sizeof(talk.finished));
}

static void test_protocol(void **state)
{
    (void)state;
    for (int size = 2; size <= 4; size++) {
        const struct symm_control_config config = {
            .payload_size = PAYLOAD, .piece_size = PIECE,
            .ring = size == 2 ? (unsigned)SYMM_RING_LEAST : 0,
            .ring_calls = size == 3 ? 1 : 0};
        struct symm_control control;
        struct fork_ranks ranks;
        uint64_t calls = 0;
        assert_status(symm_control_create(&control, size, &config), SYMM_OK);
        fork_ranks_start(&ranks, size, talk_for_a_while, &control);
        (void)fork_receive(ranks.channels[0], &calls, sizeof(calls));
        fork_ranks_join(&ranks);
        (void)printf("# %d ranks: %llu calls\n", size, (unsigned long long)calls);
        symm_control_destroy(&control);
    }
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* What the two ranks share beside control memory; in a staging buffer. */
struct table {
    struct symm_word arrived[2];
    struct symm_word memory; /* of rank 0; rank 1 works on it in a run */
    struct symm_word last;   /* call, once rank 0 knows it */
};

static void meet(struct table *table, int rank, uint64_t round)
{
    atomic_store(&table->arrived[rank].value, round);
    for (unsigned polls = 0; atomic_load(&table->arrived[1 - rank].value) < round; polls++) {
        if (polls % 256 == 255) {
            (void)sched_yield();
        }
    }
}

/* Of some nanoseconds, so that each is first about as often. */
static void hesitate(struct unit_random *random)
{
    for (volatile size_t i = unit_random_below(random, 40); i > 0; i--) {
    }
}

/* Once rank 0 has left and rank 1 is not inside, rank 1 stores to its memory no more. */
static void leave_and_enter(struct fork_rank *self, void *context)
{
    enum { MARK = 1 };
    const struct symm_control control = *(struct symm_control *)context;
    struct unit_random random = unit_random_start(5, (uint64_t)self->rank);
    uint64_t entered = 0, call = 1;
    double end = unit_seconds() + 0.7;
    struct table *table = (struct table *)(void *)symm_stage_buffer(&control, 0, 0);
    _Atomic uint64_t *finished = &control.finished[self->rank].value;
    while (atomic_load(&table->last.value) != call) {
        atomic_store(finished, call++);
        if (self->rank == 0 && unit_seconds() > end) {
            atomic_store(&table->last.value, call);
        }
        meet(table, self->rank, 2 * call);
        hesitate(&random);
        if (self->rank == 0) {
            symm_control_leave(&control, 0);
            while (symm_control_is_inside(&control, call, 1)) {
                (void)sched_yield();
            }
            atomic_store_explicit(&table->memory.value, MARK, memory_order_relaxed);
        } else {
            if (symm_control_enter(&control, call, 1)) {
                hesitate(&random);
                atomic_store_explicit(&table->memory.value, call, memory_order_relaxed);
                entered++;
            }
            atomic_store_explicit(finished, call, memory_order_release);
        }
        meet(table, self->rank, 2 * call + 1);
        FORK_CHECK(self, atomic_load(&table->memory.value) == MARK);
    }
    if (self->rank == 1) {
        (void)printf("# %llu of %llu times the run was entered\n", (unsigned long long)entered,
                     (unsigned long long)call - 1);
        (void)fflush(stdout);
    }
}

static void test_leaving(void **state)
{
    const struct symm_control_config config = {.payload_size = PAYLOAD, .piece_size = PIECE};
    struct symm_control control;
    struct fork_ranks ranks;
    const uint64_t call = symm_control_first_start + 1;
    (void)state;
    assert_status(symm_control_create(&control, 2, &config), SYMM_OK);
    assert_true(symm_control_enter(&control, call, 1));
    assert_true(symm_control_is_inside(&control, call, 1));
    assert_false(symm_control_is_inside(&control, call, 0));
    assert_false(symm_control_is_inside(&control, call + control.ring, 1));
    symm_phase_raise(&control, call, 1, 7);
    assert_true(symm_control_is_inside(&control, call, 1));
    symm_control_leave(&control, 1);
    assert_false(symm_control_is_inside(&control, call, 1));
    assert_false(symm_control_enter(&control, call + 1, 0));
    fork_ranks_start(&ranks, 2, leave_and_enter, &control);
    fork_ranks_join(&ranks);
    symm_control_destroy(&control);
}

UNIT_MAIN("test_control", 150,
    cmocka_unit_test(test_layout),
    cmocka_unit_test(test_phase_words),
    cmocka_unit_test(test_protocol),
    cmocka_unit_test(test_leaving))
