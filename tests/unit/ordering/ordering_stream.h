/*
 * ordering_stream.h - every execution of short programs of threads that write to each other's
 * memory by relaxed stores.
 *
 * A place is a word in the memory of one rank, its owner.  One thread of one other rank stores to
 * it, in the order of its program, and the owner may wipe it.  A thread has a list of steps, and
 * stores before the first, between two, or behind the last.  The rules:
 *   - A store is on its way once its thread has ended the steps before it.  It arrives at any later
 *     time.  Stores to one place arrive in their order; all others overtake each other.
 *   - An ordered store arrives after all stores that its rank has made to the same owner before.
 *   - A wipe is a store of the owner's own, and waits in the same way until it arrives.
 *   - A thread looks at a place when its step asks for it, and finds what has arrived last.
 *   - A value that a step looks for must not be replaced before.  It is lost as soon as the store
 *     that may replace it is on its way.
 *
 * Only arrivals, and steps that look at data, are tried at every time.  Everything else happens as
 * soon as it can: a store may arrive late in any case, so making it early loses no execution.
 *
 * Some places need no arrivals at every time, which saves most states (enum stream_arrival).
 *
 * It knows nothing of what the programs are about.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_STREAM_H
#define SYMM_TESTS_ORDERING_STREAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
    STREAM_RANKS = 3,
    STREAM_UNITS = 2,      /* threads of a rank */
    STREAM_THREADS = STREAM_RANKS * STREAM_UNITS,
    STREAM_PLACES = 160,
    STREAM_STEPS = 250,    /* of a thread */
    STREAM_STORES = 64,    /* to a place */
    STREAM_LOOKS = 6,      /* places that a step looks at */
    STREAM_EARLIER = 24,   /* places of a pair of ranks */
    STREAM_VALUES = 64,
    STREAM_COUNT_BITS = 4, /* of words that are awaited; they come again, as 32 bits do later */
    STREAM_NOBODY = 255,
};

enum stream_action {
    STREAM_AWAIT,   /* until all places have counted as far as the values, or further */
    STREAM_TAKE,    /* until all places have the flags of the values; then they are the values */
    STREAM_READ,    /* all places have the values */
    STREAM_BARRIER, /* all threads of the rank are here */
    STREAM_FENCE,   /* all wipes of the rank have arrived */
};

enum stream_arrival {
    STREAM_AT_ANY_TIME,
    /*
     * Of counts, which are awaited and only grow: a count that arrives late is like a rank that
     * goes on late.
     */
    STREAM_AT_ONCE,
    /*
     * Of data that are read without a flag of their own: they arrive with the ordered store that
     * tells of them.  No reader may rely on anything earlier.
     */
    STREAM_WHEN_TOLD,
};

struct stream_look {
    uint8_t place, value;
};

struct stream_step {
    enum stream_action action;
    int kernel; /* for messages */
    int count;
    struct stream_look looks[STREAM_LOOKS];
};

/* `places` and how many stores to each have to have arrived. */
struct stream_earlier {
    int count;
    uint8_t places[STREAM_EARLIER], stores[STREAM_EARLIER];
};

struct stream_store {
    uint8_t value;
    uint8_t after; /* so many steps of its thread */
    uint8_t reader, read_at; /* the thread and step that look at it, or STREAM_NOBODY */
    struct stream_earlier earlier; /* of ordered stores */
};

struct stream_place {
    int owner, source;  /* ranks */
    enum stream_arrival arrival;
    uint8_t value;      /* at first */
    uint8_t thread;     /* of the source */
    int stores_count, wipes_count;
    struct stream_store stores[STREAM_STORES];
    uint8_t wipes[STREAM_STORES]; /* by the owner's first thread, after so many steps */
};

/* Thread u of rank r is number r * units + u. */
struct stream_programs {
    int ranks, units, places_count;
    struct stream_place places[STREAM_PLACES];
    int steps_count[STREAM_THREADS];
    struct stream_step steps[STREAM_THREADS][STREAM_STEPS];
    uint8_t flags[STREAM_VALUES]; /* by value */
};

enum stream_verdict {
    STREAM_SOUND,
    STREAM_LOST,      /* a value is replaced, or wiped, before it has been read */
    STREAM_MISREAD,   /* a thread takes another value for the one that it looks for */
    STREAM_STUCK,     /* a thread waits for ever */
    STREAM_TOO_LARGE, /* given up: too many states */
};

struct stream_result {
    enum stream_verdict verdict;
    int rank, kernel; /* where it is found */
    uint64_t states;  /* met; every one once */
};

/* Until the first fault, or through all states. */
void stream_explore(const struct stream_programs *programs, struct stream_result *result);

#endif /* SYMM_TESTS_ORDERING_STREAM_H */
