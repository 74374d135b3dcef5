/*
 * test_pads_ordering.c - every execution of calls by packets that the memory model allows
 * (ordering_model.h): who posts, sends, waits, is late, and wipes its pad, in the order in which
 * agree/, packets_run.c and heap/team/pads.c do so.  Each promise is broken on purpose as well.
 *
 * A word is one packet of a pad, and a rank's program is its host and its kernels in turn: a kernel
 * begins after its launch, and the host goes on when the kernel has ended.  Other threads of a
 * kernel have packets of their own, which is like more ranks.  Unlike test_ordering's, these
 * programs are written down here, so they show that the protocol is right, and not that the
 * sources follow it.  bench/probes/packet_litmus and device/check_packets run those.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include "tests/unit/ordering/ordering_model.h"

enum { EVENTS_MOST = 64, CALLS = 3, FLAGGED = 10 };

/* What is done wrong. */
enum fault {
    RIGHT,
    SENT_TOO_EARLY,     /* before the lines of all ranks have been read */
    POSTED_TOO_EARLY,   /* the next call's line, before the kernel has ended */
    LATE_AT_ONCE,       /* the second kernel starts without waiting for the phases */
    PHASE_TOO_EARLY,    /* raised before the kernel has sent */
    PHASE_WITHOUT_ORDER,
    LINE_WITHOUT_ORDER, /* after a pad has been wiped */
    NOT_WIPED,          /* although a flag comes again */
    WIPED_TOO_LATE,     /* after the line that offers the pad */
};

/* A call's packets hold FLAGGED times its flag, and below it what tells calls of one flag apart. */
struct shape {
    int ranks;
    int late;         /* so many ranks leave before anything has come, in each call */
    bool flag_again;  /* call 3 has the flag of call 1; call 2 goes another way */
    enum fault fault;
};

struct pads_programs {
    struct model_programs programs;
    struct model_event events[MODEL_RANKS_MAX][EVENTS_MOST];
    int changes[3 * MODEL_RANKS_MAX + MODEL_RANKS_MAX * MODEL_RANKS_MAX]; /* by word, so far */
};

/* ---- words ----------------------------------------------------------------------------------- */

static int line_of(int rank)
{
    return rank;
}

static int phase_of(int rank)
{
    return MODEL_RANKS_MAX + rank;
}

/* The packet of `from` in the pad of `to`. */
static int packet_of(int from, int to)
{
    return 2 * MODEL_RANKS_MAX + from * MODEL_RANKS_MAX + to;
}

enum { WORDS = 2 * MODEL_RANKS_MAX + MODEL_RANKS_MAX * MODEL_RANKS_MAX };

/* ---- programs -------------------------------------------------------------------------------- */

static struct model_event *event_add(struct pads_programs *pads, int rank,
                                     enum model_action action, int place, bool is_ordered)
{
    int count = pads->programs.counts[rank]++;
    assert_true(count < EVENTS_MOST);
    pads->events[rank][count] = (struct model_event){
        .action = action, .place = place, .is_ordered = is_ordered};
    return &pads->events[rank][count];
}

static void store(struct pads_programs *pads, int rank, int place, uint64_t value, bool is_ordered)
{
    struct model_event *event = event_add(pads, rank, MODEL_STORE, place, is_ordered);
    event->low = value;
}

static void await(struct pads_programs *pads, int rank, enum model_action action, int place,
                  uint64_t low, uint64_t high, bool is_ordered)
{
    struct model_event *event = event_add(pads, rank, action, place, is_ordered);
    event->low = low;
    event->high = high;
}

static uint64_t flag_of(const struct shape *shape, int call)
{
    return (uint64_t)(shape->flag_again && call == CALLS ? 1 : call) * FLAGGED;
}

static uint64_t packet_value(const struct shape *shape, int call)
{
    return flag_of(shape, call) + (uint64_t)call;
}

static void line_post(struct pads_programs *pads, const struct shape *shape, int rank, int call)
{
    store(pads, rank, line_of(rank), (uint64_t)call, shape->fault != LINE_WITHOUT_ORDER);
}

