/*
 * placed_buffers.h - buffers of one size in all sorts of memory, and none at all, whose bytes are
 * compared after a call with what they have to be.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_PLACED_BUFFERS_H
#define SYMM_TESTS_PLACED_BUFFERS_H

#include "tests/harness/blocking_calls.h"

#include <stdbool.h>

/* Where a buffer lies; behind these are the memories of cuda_memory.h, if there are devices. */
enum { PLACE_NONE, PLACE_HOST, PLACE_HEAP, PLACES_ON_HOST };

/* Get two buffers in each place, for sending and receiving. */
extern int placed_places;
void placed_begin(bool on_devices);
void placed_end(void);
const char *placed_name(int place);

struct placed_buffer {
    int place;
    unsigned char *memory; /* BLOCKING_BYTES */
    void *address;         /* for MPI: BLOCKING_MIDDLE bytes behind; NULL if there is none */
    /* what has been written, and has to be there at the end */
    unsigned char expected[BLOCKING_BYTES];
};

/* Fill the buffer of that place with random bytes; `role`: 0 or 1. */
void placed_open(struct placed_buffer *buffer, int place, int role);

/* Write what is expected. */
void placed_write(const struct placed_buffer *buffer);

/* Report the first byte that is not as expected. */
void placed_check(const struct placed_buffer *buffer, const char *which);

#endif
