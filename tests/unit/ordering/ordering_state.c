/*
 * ordering_state.c - see ordering_state.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_state.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/harness/unit.h"

/* ---- positions ------------------------------------------------------------------------------- */

void *model_allocate(size_t count, size_t size)
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

int positions_last(const struct positions *positions, int limit)
{
    int count = positions_before(positions, limit);
    return count > 0 ? positions->at[count - 1] : -1;
}

/* ---- the programs ---------------------------------------------------------------------------- */

static bool is_change(const struct model_event *event)
{
    return event->action == MODEL_STORE || event->action == MODEL_ADD ||
           event->action == MODEL_RAISE;
}

static void event_enter(struct model *model, int rank, int position)
{
    const struct model_event *event = &model->programs->events[rank][position];
    size_t cell = (size_t)event->place * (size_t)model->ranks + (size_t)rank;
    if (event->action == MODEL_READ) {
        positions_add(&model->reads[cell], position);
    } else if (event->action == MODEL_WRITE) {
        positions_add(&model->writes[cell], position);
    } else if (is_change(event)) {
        positions_add(&model->changes[cell], position);
        model->words[event->place].count++;
    } else {
        model->last_await[rank * model->programs->words + event->place] = position;
    }
}

/* The changes of a word, by their numbers. */
static void word_enter(struct model *model, int number)
{
    struct word *word = &model->words[number];
    int store = 0;
    word->changes = model_allocate((size_t)word->count, sizeof(*word->changes));
    word->writer = -1;
    for (int rank = 0; rank < model->ranks; rank++) {
        const struct positions *changes = changes_of(model, number, rank);
        for (int i = 0; i < changes->count; i++) {
            const struct model_event *event = &model->programs->events[rank][changes->at[i]];
            assert_in_range(event->number, 1, word->count);
            word->changes[event->number - 1] = (struct change){
                .rank = rank, .position = changes->at[i],
                .update = event->action == MODEL_STORE ? -1 : 0};
            word->writer = changes->count == word->count ? rank : -1;
        }
    }
    for (int i = 0; i < word->count; i++) {
        struct change *change = &word->changes[i];
        store = change->update < 0 ? i + 1 : store;
        change->store = store;
        change->update = change->update < 0 ? -1 : model->updates++;
    }
    word->first_message = model->messages;
    model->messages += word->count;
}

void model_open(struct model *model, const struct model_programs *programs)
{
    size_t ranks = (size_t)programs->ranks, words = (size_t)programs->words;
    *model = (struct model){.programs = programs, .ranks = programs->ranks};
    model->words = model_allocate(words, sizeof(*model->words));
    model->changes = model_allocate(words * ranks, sizeof(*model->changes));
    model->reads = model_allocate((size_t)programs->cells * ranks, sizeof(*model->reads));
    model->writes = model_allocate((size_t)programs->cells * ranks, sizeof(*model->writes));
    model->last_await = model_allocate(ranks * words, sizeof(int));
    for (size_t i = 0; i < ranks * words; i++) {
        model->last_await[i] = -1;
    }
    for (int rank = 0; rank < model->ranks; rank++) {
        assert_true(programs->counts[rank] < UINT16_MAX);
        for (int position = 0; position < programs->counts[rank]; position++) {
            event_enter(model, rank, position);
        }
    }
    for (int i = 0; i < programs->words; i++) {
        word_enter(model, i);
    }
    model->known_at = ranks;
    model->seen_at = model->known_at + ranks * ranks;
    model->order_at = model->seen_at + ranks * words;
    model->sent_at = model->order_at + (size_t)model->updates;
    model->state_units = (model->sent_at + (size_t)model->messages * ranks + 3) / 4 * 4;
}

static void positions_free(struct positions *positions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(positions[i].at);
    }
    free(positions);
}