static void wipe(struct pads_programs *pads, const struct shape *shape, int rank)
{
    for (int from = 0; from < shape->ranks && shape->fault != NOT_WIPED; from++) {
        if (from != rank) {
            store(pads, rank, packet_of(from, rank), 0, false);
        }
    }
}

static void send(struct pads_programs *pads, const struct shape *shape, int rank, int call)
{
    for (int to = 0; to < shape->ranks; to++) {
        if (to != rank) {
            store(pads, rank, packet_of(rank, to), packet_value(shape, call), false);
        }
    }
}

/* `action`: how often a kernel looks.  What has the call's flag has to be the call's data. */
static void receive(struct pads_programs *pads, const struct shape *shape, int rank, int call,
                    enum model_action action)
{
    uint64_t flag = flag_of(shape, call), value = packet_value(shape, call);
    for (int from = 0; from < shape->ranks; from++) {
        if (from != rank) {
            await(pads, rank, action, packet_of(from, rank), flag, flag + FLAGGED - 1, false);
            await(pads, rank, MODEL_EXPECT, packet_of(from, rank), value, value, false);
        }
    }
}

static void phase_raise(struct pads_programs *pads, const struct shape *shape, int rank, int call)
{
    store(pads, rank, phase_of(rank), (uint64_t)call, shape->fault != PHASE_WITHOUT_ORDER);
}

static void others_await(struct pads_programs *pads, const struct shape *shape, int rank,
                         int (*word_of)(int), int call)
{
    for (int other = 0; other < shape->ranks; other++) {
        if (other != rank) {
            await(pads, rank, MODEL_AWAIT, word_of(other), (uint64_t)call, UINT64_MAX, true);
        }
    }
}

static void call_add(struct pads_programs *pads, const struct shape *shape, int rank, int call)
{
    bool by_packets = !shape->flag_again || call != 2, is_late = rank < shape->late;
    bool posts_next = shape->fault == POSTED_TOO_EARLY, is_last = call == CALLS;
    bool is_wiped = shape->flag_again && is_last, is_wiped_after = shape->fault == WIPED_TOO_LATE;
    if (is_wiped && !is_wiped_after) {
        wipe(pads, shape, rank);
    }
    if (!posts_next || call == 1) {
        line_post(pads, shape, rank, call);
    }
    if (is_wiped && is_wiped_after) {
        wipe(pads, shape, rank);
    }
    if (by_packets && shape->fault == SENT_TOO_EARLY) {
        send(pads, shape, rank, call);
    }
    others_await(pads, shape, rank, line_of, call);
    if (shape->fault == PHASE_TOO_EARLY) {
        phase_raise(pads, shape, rank, call);
    }
    if (by_packets && shape->fault != SENT_TOO_EARLY) {
        send(pads, shape, rank, call);
    }
    if (posts_next && !is_last) {
        line_post(pads, shape, rank, call + 1);
    }
    if (by_packets && !is_late) {
        receive(pads, shape, rank, call, MODEL_AWAIT);
    }
    if (shape->fault != PHASE_TOO_EARLY) {
        phase_raise(pads, shape, rank, call);
    }
    if (by_packets && is_late) {
        if (shape->fault != LATE_AT_ONCE) {
            others_await(pads, shape, rank, phase_of, call);
        }
        receive(pads, shape, rank, call, MODEL_EXPECT);
    }
}

