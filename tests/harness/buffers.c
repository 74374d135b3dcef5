/*
 * Guarded, poisoned test buffers in the memories that matter.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/buffers.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };


static unsigned char guard_byte(size_t i)
{
    return (unsigned char)(0x5a ^ (i * 37));
}

const char *test_place_name(enum test_place place)
{
    static const char *const names[] = {"heap", "heap+", "malloc", "malloc+"};
    return names[place];
}

/* Guard bytes in front of data, such that data is aligned to a cache line. */
static size_t guard_before(const unsigned char *block)
{
    return TEST_GUARD +
           (ALIGNMENT - (uintptr_t)(block + TEST_GUARD) % ALIGNMENT) % ALIGNMENT;
}

static void fill_guards(struct test_buffer *buffer)
{
    unsigned char *behind = buffer->data + buffer->bytes;
    for (size_t i = 0; i < buffer->before; i++) {
        buffer->block[i] = guard_byte(i);
    }
    for (size_t i = 0; i < TEST_GUARD; i++) {
        behind[i] = guard_byte(i);
    }
}

/* Data at the start of the block, or at `offset` behind a cache line. */
static struct test_buffer new_buffer(enum test_place place, size_t bytes, size_t offset)
{
    struct test_buffer buffer = {.bytes = bytes, .place = place};
    size_t total = bytes + 2 * TEST_GUARD + 2 * ALIGNMENT;
    if (place == TEST_HEAP || place == TEST_HEAP_INNER) {
        MPI_Alloc_mem((MPI_Aint)total, MPI_INFO_NULL, &buffer.block);
    } else {
        buffer.block = malloc(total);
    }
    if (buffer.block == NULL) {
        fprintf(stderr, "no memory for a test buffer of %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    buffer.before = place == TEST_HEAP ? 0 : guard_before(buffer.block) + offset;
    buffer.data = buffer.block + buffer.before;
    fill_guards(&buffer);
    test_buffer_poison(&buffer);
    return buffer;
}

struct test_buffer test_buffer_within(enum test_place place, unsigned char *data, size_t bytes)
{
    struct test_buffer buffer = {data, bytes, place, data - TEST_GUARD, TEST_GUARD};
    fill_guards(&buffer);
    test_buffer_poison(&buffer);
    return buffer;
}

struct test_buffer test_buffer_new(enum test_place place, size_t bytes, size_t unit)
{
    bool inner = place == TEST_HEAP_INNER || place == TEST_MALLOC_INNER;
    return new_buffer(place, bytes, inner ? (unit < ALIGNMENT ? unit : ALIGNMENT) : 0);
}

struct test_buffer test_buffer_new_at(bool heap, size_t bytes, size_t offset)
{
    return new_buffer(heap ? TEST_HEAP_INNER : TEST_MALLOC_INNER, bytes, offset);
}

void test_buffer_poison(struct test_buffer *buffer)
{
    memset(buffer->data, TEST_POISON, buffer->bytes);
}

static void check_zone(const unsigned char *zone, size_t length, const char *what,
                       const char *where)
{
    for (size_t i = 0; i < length; i++) {
        if (zone[i] != guard_byte(i)) {
            test_fail("guard %s the %s buffer, byte %zu: expected %#04x, found %#04x", where,
                      what, i, guard_byte(i), zone[i]);
            return;
        }
    }
}

void test_buffer_check(const struct test_buffer *buffer, const char *what)
{
    check_zone(buffer->block, buffer->before, what, "in front of");
    check_zone(buffer->data + buffer->bytes, TEST_GUARD, what, "behind");
}

void test_buffer_free(struct test_buffer *buffer, const char *what)
{
    test_buffer_check(buffer, what);
    if (buffer->place == TEST_HEAP || buffer->place == TEST_HEAP_INNER) {
        MPI_Free_mem(buffer->block);
    } else {
        free(buffer->block);
    }
    buffer->block = NULL;
    buffer->data = NULL;
}

void test_buffer_unchanged(const struct test_buffer *buffer, const void *copy, size_t bytes,
                           const char *what)
{
    const unsigned char *expected = copy;
    if (memcmp(buffer->data, expected, bytes) == 0) {
        return;
    }
    size_t i = 0;
    while (buffer->data[i] == expected[i]) {
        i++;
    }
    test_fail("%s buffer was written to, byte %zu: expected %#04x, found %#04x", what, i,
              expected[i], buffer->data[i]);
}

const char *test_spread_name(enum test_spread spread)
{
    static const char *const names[] = {
        "all heap",          "all malloc", "heap on even ranks", "send in heap",
        "receive in heap",   "inner heap", "random memory",
    };
    return names[spread];
}

enum test_place test_spread_place(enum test_spread spread, enum test_role role, int rank,
                                  uint64_t number)
{
    uint64_t random = test_random(test_stream(number, (uint64_t)rank, 5), role);
    switch (spread) {
    case SPREAD_HEAP:
        return TEST_HEAP;
    case SPREAD_MALLOC:
        return TEST_MALLOC;
    case SPREAD_RANKS:
        return rank % 2 == 0 ? TEST_HEAP : TEST_MALLOC;
    case SPREAD_SEND_HEAP:
        return role == TEST_SEND ? TEST_HEAP : TEST_MALLOC;
    case SPREAD_RECEIVE_HEAP:
        return role == TEST_SEND ? TEST_MALLOC : TEST_HEAP;
    case SPREAD_INNER:
        return TEST_HEAP_INNER;
    default:
        return (enum test_place)(random % TEST_PLACES);
    }
}
