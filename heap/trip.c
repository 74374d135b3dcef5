/*
 * trip.c - see trip.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <time.h>

#include "heap/trip.h"

enum {
    BATCHES = 4,     /* in the first one rank 1 may not be there yet */
    BATCH_TRIPS = 4, /* to read the clock takes a quarter of a short trip */
    LOOKS_PER_CLOCK = 64,
    COUNT_BITS = 8,  /* of the word, below the call's number: up on the way out, and on the way back */
};

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Wait until the word has this value; false if that takes too long.  There is no pause between the
 * looks, because on some processors one is longer than a short trip.
 */
static bool word_await(const struct symm_word *word, uint64_t value, uint64_t deadline)
{
    for (unsigned looks = 1;
         atomic_load_explicit(&word->value, memory_order_acquire) != value; looks++) {
        if (looks % LOOKS_PER_CLOCK == 0 && now_ns() > deadline) {
            return false;
        }
    }
    return true;
}

static void word_set(struct symm_word *word, uint64_t value)
{
    atomic_store_explicit(&word->value, value, memory_order_release);
}

unsigned symm_trip_time(const struct symm_control *control, uint64_t sequence)
{
    struct symm_word *word = &control->header->trip;
    uint64_t begin = now_ns(), deadline = begin + symm_trip_limit_ns, quickest = UINT64_MAX;
    uint64_t count = sequence << COUNT_BITS;
    for (int batch = 0; batch < BATCHES; batch++) {
        for (int i = 0; i < BATCH_TRIPS; i++) {
            word_set(word, ++count);
            if (!word_await(word, ++count, deadline)) {
                return 0;
            }
        }
        uint64_t end = now_ns();
        quickest = end - begin < quickest ? end - begin : quickest;
        begin = end;
    }
    return (unsigned)(quickest / BATCH_TRIPS) + 1;
}

void symm_trip_answer(const struct symm_control *control, uint64_t sequence)
{
    struct symm_word *word = &control->header->trip;
    uint64_t deadline = now_ns() + symm_trip_limit_ns, count = sequence << COUNT_BITS;
    for (int trip = 0; trip < BATCHES * BATCH_TRIPS; trip++) {
        if (!word_await(word, ++count, deadline)) {
            return;
        }
        word_set(word, ++count);
    }
}
