/*
 * ordering_model.c - see ordering_model.h.
 *
 * What a rank knows of another is a prefix of that rank's program, so knowledge is one position per
 * pair of ranks (a vector clock), and what has happened to a cell follows from how far the ranks
 * have got. A state is therefore small: positions, knowledge, the value that a rank has last seen
 * of each word, and the knowledge that travels with each value.
 *
 * Only atomic reads have a choice.  Everything else runs as soon as its rank gets there: a value
 * that has been stored may be seen late, so storing it early loses no execution, and races are
 * found whichever of the two accesses runs first.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering_model.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/ordering_set.h"
#include "tests/unit/unit.h"

enum { STATES_MAX = 4000000 };

/* Ascending positions in one rank's program. */
struct positions {
    int *at;
    int count;
};

struct word {
    int writer;              /* -1: nobody */
    struct positions stores;
    int first_message;       /* the number of its first store among those to all words */
};

struct model {
    const struct model_programs *programs;
    int ranks;
    struct word *words;
    struct positions *reads, *writes; /* [cells][ranks] */
    int *last_await;                  /* [ranks][words]; -1: never */
    int messages;
    /* The parts of a state, all 16 bits wide: where they begin. */
    size_t known_at, seen_at, sent_at, state_units;
    struct model_result *result;
};

typedef uint16_t unit;

/* ---- positions ------------------------------------------------------------------------------- */

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void positions_add(struct positions *positions, int position)
{
    if ((positions->count & (positions->count - 1)) == 0) {
        size_t room = positions->count == 0 ? 1 : 2 * (size_t)positions->count;
        positions->at = realloc(positions->at, room * sizeof(int));
        assert_non_null(positions->at);
    }
    positions->at[positions->count++] = position;
}

