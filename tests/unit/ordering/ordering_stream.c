/*
 * ordering_stream.c - see ordering_stream.h.
 *
 * A state is the number of steps that each thread has ended, and for each place its value and how
 * many stores and wipes have arrived there.  What is on its way follows from the threads' steps.
 *
 * A step that looks at several places ends in one go.  A kernel may look at one place earlier than
 * at another, but tells nobody before it has all.  So looking at all of them late is the worst that
 * can happen to a value.  A value with the right flag that is not the right one is found as soon as
 * a thread could look at it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_stream.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/harness/unit.h"
#include "tests/unit/ordering/ordering_set.h"

enum { STATES_MAX = 6000000 };

struct arrived {
    uint8_t value, stores, wipes;
};

struct search {
    const struct stream_programs *programs;
    struct stream_result *result;
    int threads;
    size_t state_bytes;
    struct ordering_set met;
    uint8_t *todo, *next;
    size_t todo_count, todo_room;
};

/* ---- a state --------------------------------------------------------------------------------- */

static const struct arrived *arrived_of(const struct search *search, const uint8_t *state,
                                        int place)
{
    return (const struct arrived *)(state + search->threads) + place;
}

static struct arrived *arrived_at(const struct search *search, uint8_t *state, int place)
{
    return (struct arrived *)(state + search->threads) + place;
}

static const struct stream_step *step_of(const struct search *search, const uint8_t *state,
                                         int thread)
{
    return state[thread] < search->programs->steps_count[thread]
               ? &search->programs->steps[thread][state[thread]]
               : NULL;
}

static bool blame(struct search *search, const uint8_t *state, enum stream_verdict verdict,
                  int thread)
{
    const struct stream_step *step = step_of(search, state, thread);
    search->result->verdict = verdict;
    search->result->rank = thread / search->programs->units;
    search->result->kernel = step != NULL ? step->kernel : -1;
    return false;
}

/* ---- steps that happen as soon as they can --------------------------------------------------- */

static bool has_counted(uint8_t value, uint8_t wanted)
{
    unsigned ahead = ((unsigned)value - wanted) & ((1U << STREAM_COUNT_BITS) - 1);
    return ahead < 1U << (STREAM_COUNT_BITS - 1);
}

static bool have_counted(const struct search *search, const uint8_t *state,
                         const struct stream_step *step)
{
    for (int i = 0; i < step->count; i++) {
        const struct stream_look *look = &step->looks[i];
        if (!has_counted(arrived_of(search, state, look->place)->value, look->value)) {
            return false;
        }
    }
    return true;
}

static bool all_are_here(const struct search *search, const uint8_t *state, int first)
{
    for (int i = 0; i < search->programs->units; i++) {
        const struct stream_step *step = step_of(search, state, first + i);
        if (step == NULL || step->action != STREAM_BARRIER) {
            return false;
        }
    }
    return true;
}

/* How many stores to a place are on their way or have arrived. */
static int stores_begun(const struct search *search, const uint8_t *state, int place)
{
    const struct stream_place *at = &search->programs->places[place];
    int count = arrived_of(search, state, place)->stores;
    while (count < at->stores_count && at->stores[count].after <= state[at->thread]) {
        count++;
    }
    return count;
}

/* Whether the next store to a place is on its way, and nothing has to arrive before it. */
static bool can_arrive(const struct search *search, const uint8_t *state, int place)
{
    const struct stream_place *places = search->programs->places;
    int number = arrived_of(search, state, place)->stores;
    if (stores_begun(search, state, place) == number) {
        return false;
    }
    const struct stream_earlier *earlier = &places[place].stores[number].earlier;
    for (int i = 0; i < earlier->count; i++) {
        int other = earlier->places[i];
        if (places[other].arrival != STREAM_WHEN_TOLD &&
            arrived_of(search, state, other)->stores < earlier->stores[i]) {
            return false;
        }
    }
    return true;
}

static void value_arrive(const struct search *search, uint8_t *state, int place)
{
    struct arrived *arrived = arrived_at(search, state, place);
    arrived->value = search->programs->places[place].stores[arrived->stores++].value;
}

