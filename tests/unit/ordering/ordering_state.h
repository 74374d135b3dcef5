/*
 * ordering_state.h - programs, and the states that they can be in; for ordering_model.c.
 *
 * What a rank knows of another is a prefix of that rank's program, so knowledge is one position per
 * pair of ranks (a vector clock), and what has happened to a cell follows from how far the ranks
 * have got. A state is therefore small: positions, knowledge, the value that a rank has last seen
 * of each word, the knowledge that travels with each value, and the order of updates.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_STATE_H
#define SYMM_TESTS_ORDERING_STATE_H

#include <stddef.h>

#include "tests/unit/ordering/ordering_model.h"

/* Ascending positions in one rank's program. */
struct positions {
    int *at;
    int count;
};

/* A store to a word, or an update. */
struct change {
    int rank, position;
    int store;  /* number of the newest store to the word up to here; 0: there was none */
    int update; /* which of all updates it is; -1: it is a store */
};

struct word {
    struct change *changes; /* in the order in which they were recorded; numbers count from 1 */
    int count;
    int writer;             /* the only one; -1: there is none, or there are several */
    int first_message;      /* the number of its first change among those to all words */
};

struct model {
    const struct model_programs *programs;
    int ranks;
    struct word *words;
    struct positions *changes;        /* [words][ranks] */
    struct positions *reads, *writes; /* [cells][ranks] */
    int *last_await;                  /* [ranks][words]; -1: never */
    int messages, updates;
    /* The parts of a state, all 16 bits wide: where they begin. */
    size_t known_at, seen_at, order_at, sent_at, state_units;
    struct model_result *result;
};

typedef uint16_t unit;

void *model_allocate(size_t count, size_t size);
void model_open(struct model *model, const struct model_programs *programs);
void model_close(struct model *model);

/* The last before `limit`, or -1. */
int positions_last(const struct positions *positions, int limit);

/* ---- states ---------------------------------------------------------------------------------- */

/* Events of `rank` that have happened. */
static inline unit *at_of(unit *state, int rank)
{
    return &state[rank];
}

/* Of how many events of all ranks `rank` knows. */
static inline unit *known_of(const struct model *model, unit *state, int rank)
{
    return &state[model->known_at + (size_t)(rank * model->ranks)];
}

/*
 * How many changes to `word` the newest value counts that `rank` has seen, where it knows of fewer.
 */
static inline unit *seen_of(const struct model *model, unit *state, int rank, int word)
{
    return &state[model->seen_at + (size_t)(rank * model->programs->words + word)];
}

/* The knowledge that travels with change `number` (1, 2, ...) to `word`. */
static inline unit *sent_of(const struct model *model, unit *state, int word, int number)
{
    size_t message = (size_t)(model->words[word].first_message + number - 1);
    return &state[model->sent_at + message * (size_t)model->ranks];
}

/* The positions of a rank's changes to a word. */
static inline const struct positions *changes_of(const struct model *model, int word, int rank)
{
    return &model->changes[word * model->ranks + rank];
}

/* The change that an event is. */
static inline const struct change *change_of(const struct model *model,
                                             const struct model_event *event)
{
    return &model->words[event->place].changes[event->number - 1];
}

/* How many changes to `word` there have been, and the least that `rank` may still see. */
int changes_newest(const struct model *model, unit *state, int word);
int changes_oldest(const struct model *model, unit *state, int rank, int word);

/* The value after so many changes, and the rank that has made the last of them; -1: nobody. */
uint64_t value_of(const struct model *model, unit *state, int word, int number);
int changer_of(const struct model *model, unit *state, int word, int number);

/* An update happens now: it is the newest change. */
void update_enter(const struct model *model, unit *state, const struct model_event *event);

/* Forget what can make no difference any more, so that equal states look equal. */
void state_tidy(const struct model *model, unit *state);

#endif /* SYMM_TESTS_ORDERING_STATE_H */
