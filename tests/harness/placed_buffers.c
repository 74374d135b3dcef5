/*
 * placed_buffers.c - see placed_buffers.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/harness/placed_buffers.h"

#include "tests/harness/harness.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CUDA
#include "tests/harness/cuda_memory.h"
#endif

enum { PLACES_MAX = 8, ROLES = 2 };

int placed_places = PLACES_ON_HOST;
static unsigned char *memories[PLACES_MAX][ROLES];
static uint64_t opened;

/* ---- memory ---------------------------------------------------------------------------------- */

#ifdef HAVE_CUDA
static bool is_on_device(int place)
{
    return place >= PLACES_ON_HOST;
}
#endif

static unsigned char *memory_get(int place)
{
    unsigned char *memory = NULL;
    if (place == PLACE_HOST) {
        memory = malloc(BLOCKING_BYTES);
    } else if (place == PLACE_HEAP) {
        MPI_Alloc_mem(BLOCKING_BYTES, MPI_INFO_NULL, &memory);
    }
#ifdef HAVE_CUDA
    if (is_on_device(place)) {
        memory = cuda_memory_get((enum cuda_memory)(place - PLACES_ON_HOST), BLOCKING_BYTES);
    }
#endif
    return memory;
}

static void memory_put(int place, unsigned char *memory)
{
    if (place == PLACE_HOST) {
        free(memory);
    } else if (place == PLACE_HEAP) {
        MPI_Free_mem(memory);
    }
#ifdef HAVE_CUDA
    if (is_on_device(place)) {
        cuda_memory_put((enum cuda_memory)(place - PLACES_ON_HOST), memory);
    }
#endif
}

static void memory_write(int place, unsigned char *memory, const unsigned char *from)
{
#ifdef HAVE_CUDA
    if (is_on_device(place)) {
        cuda_memory_write(memory, from, BLOCKING_BYTES);
        return;
    }
#endif
    if (place != PLACE_NONE) {
        memcpy(memory, from, BLOCKING_BYTES);
    }
}

static void memory_read(unsigned char *to, int place, const unsigned char *memory)
{
#ifdef HAVE_CUDA
    if (is_on_device(place)) {
        cuda_memory_read(to, memory, BLOCKING_BYTES);
        return;
    }
#endif
    if (place != PLACE_NONE) {
        memcpy(to, memory, BLOCKING_BYTES);
    }
}

const char *placed_name(int place)
{
    static const char *const names[PLACES_ON_HOST] = {"NULL", "host", "heap"};
#ifdef HAVE_CUDA
    if (is_on_device(place)) {
        return cuda_memory_names[place - PLACES_ON_HOST];
    }
#endif
    return names[place];
}

/* Ranks of a node have devices of their own, as far as there are several. */
void placed_begin(bool on_devices)
{
#ifdef HAVE_CUDA
    if (on_devices) {
        cuda_memory_open(test_rank);
        placed_places += CUDA_MEMORY_KINDS;
    }
#endif
    (void)on_devices;
    for (int i = 0; i < placed_places * ROLES; i++) {
        memories[i / ROLES][i % ROLES] = memory_get(i / ROLES);
    }
}

void placed_end(void)
{
    for (int i = 0; i < placed_places * ROLES; i++) {
        memory_put(i / ROLES, memories[i / ROLES][i % ROLES]);
    }
}

/* ---- buffers --------------------------------------------------------------------------------- */

void placed_open(struct placed_buffer *buffer, int place, int role)
{
    uint64_t stream = test_stream(++opened, (uint64_t)test_rank, (uint64_t)role);
    for (size_t i = 0; i < BLOCKING_BYTES / sizeof(uint64_t); i++) {
        uint64_t value = test_random(stream, i);
        memcpy(buffer->expected + i * sizeof(value), &value, sizeof(value));
    }
    buffer->place = place;
    buffer->memory = memories[place][role];
    buffer->address = place == PLACE_NONE ? NULL : buffer->memory + BLOCKING_MIDDLE;
    memory_write(place, buffer->memory, buffer->expected);
}

void placed_write(const struct placed_buffer *buffer)
{
    memory_write(buffer->place, buffer->memory, buffer->expected);
}

void placed_check(const struct placed_buffer *buffer, const char *which)
{
    static unsigned char found[BLOCKING_BYTES];
    if (buffer->place == PLACE_NONE) {
        return;
    }
    memory_read(found, buffer->place, buffer->memory);
    for (size_t i = 0; i < BLOCKING_BYTES; i++) {
        if (buffer->expected[i] != found[i]) {
            test_fail("%s buffer in %s, byte %d: expected 0x%02x, found 0x%02x", which,
                      placed_name(buffer->place), (int)i - BLOCKING_MIDDLE, buffer->expected[i],
                      found[i]);
            return;
        }
    }
}