/* The next store to a place arrives, and what it tells of. */
static void store_arrive(const struct search *search, uint8_t *state, int place)
{
    int number = arrived_of(search, state, place)->stores;
    const struct stream_earlier *earlier =
        &search->programs->places[place].stores[number].earlier;
    for (int i = 0; i < earlier->count; i++) {
        while (arrived_of(search, state, earlier->places[i])->stores < earlier->stores[i]) {
            value_arrive(search, state, earlier->places[i]);
        }
    }
    value_arrive(search, state, place);
}

static bool is_wipe_on_its_way(const struct search *search, const uint8_t *state, int place)
{
    const struct stream_place *at = &search->programs->places[place];
    int number = arrived_of(search, state, place)->wipes;
    return number < at->wipes_count &&
           at->wipes[number] <= state[at->owner * search->programs->units];
}

static bool has_wiped(const struct search *search, const uint8_t *state, int rank)
{
    for (int place = 0; place < search->programs->places_count; place++) {
        if (search->programs->places[place].owner == rank &&
            is_wipe_on_its_way(search, state, place)) {
            return false;
        }
    }
    return true;
}

/* Whether `thread` has ended a step that has no choice. */
static bool thread_goes_on(const struct search *search, uint8_t *state, int thread)
{
    const struct stream_step *step = step_of(search, state, thread);
    int units = search->programs->units, rank = thread / units;
    if (step == NULL || step->action == STREAM_TAKE || step->action == STREAM_READ) {
        return false;
    }
    if (step->action == STREAM_BARRIER) {
        if (!all_are_here(search, state, rank * units)) {
            return false;
        }
        for (int i = 0; i < units; i++) {
            state[rank * units + i]++;
        }
        return true;
    }
    if (step->action == STREAM_AWAIT ? have_counted(search, state, step)
                                     : has_wiped(search, state, rank)) {
        state[thread]++;
        return true;
    }
    return false;
}

/* Whether a count has arrived. */
static bool counts_go_on(const struct search *search, uint8_t *state)
{
    bool goes_on = false;
    for (int place = 0; place < search->programs->places_count; place++) {
        if (search->programs->places[place].arrival == STREAM_AT_ONCE &&
            can_arrive(search, state, place)) {
            store_arrive(search, state, place);
            goes_on = true;
        }
    }
    return goes_on;
}

