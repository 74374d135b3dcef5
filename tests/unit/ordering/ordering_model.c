/*
 * ordering_model.c - see ordering_model.h.
 *
 * Only atomic reads, and updates, have a choice. Everything else runs as soon as its rank gets
 * there: a value that has been stored may be seen late, so storing it early loses no execution, and
 * races are found whichever of the two accesses runs first.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_model.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/ordering/ordering_set.h"
#include "tests/unit/ordering/ordering_state.h"
#include "tests/unit/harness/unit.h"

enum { STATES_MAX = 4000000 };

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

/*
 * A store or an update to a word that other ranks change as well: the rank has to know of what it
 * follows.
 */
static bool change_check(struct model *model, unit *state, int rank, int position)
{
    const struct model_event *event = &model->programs->events[rank][position];
    const struct word *word = &model->words[event->place];
    const unit *known = known_of(model, state, rank);
    if (word->writer >= 0) {
        return true;
    }
    const struct change *self = change_of(model, event);
    int from = self->update < 0 ? 1 : self->store; /* updates may overtake each other */
    int to = self->update < 0 ? event->number - 1 : self->store;
    for (int number = from > 0 ? from : 1; number <= to; number++) {
        const struct change *before = &word->changes[number - 1];
        if (before->rank != rank && before->position >= known[before->rank]) {
            return blame(model, MODEL_RACE, rank, position, before->rank, before->position);
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
           is_content(event, value_of(model, state, event->place,
                                      changes_newest(model, state, event->place)));
}

static bool has_choice(const struct model *model, unit *state, int rank,
                       const struct model_event *event)
{
    switch (event->action) {
    case MODEL_AWAIT:
    case MODEL_EXPECT:
        return !reads_itself(model, state, rank, event);
    case MODEL_ADD:
    case MODEL_RAISE:
        return true;
    case MODEL_READ:
    case MODEL_WRITE:
    case MODEL_STORE:
        break;
    }
    return false;
}

/* Go on to the next event that has a choice.  False: a fault has been found. */
static bool rank_run(struct model *model, unit *state, int rank)
{
    for (int position = *at_of(state, rank); position < model->programs->counts[rank]; position++) {
        const struct model_event *event = &model->programs->events[rank][position];
        if (has_choice(model, state, rank, event)) {
            break;
        }
        if ((event->action == MODEL_READ || event->action == MODEL_WRITE) &&
            !access_check(model, state, rank, position)) {
            return false;
        }
        if (event->action == MODEL_STORE && !change_check(model, state, rank, position)) {
            return false;
        }
        pass(model, state, rank);
        if (event->action == MODEL_STORE && event->is_ordered) {
            memcpy(sent_of(model, state, event->place, event->number),
                   known_of(model, state, rank), (size_t)model->ranks * sizeof(unit));
        }
    }
    return true;
}

static void knowledge_add(const struct model *model, unit *knowledge, const unit *more)
{
    for (int rank = 0; rank < model->ranks; rank++) {
        knowledge[rank] = more[rank] > knowledge[rank] ? more[rank] : knowledge[rank];
    }
}

/* `rank` changes a word as it is now. */
static bool rank_update(struct model *model, unit *state, int rank)
{
    int position = *at_of(state, rank);
    const struct model_event *event = &model->programs->events[rank][position];
    if (!change_check(model, state, rank, position)) {
        return false;
    }
    int number = changes_newest(model, state, event->place) + 1;
    unit *sent = sent_of(model, state, event->place, number);
    update_enter(model, state, event);
    pass(model, state, rank);
    if (number > 1) {
        knowledge_add(model, sent, sent_of(model, state, event->place, number - 1));
    }
    if (event->is_ordered) {
        knowledge_add(model, sent, known_of(model, state, rank));
    }
    return rank_run(model, state, rank);
}

/* `rank` reads the value of store `number`; it goes on if that is what it waits for. */
static bool rank_read(struct model *model, unit *state, int rank, int number)
{
    const struct model_event *event = &model->programs->events[rank][*at_of(state, rank)];
    uint64_t value = value_of(model, state, event->place, number);
    *seen_of(model, state, rank, event->place) = (unit)number;
    if (event->is_ordered && number > 0) {
        knowledge_add(model, known_of(model, state, rank),
                      sent_of(model, state, event->place, number));
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

/* An update has no choice but when it happens.  False: a fault. */
static bool update_expand(struct search *search, unit *state, unit *next, int rank)
{
    memcpy(next, state, search->model->state_units * sizeof(unit));
    if (!rank_update(search->model, next, rank)) {
        return false;
    }
    state_add(search, next);
    return true;
}

/* What `rank` can read next, added to what is to be looked at.  False: a fault. */
static bool read_expand(struct search *search, unit *state, unit *next, int rank, bool *goes_on)
{
    struct model *model = search->model;
    const struct model_event *event = &model->programs->events[rank][*at_of(state, rank)];
    int first = changes_oldest(model, state, rank, event->place);
    for (int number = first; number <= changes_newest(model, state, event->place); number++) {
        uint64_t value = value_of(model, state, event->place, number);
        if (!is_content(event, value) && event->action == MODEL_EXPECT) {
            return blame(model, MODEL_MISREAD, rank, *at_of(state, rank),
                         changer_of(model, state, event->place, number), -1);
        }
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

static bool rank_expand(struct search *search, unit *state, unit *next, int rank, bool *goes_on)
{
    enum model_action action =
        search->model->programs->events[rank][*at_of(state, rank)].action;
    if (action == MODEL_ADD || action == MODEL_RAISE) {
        *goes_on = true;
        return update_expand(search, state, next, rank);
    }
    return read_expand(search, state, next, rank, goes_on);
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
    unit *state = model_allocate(model.state_units, sizeof(unit));
    unit *next = model_allocate(model.state_units, sizeof(unit));
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