/* Stores to a word are numbered in the order of the calls; of one call, a wipe is first. */
static void changes_number(struct pads_programs *pads, const struct shape *shape)
{
    for (int word = 0; word < WORDS; word++) {
        struct model_event *stores[EVENTS_MOST];
        int count = 0;
        for (int rank = 0; rank < shape->ranks; rank++) {
            for (int i = 0; i < pads->programs.counts[rank]; i++) {
                struct model_event *event = &pads->events[rank][i];
                if (event->action == MODEL_STORE && event->place == word) {
                    stores[count++] = event;
                }
            }
        }
        /* Of a wiped packet: the sender's two, and the wipe between them. */
        for (int i = 0; i < count; i++) {
            stores[i]->number = i + 1;
        }
        if (shape->flag_again && word >= packet_of(0, 0) && count == 3) {
            bool is_first = stores[0]->low == 0;
            stores[is_first ? 0 : 2]->number = 2;
            stores[is_first ? 1 : 0]->number = 1;
            stores[is_first ? 2 : 1]->number = 3;
        }
    }
}

static void explore(const struct shape *shape, enum model_search search,
                    struct model_result *result)
{
    static struct pads_programs pads;
    pads = (struct pads_programs){
        .programs = {.ranks = shape->ranks, .words = WORDS, .cells = 0}};
    for (int rank = 0; rank < shape->ranks; rank++) {
        pads.programs.events[rank] = pads.events[rank];
        for (int call = 1; call <= CALLS; call++) {
            call_add(&pads, shape, rank, call);
        }
    }
    changes_number(&pads, shape);
    model_explore(&pads.programs, search, result);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void is_sound(struct shape shape)
{
    struct model_result result;
    explore(&shape, MODEL_EVERY_EXECUTION, &result);
    print_message("%d ranks, %d late%s: %llu states\n", shape.ranks, shape.late,
                  shape.flag_again ? ", a flag again" : "", (unsigned long long)result.states);
    if (result.verdict != MODEL_SOUND) {
        fail_msg("%d ranks, %d late: verdict %d, rank %d, event %d", shape.ranks, shape.late,
                 result.verdict, result.rank, result.position);
    }
}

static void is_noticed(struct shape shape)
{
    struct model_result result;
    explore(&shape, MODEL_EVERY_EXECUTION, &result);
    if (result.verdict == MODEL_SOUND || result.verdict == MODEL_TOO_LARGE) {
        fail_msg("fault %d, %d ranks, %d late: verdict %d", shape.fault, shape.ranks, shape.late,
                 result.verdict);
    }
}

static void test_calls(void **state)
{
    (void)state;
    is_sound((struct shape){.ranks = 2});
    is_sound((struct shape){.ranks = 3});
}

static void test_late(void **state)
{
    (void)state;
    is_sound((struct shape){.ranks = 2, .late = 1});
    is_sound((struct shape){.ranks = 2, .late = 2});
    is_sound((struct shape){.ranks = 3, .late = 1});
}

static void test_flags_that_come_again(void **state)
{
    (void)state;
    is_sound((struct shape){.ranks = 2, .flag_again = true});
    is_sound((struct shape){.ranks = 2, .late = 1, .flag_again = true});
    is_sound((struct shape){.ranks = 3, .flag_again = true});
}

static void test_faults_are_noticed(void **state)
{
    (void)state;
    is_noticed((struct shape){.ranks = 2, .fault = SENT_TOO_EARLY});
    is_noticed((struct shape){.ranks = 2, .fault = POSTED_TOO_EARLY});
    is_noticed((struct shape){.ranks = 2, .late = 1, .fault = LATE_AT_ONCE});
    is_noticed((struct shape){.ranks = 2, .late = 1, .fault = PHASE_TOO_EARLY});
    is_noticed((struct shape){.ranks = 2, .late = 1, .fault = PHASE_WITHOUT_ORDER});
    is_noticed((struct shape){.ranks = 2, .flag_again = true, .fault = LINE_WITHOUT_ORDER});
    is_noticed((struct shape){.ranks = 2, .flag_again = true, .fault = NOT_WIPED});
    is_noticed((struct shape){.ranks = 2, .flag_again = true, .fault = WIPED_TOO_LATE});
}

UNIT_MAIN("test_pads_ordering", 120,
    cmocka_unit_test(test_calls),
    cmocka_unit_test(test_late),
    cmocka_unit_test(test_flags_that_come_again),
    cmocka_unit_test(test_faults_are_noticed))