/* How many are less than `limit`. */
static int positions_before(const struct positions *positions, int limit)
{
    int low = 0, high = positions->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (positions->at[middle] < limit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The last before `limit`, or -1. */
static int positions_last(const struct positions *positions, int limit)
{
    int count = positions_before(positions, limit);
    return count > 0 ? positions->at[count - 1] : -1;
}

/* ---- the programs ---------------------------------------------------------------------------- */

static void event_enter(struct model *model, int rank, int position)
{
    const struct model_event *event = &model->programs->events[rank][position];
    size_t cell = (size_t)event->place * (size_t)model->ranks + (size_t)rank;
    switch (event->action) {
    case MODEL_READ:
        positions_add(&model->reads[cell], position);
        break;
    case MODEL_WRITE:
        positions_add(&model->writes[cell], position);
        break;
    case MODEL_STORE:
        if (model->words[event->place].writer >= 0 && model->words[event->place].writer != rank) {
            fail_msg("word %d has two writers", event->place);
        }
        model->words[event->place].writer = rank;
        positions_add(&model->words[event->place].stores, position);
        break;
    case MODEL_AWAIT:
        model->last_await[rank * model->programs->words + event->place] = position;
        break;
    }
}

static void model_open(struct model *model, const struct model_programs *programs)
{
    size_t ranks = (size_t)programs->ranks, words = (size_t)programs->words;
    *model = (struct model){.programs = programs, .ranks = programs->ranks};
    model->words = allocate(words, sizeof(*model->words));
    model->reads = allocate((size_t)programs->cells * ranks, sizeof(*model->reads));
    model->writes = allocate((size_t)programs->cells * ranks, sizeof(*model->writes));
    model->last_await = allocate(ranks * words, sizeof(int));
    for (size_t i = 0; i < words; i++) {
        model->words[i].writer = -1;
    }
    for (size_t i = 0; i < ranks * words; i++) {
        model->last_await[i] = -1;
    }
    for (int rank = 0; rank < model->ranks; rank++) {
        assert_true(programs->counts[rank] < UINT16_MAX);
        for (int position = 0; position < programs->counts[rank]; position++) {
            event_enter(model, rank, position);
        }
    }
    for (size_t i = 0; i < words; i++) {
        model->words[i].first_message = model->messages;
        model->messages += model->words[i].stores.count;
    }
    model->known_at = ranks;
    model->seen_at = model->known_at + ranks * ranks;
    model->sent_at = model->seen_at + ranks * words;
    model->state_units = (model->sent_at + (size_t)model->messages * ranks + 3) / 4 * 4;
}

static void model_close(struct model *model)
{
    size_t cells = (size_t)model->programs->cells * (size_t)model->ranks;
    for (size_t i = 0; i < cells; i++) {
        free(model->reads[i].at);
        free(model->writes[i].at);
    }
    for (int i = 0; i < model->programs->words; i++) {
        free(model->words[i].stores.at);
    }
    free(model->reads);
    free(model->writes);
    free(model->words);
    free(model->last_await);
}

/* ---- states ---------------------------------------------------------------------------------- */

/* Events of `rank` that have happened. */
static unit *at_of(unit *state, int rank)
{
    return &state[rank];
}

/* Of how many events of all ranks `rank` knows. */
static unit *known_of(const struct model *model, unit *state, int rank)
{
    return &state[model->known_at + (size_t)(rank * model->ranks)];
}

/*
 * How many stores to `word` the newest value counts that `rank` has seen, where it knows of fewer.
 */
static unit *seen_of(const struct model *model, unit *state, int rank, int word)
{
    return &state[model->seen_at + (size_t)(rank * model->programs->words + word)];
}

/* The knowledge that travels with store `number` (1, 2, ...) to `word`. */
static unit *sent_of(const struct model *model, unit *state, int word, int number)
{
    size_t message = (size_t)(model->words[word].first_message + number - 1);
    return &state[model->sent_at + message * (size_t)model->ranks];
}

/* Of how many stores to `word` the rank knows. */
static int stores_known(const struct model *model, unit *state, int rank, int word)
{
    const struct word *w = &model->words[word];
    return w->writer < 0 ? 0
                         : positions_before(&w->stores, known_of(model, state, rank)[w->writer]);
}

/* How many stores to `word` there have been, and the least that `rank` may still see. */
static int newest(const struct model *model, unit *state, int word)
{
    const struct word *w = &model->words[word];
    return w->writer < 0 ? 0 : positions_before(&w->stores, *at_of(state, w->writer));
}

static int oldest(const struct model *model, unit *state, int rank, int word)
{
    int known = stores_known(model, state, rank, word);
    int seen = *seen_of(model, state, rank, word);
    return seen > known ? seen : known;
}

static uint64_t value_of(const struct model *model, int word, int number)
{
    const struct word *w = &model->words[word];
    return number == 0 ? 0 : model->programs->events[w->writer][w->stores.at[number - 1]].low;
}

static bool awaits_later(const struct model *model, unit *state, int rank, int word)
{
    return model->last_await[rank * model->programs->words + word] >= *at_of(state, rank);
}

/* Forget what can make no difference any more, so that equal states look equal. */
static void state_tidy(const struct model *model, unit *state)
{
    for (int word = 0; word < model->programs->words; word++) {
        int needed = model->words[word].stores.count + 1;
        for (int rank = 0; rank < model->ranks; rank++) {
            unit *seen = seen_of(model, state, rank, word);
            if (!awaits_later(model, state, rank, word)) {
                *seen = 0;
                continue;
            }
            int least = oldest(model, state, rank, word);
            if (stores_known(model, state, rank, word) >= *seen) {
                *seen = 0;
            }
            needed = least < needed ? least : needed;
        }
        for (int number = 1; number < needed; number++) {
            memset(sent_of(model, state, word, number), 0, (size_t)model->ranks * sizeof(unit));
        }
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static bool blame(struct model *model, enum model_verdict verdict, int rank, int position,
                  int other_rank, int other_position)
{
    model->result->verdict = verdict;
    model->result->rank = rank;
    model->result->position = position;
    model->result->other_rank = other_rank;
    model->result->other_position = other_position;
    return false;
}

/* A plain access of `rank`, against all that has happened to its cell. */
static bool access_check(struct model *model, unit *state, int rank, int position)
{
    const struct model_event *event = &model->programs->events[rank][position];
    const unit *known = known_of(model, state, rank);
    for (int other = 0; other < model->ranks; other++) {
        size_t cell = (size_t)(event->place * model->ranks + other);
        int now = *at_of(state, other);
        int write = positions_last(&model->writes[cell], now);
        int read = positions_last(&model->reads[cell], now);
        if (other == rank) {
            continue;
        }
        if (write >= known[other]) {
            return blame(model, MODEL_RACE, rank, position, other, write);
        }
        if (event->action == MODEL_WRITE && read >= known[other]) {
            return blame(model, MODEL_RACE, rank, position, other, read);
        }
        if (event->action == MODEL_READ && write != event->sources[other]) {
            return blame(model, MODEL_MISREAD, rank, position, other, write);
        }
    }
    return true;
}

/* Count the event as done. */
static void pass(const struct model *model, unit *state, int rank)
{
    (*at_of(state, rank))++;
    known_of(model, state, rank)[rank] = *at_of(state, rank);
}

static bool is_content(const struct model_event *event, uint64_t value)
{
    return value >= event->low && value <= event->high;
}

/* Whether an atomic read has no choice: a rank sees its own last value. */
static bool reads_itself(const struct model *model, unit *state, int rank,
                         const struct model_event *event)
{
    return model->words[event->place].writer == rank &&
           is_content(event, value_of(model, event->place, newest(model, state, event->place)));
}

/* Go on to the next atomic read that has a choice.  False: a fault has been found. */
static bool rank_run(struct model *model, unit *state, int rank)
{
    for (int position = *at_of(state, rank); position < model->programs->counts[rank]; position++) {
        const struct model_event *event = &model->programs->events[rank][position];
        if (event->action == MODEL_AWAIT && !reads_itself(model, state, rank, event)) {
            break;
        }
        if ((event->action == MODEL_READ || event->action == MODEL_WRITE) &&
            !access_check(model, state, rank, position)) {
            return false;
        }
        pass(model, state, rank);
        if (event->action == MODEL_STORE && event->is_ordered) {
            memcpy(sent_of(model, state, event->place, newest(model, state, event->place)),
                   known_of(model, state, rank), (size_t)model->ranks * sizeof(unit));
        }
    }
    return true;
}

/* `rank` reads the value of store `number`; it goes on if that is what it waits for. */
static bool rank_read(struct model *model, unit *state, int rank, int number)
{
    const struct model_event *event = &model->programs->events[rank][*at_of(state, rank)];
    uint64_t value = value_of(model, event->place, number);
    *seen_of(model, state, rank, event->place) = (unit)number;
    if (event->is_ordered && number > 0) {
        unit *known = known_of(model, state, rank);
        const unit *sent = sent_of(model, state, event->place, number);
        for (int other = 0; other < model->ranks; other++) {
            known[other] = sent[other] > known[other] ? sent[other] : known[other];
        }
    }
    if (!is_content(event, value)) {
        return true;
    }
    pass(model, state, rank);
    return rank_run(model, state, rank);
}

/* ---- the search ------------------------------------------------------------------------------ */

/* States that have been met, and those whose successors are still to be looked at. */
struct search {
    struct model *model;
    enum model_search kind;
    struct ordering_set met;
    unit *todo;
    size_t todo_count, todo_room;
};

/* Keep a state for later unless it has been met. */
static void state_add(struct search *search, unit *state)
{
    size_t units = search->model->state_units;
    state_tidy(search->model, state);
    if (!ordering_set_insert(&search->met, state, units * sizeof(unit))) {
        return;
    }
    search->model->result->states++;
    if (search->todo_count == search->todo_room) {
        search->todo_room = search->todo_room * 2 + 64;
        search->todo = realloc(search->todo, search->todo_room * units * sizeof(unit));
        assert_non_null(search->todo);
    }
    memcpy(search->todo + search->todo_count++ * units, state, units * sizeof(unit));
}

/* What `rank` can read next, added to what is to be looked at.  False: a fault. */
static bool rank_expand(struct search *search, unit *state, unit *next, int rank, bool *goes_on)
{
    struct model *model = search->model;
    const struct model_event *event = &model->programs->events[rank][*at_of(state, rank)];
    int first = oldest(model, state, rank, event->place);
    for (int number = first; number <= newest(model, state, event->place); number++) {
        uint64_t value = value_of(model, event->place, number);
        if (!is_content(event, value) &&
            (value < event->low || number == first || search->kind == MODEL_WEAKEST_EXECUTION)) {
            continue; /* polled for nothing; a value beyond `high`, though, could be the end */
        }
        memcpy(next, state, model->state_units * sizeof(unit));
        if (!rank_read(model, next, rank, number)) {
            return false;
        }
        state_add(search, next);
        *goes_on = true;
        if (search->kind == MODEL_WEAKEST_EXECUTION) {
            break;
        }
    }
    return true;
}

/* All that can happen next in `state`.  False: a fault. */
static bool state_expand(struct search *search, unit *state, unit *next)
{
    struct model *model = search->model;
    int waiting = -1;
    bool goes_on = false;
    for (int rank = 0; rank < model->ranks; rank++) {
        if (*at_of(state, rank) == model->programs->counts[rank]) {
            continue;
        }
        waiting = rank;
        if (!rank_expand(search, state, next, rank, &goes_on)) {
            return false;
        }
        if (goes_on && search->kind == MODEL_WEAKEST_EXECUTION) {
            return true;
        }
    }
    if (waiting >= 0 && !goes_on) {
        return blame(model, MODEL_STUCK, waiting, *at_of(state, waiting), -1, -1);
    }
    return true;
}

void model_explore(const struct model_programs *programs, enum model_search kind,
                   struct model_result *result)
{
    struct model model;
    model_open(&model, programs);
    *result = (struct model_result){.verdict = MODEL_SOUND};
    model.result = result;
    struct search search = {.model = &model, .kind = kind};
    ordering_set_open(&search.met);
    unit *state = allocate(model.state_units, sizeof(unit));
    unit *next = allocate(model.state_units, sizeof(unit));
    bool sound = true;
    for (int rank = 0; rank < model.ranks && sound; rank++) {
        sound = rank_run(&model, state, rank);
    }
    if (sound) {
        state_add(&search, state);
    }
    while (sound && search.todo_count > 0 && result->verdict == MODEL_SOUND) {
        search.todo_count--;
        memcpy(state, search.todo + search.todo_count * model.state_units,
               model.state_units * sizeof(unit));
        sound = state_expand(&search, state, next);
        if (sound && result->states > STATES_MAX) {
            result->verdict = MODEL_TOO_LARGE;
        }
    }
    ordering_set_close(&search.met);
    free(search.todo);
    free(state);
    free(next);
    model_close(&model);
}