static void all_go_on(const struct search *search, uint8_t *state)
{
    bool goes_on = true;
    while (goes_on) {
        goes_on = counts_go_on(search, state);
        for (int thread = 0; thread < search->threads; thread++) {
            goes_on |= thread_goes_on(search, state, thread);
        }
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Keep a state for later unless it has been met. */
static void state_add(struct search *search, uint8_t *state)
{
    all_go_on(search, state);
    if (!ordering_set_insert(&search->met, state, search->state_bytes)) {
        return;
    }
    search->result->states++;
    if (search->todo_count == search->todo_room) {
        search->todo_room = search->todo_room * 2 + 256;
        search->todo = realloc(search->todo, search->todo_room * search->state_bytes);
        assert_non_null(search->todo);
    }
    memcpy(search->todo + search->todo_count++ * search->state_bytes, state, search->state_bytes);
}

static uint8_t *state_copy(struct search *search, const uint8_t *state)
{
    memcpy(search->next, state, search->state_bytes);
    return search->next;
}

/* What `thread` looks at.  False: a fault. */
static bool look_expand(struct search *search, const uint8_t *state, int thread, bool *goes_on)
{
    const struct stream_step *step = step_of(search, state, thread);
    bool is_taken = step != NULL && step->action == STREAM_TAKE, has_all = true;
    if (step == NULL || (!is_taken && step->action != STREAM_READ)) {
        return true;
    }
    for (int i = 0; i < step->count; i++) {
        uint8_t value = arrived_of(search, state, step->looks[i].place)->value;
        uint8_t wanted = step->looks[i].value;
        if (value != wanted &&
            (!is_taken || search->programs->flags[value] == search->programs->flags[wanted])) {
            return blame(search, state, STREAM_MISREAD, thread);
        }
        has_all &= value == wanted;
    }
    if (has_all) {
        *goes_on = true;
        uint8_t *next = state_copy(search, state);
        next[thread]++;
        state_add(search, next);
    }
    return true;
}

/* The thread that has still to read what is replaced at a place, or STREAM_NOBODY. */
static uint8_t loser_of(const struct search *search, const uint8_t *state, int place)
{
    const struct stream_place *at = &search->programs->places[place];
    const struct arrived *arrived = arrived_of(search, state, place);
    int first = arrived->stores > 0 ? arrived->stores - 1 : 0;
    int last = stores_begun(search, state, place) - 1;
    if (is_wipe_on_its_way(search, state, place)) {
        last++;
    }
    for (int i = first; i < last; i++) {
        const struct stream_store *store = &at->stores[i];
        if (store->reader != STREAM_NOBODY && state[store->reader] <= store->read_at) {
            return store->reader;
        }
    }
    return STREAM_NOBODY;
}

/* What arrives at a place.  False: a fault. */
static bool arrival_expand(struct search *search, const uint8_t *state, int place, bool *goes_on)
{
    uint8_t loser = loser_of(search, state, place);
    if (loser != STREAM_NOBODY) {
        return blame(search, state, STREAM_LOST, loser);
    }
    if (search->programs->places[place].arrival == STREAM_AT_ANY_TIME &&
        can_arrive(search, state, place)) {
        uint8_t *next = state_copy(search, state);
        store_arrive(search, next, place);
        state_add(search, next);
        *goes_on = true;
    }
    if (is_wipe_on_its_way(search, state, place)) {
        uint8_t *next = state_copy(search, state);
        struct arrived *arrived = arrived_at(search, next, place);
        arrived->value = 0;
        arrived->wipes++;
        state_add(search, next);
        *goes_on = true;
    }
    return true;
}

/* All that can happen next in `state`.  False: a fault. */
static bool state_expand(struct search *search, const uint8_t *state)
{
    int waiting = -1;
    bool goes_on = false;
    for (int thread = 0; thread < search->threads; thread++) {
        if (step_of(search, state, thread) != NULL) {
            waiting = thread;
        }
        if (!look_expand(search, state, thread, &goes_on)) {
            return false;
        }
    }
    for (int place = 0; place < search->programs->places_count && waiting >= 0; place++) {
        if (!arrival_expand(search, state, place, &goes_on)) {
            return false;
        }
    }
    return waiting < 0 || goes_on || blame(search, state, STREAM_STUCK, waiting);
}

static void state_begin(struct search *search)
{
    uint8_t *state = search->next;
    for (int place = 0; place < search->programs->places_count; place++) {
        arrived_at(search, state, place)->value = search->programs->places[place].value;
    }
    state_add(search, state);
}

void stream_explore(const struct stream_programs *programs, struct stream_result *result)
{
    struct search search = {.programs = programs, .result = result};
    search.threads = programs->ranks * programs->units;
    size_t bytes = (size_t)search.threads +
                   (size_t)programs->places_count * sizeof(struct arrived);
    search.state_bytes = (bytes + 7) / 8 * 8;
    *result = (struct stream_result){.verdict = STREAM_SOUND};
    ordering_set_open(&search.met);
    search.next = calloc(1, search.state_bytes);
    uint8_t *state = malloc(search.state_bytes);
    assert_true(search.next != NULL && state != NULL);
    state_begin(&search);
    bool is_sound = true;
    while (is_sound && search.todo_count > 0) {
        memcpy(state, search.todo + --search.todo_count * search.state_bytes, search.state_bytes);
        is_sound = state_expand(&search, state);
        if (is_sound && result->states > STATES_MAX) {
            result->verdict = STREAM_TOO_LARGE;
            is_sound = false;
        }
    }
    ordering_set_close(&search.met);
    free(search.todo);
    free(search.next);
    free(state);
}