void model_close(struct model *model)
{
    size_t ranks = (size_t)model->ranks;
    positions_free(model->reads, (size_t)model->programs->cells * ranks);
    positions_free(model->writes, (size_t)model->programs->cells * ranks);
    positions_free(model->changes, (size_t)model->programs->words * ranks);
    for (int i = 0; i < model->programs->words; i++) {
        free(model->words[i].changes);
    }
    free(model->words);
    free(model->last_await);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* As how many-th change an update has happened; 0: not yet. */
static unit *order_of(const struct model *model, unit *state, const struct change *change)
{
    return &state[model->order_at + (size_t)change->update];
}

/*
 * The number of a change that has happened.  A store waits for all changes before it, so it keeps
 * the number of the recording.
 */
static int number_of(const struct model *model, unit *state, const struct word *word,
                     const struct change *change)
{
    return change->update < 0 ? (int)(change - word->changes) + 1
                              : *order_of(model, state, change);
}

void update_enter(const struct model *model, unit *state, const struct model_event *event)
{
    *order_of(model, state, change_of(model, event)) =
        (unit)(changes_newest(model, state, event->place) + 1);
}

int changes_newest(const struct model *model, unit *state, int word)
{
    int writer = model->words[word].writer, count = 0;
    if (writer >= 0) {
        return positions_before(changes_of(model, word, writer), *at_of(state, writer));
    }
    for (int rank = 0; rank < model->ranks && model->words[word].count > 0; rank++) {
        count += positions_before(changes_of(model, word, rank), *at_of(state, rank));
    }
    return count;
}

/* The number of the newest change that the rank knows of. */
static int changes_known(const struct model *model, unit *state, int rank, int word)
{
    const struct word *w = &model->words[word];
    const unit *known = known_of(model, state, rank);
    int newest = 0;
    if (w->writer >= 0) {
        return positions_before(changes_of(model, word, w->writer), known[w->writer]);
    }
    for (int other = 0; other < model->ranks && w->count > 0; other++) {
        int position = positions_last(changes_of(model, word, other), known[other]);
        if (position >= 0) {
            const struct model_event *event = &model->programs->events[other][position];
            int number = number_of(model, state, w, change_of(model, event));
            newest = number > newest ? number : newest;
        }
    }
    return newest;
}

int changes_oldest(const struct model *model, unit *state, int rank, int word)
{
    int known = changes_known(model, state, rank, word);
    int seen = *seen_of(model, state, rank, word);
    return seen > known ? seen : known;
}

static const struct model_event *event_of(const struct model *model, const struct change *change)
{
    return &model->programs->events[change->rank][change->position];
}

/* Stores keep their numbers, so it is clear between which two of them the updates lie. */
uint64_t value_of(const struct model *model, unit *state, int word, int number)
{
    const struct word *w = &model->words[word];
    int store = number == 0 ? 0 : w->changes[number - 1].store;
    uint64_t value = store == 0 ? 0 : event_of(model, &w->changes[store - 1])->low;
    for (int i = store; store < number && i < w->count && w->changes[i].update >= 0; i++) {
        const struct model_event *event = event_of(model, &w->changes[i]);
        int order = *order_of(model, state, &w->changes[i]);
        if (order == 0 || order > number) {
            continue;
        }
        if (event->action == MODEL_ADD) {
            value += event->low;
        } else {
            value = event->low > value ? event->low : value;
        }
    }
    return value;
}

int changer_of(const struct model *model, unit *state, int word, int number)
{
    const struct word *w = &model->words[word];
    for (int i = 0; i < w->count; i++) {
        if (number_of(model, state, w, &w->changes[i]) == number) {
            return w->changes[i].rank;
        }
    }
    return -1;
}

/* ---- tidying --------------------------------------------------------------------------------- */

static bool awaits_later(const struct model *model, unit *state, int rank, int word)
{
    return model->last_await[rank * model->programs->words + word] >= *at_of(state, rank);
}

/* With an update goes what came with the change before it. */
static int needed_for_updates(const struct model *model, unit *state, int word)
{
    const struct word *w = &model->words[word];
    int newest = changes_newest(model, state, word);
    bool is_followed = newest < w->count && w->changes[newest].update >= 0;
    return is_followed ? newest : w->count + 1;
}

void state_tidy(const struct model *model, unit *state)
{
    for (int word = 0; word < model->programs->words; word++) {
        int needed = needed_for_updates(model, state, word);
        for (int rank = 0; rank < model->ranks; rank++) {
            unit *seen = seen_of(model, state, rank, word);
            if (!awaits_later(model, state, rank, word)) {
                *seen = 0;
                continue;
            }
            int least = changes_oldest(model, state, rank, word);
            if (changes_known(model, state, rank, word) >= *seen) {
                *seen = 0;
            }
            needed = least < needed ? least : needed;
        }
        for (int number = 1; number < needed; number++) {
            memset(sent_of(model, state, word, number), 0, (size_t)model->ranks * sizeof(unit));
        }
    }
}
