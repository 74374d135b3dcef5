/*
 * ordering_model.h - every execution that C11 allows of a few short programs, one per rank.
 *
 * A program is a straight list of accesses to shared memory: plain ones to cells, atomic ones to
 * words. model_explore() goes through all interleavings, and at each atomic read through all values
 * that the word may still show to that rank, under these rules:
 *   - A word's values are seen in the order in which they were written: once a rank has seen one,
 *     or has come to know of it, it sees no older one.
 *   - A word has one writer at a time.  Who stores to it must know of all changes by others before,
 *     and who updates it of the last store; if not, that is a race as well, although C11 allows it.
 *     Updates (additions, and the like) happen in any order, each upon the value that there is.
 *   - Who reads with acquire what was written with release knows from then on all that the writer
 *     knew when it wrote.  An update also hands on what came with the value that it changes.
 *     Nothing else hands on knowledge: relaxed accesses do not, nor does time.
 *   - A plain access must know of all accesses to its cell that it conflicts with.  If not, that is
 *     a data race: on some processor the one may overtake the other.
 * So plain accesses are not run in every order; that they know of each other makes the order
 * certain.
 *
 * It knows nothing of what the programs are about.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_MODEL_H
#define SYMM_TESTS_ORDERING_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_RANKS_MAX = 4 };

enum model_action {
    MODEL_READ,  /* a cell */
    MODEL_WRITE,
    MODEL_STORE, /* `low` to a word */
    MODEL_ADD,   /* an update: `low` more */
    MODEL_RAISE, /* an update: `low`, unless it is more already */
    MODEL_AWAIT, /* a word; goes on when its value is one from `low` to `high` */
    MODEL_EXPECT, /* the same, but looks once: all other values are misread */
};

struct model_event {
    enum model_action action;
    bool is_ordered; /* of words: with release or acquire, not relaxed */
    int place;       /* number of the cell or word */
    int number;      /* of stores and updates: which one to this word, from 1, in the recording */
    uint64_t low, high;
    /*
     * Of MODEL_READ: the newest writes to the cell that belong there, by rank; -1: none of that
     * rank's.
     */
    int sources[MODEL_RANKS_MAX];
};

/* Words and cells are numbered from 0; all are 0 at first. */
struct model_programs {
    int ranks, words, cells;
    struct model_event *events[MODEL_RANKS_MAX];
    int counts[MODEL_RANKS_MAX];
};

enum model_verdict {
    MODEL_SOUND,
    MODEL_RACE,      /* `rank` does not know of what `other_rank` did to the cell */
    MODEL_MISREAD,   /* `rank` finds a value of `other_rank` that does not belong there; -1: 0 */
    MODEL_STUCK,     /* `rank` waits for ever */
    MODEL_TOO_LARGE, /* given up: too many states */
};

struct model_result {
    enum model_verdict verdict;
    int rank, position;             /* the event that finds it */
    int other_rank, other_position; /* RACE, MISREAD: the event that it finds */
    uint64_t states;                /* met; every one once */
};

enum model_search {
    /* All interleavings, and all values that a read may give. */
    MODEL_EVERY_EXECUTION,
    /*
     * Only that one execution in which each rank comes to know the least: every read gives the
     * oldest value that the rank is content with.  If words are always written with release, or
     * never, each fault of another execution is in this one as well, because to know more never
     * does harm.  (A relaxed store that resets a word before it is handed over changes nothing
     * about that: who reads the word later knows of it.)
     */
    MODEL_WEAKEST_EXECUTION,
};

/* Until the first fault, or through all states.  Fails the test if the programs make no sense. */
void model_explore(const struct model_programs *programs, enum model_search search,
                   struct model_result *result);

#endif /* SYMM_TESTS_ORDERING_MODEL_H */
