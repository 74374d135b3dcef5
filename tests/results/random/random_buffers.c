/*
 * Blocks of memory that come and go by the number of the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/results/random/random_buffers.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROLE_BLOCK = 6, ROLE_SOURCE = 7, ROLES = 2, ALIGNMENT = 64, STATIC = 256 * 1024 };

/* Kinds of memory that live longer than a call. */
enum source { LASTING, LONG_LASTING, LARGE, PLAIN, AUTOMATIC, STATICALLY, SOURCES };

static const char *const source_names[SOURCES] = {
    "lasting heap block", "long lasting heap block", "inside a large heap block",
    "lasting malloc block", "stack", "static memory"};

struct block {
    unsigned char *memory;
    size_t bytes;
    uint64_t generation;
};

/* Calls that a block lives; 0 is forever. Large ones fill a segment of the heap (64 MiB) or more:
 * when they end, segments go, and with them what peers have mapped. */
static const uint64_t life[ROLES][SOURCES] = {{17, 701, 131, 97, 0, 0}, {23, 601, 173, 89, 0, 0}};

static struct block blocks[ROLES][SOURCES];
static unsigned char static_memory[ROLES][STATIC];

static bool is_allocated(enum source source)
{
    return source < AUTOMATIC;
}

static uint64_t generation_at(int role, enum source source, uint64_t index)
{
    return life[role][source] == 0 ? 0 : index / life[role][source];
}

static size_t block_bytes(enum source source, uint64_t random)
{
    const size_t mib = 1024 * 1024;
    if (source == LARGE) {
        return (32 + random % 48) * mib; /* hardly touched */
    }
    return ((size_t)64 * 1024 << random % 7) + random / 8 % 4096;
}

static void allocate(int role, enum source source, uint64_t index)
{
    struct block *block = &blocks[role][source];
    uint64_t kind = (uint64_t)(role * SOURCES + (int)source);
    block->generation = generation_at(role, source, index);
    block->bytes = block_bytes(source, test_random(test_stream(kind << 40 | block->generation,
                                                               (uint64_t)test_rank, ROLE_BLOCK),
                                                   0));
    if (source == PLAIN) {
        block->memory = malloc(block->bytes);
    } else {
        MPI_Alloc_mem((MPI_Aint)block->bytes, MPI_INFO_NULL, &block->memory);
    }
    if (block->memory == NULL) {
        fprintf(stderr, "no memory for a block of %zu bytes\n", block->bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static void release(int role, enum source source)
{
    if (source == PLAIN) {
        free(blocks[role][source].memory);
    } else {
        MPI_Free_mem(blocks[role][source].memory);
    }
}

void random_buffers_create(unsigned char *stack)
{
    for (int role = 0; role < ROLES; role++) {
        blocks[role][AUTOMATIC] = (struct block){stack + role * RANDOM_STACK / ROLES,
                                                 RANDOM_STACK / ROLES, 0};
        blocks[role][STATICALLY] = (struct block){static_memory[role], STATIC, 0};
        for (enum source source = 0; is_allocated(source); source++) {
            blocks[role][source].generation = UINT64_MAX; /* the first call allocates */
        }
    }
}

void random_buffers_free(void)
{
    for (int role = 0; role < ROLES; role++) {
        for (enum source source = 0; is_allocated(source); source++) {
            if (blocks[role][source].generation != UINT64_MAX) {
                release(role, source);
            }
        }
    }
}

void random_buffers_renew(uint64_t index)
{
    for (int role = 0; role < ROLES; role++) {
        for (enum source source = 0; is_allocated(source); source++) {
            uint64_t now = blocks[role][source].generation;
            if (now == generation_at(role, source, index)) {
                continue;
            }
            if (now != UINT64_MAX) {
                release(role, source);
            }
            allocate(role, source, index);
        }
    }
}

static bool is_inner(enum test_place place)
{
    return place == TEST_HEAP_INNER || place == TEST_MALLOC_INNER;
}

static bool is_heap(enum test_place place)
{
    return place == TEST_HEAP || place == TEST_HEAP_INNER;
}

/* A buffer anywhere in the block, at a multiple of 64 or at any multiple of the type's unit. */
static struct test_buffer inside(const struct block *block, enum test_place place, size_t bytes,
                                 size_t unit, uint64_t random)
{
    size_t step = is_inner(place) ? unit : ALIGNMENT;
    size_t last = block->bytes - bytes - TEST_GUARD;
    unsigned char *data = block->memory + TEST_GUARD + random % (last - TEST_GUARD + 1);
    data -= (uintptr_t)data % step;
    if (data < block->memory + TEST_GUARD) {
        data += step;
    }
    return test_buffer_within(place, data, bytes);
}

/* SOURCES stands for a block of the buffer's own. */
static enum source draw_source(enum test_place place, uint64_t random)
{
    static const enum source heap[] = {LASTING, LONG_LASTING, LARGE, SOURCES, SOURCES};
    static const enum source other[] = {PLAIN, AUTOMATIC, STATICALLY, SOURCES, SOURCES};
    return is_heap(place) ? heap[random % 5] : other[random % 5];
}

static struct test_buffer take(struct random_call *call, enum test_role role)
{
    uint64_t stream = test_stream(call->number, (uint64_t)test_rank, ROLE_SOURCE);
    uint64_t random = test_random(stream, role);
    enum test_place place = test_spread_place(call->spread, role, test_rank, call->number);
    enum source source = draw_source(place, random);
    size_t unit = role == TEST_SEND ? call->send.unit : call->receive.unit;
    size_t bytes = role == TEST_SEND ? random_call_input_bytes(call)
                                     : random_call_output_bytes(call);
    if (source == SOURCES || blocks[role][source].bytes < bytes + 2 * TEST_GUARD + ALIGNMENT) {
        call->source[role] = is_heap(place) ? "new heap block" : "new malloc block";
        return test_buffer_new(place, bytes, unit);
    }
    call->source[role] = source_names[source];
    return inside(&blocks[role][source], place, bytes, unit, random / 8);
}

struct test_buffer random_buffers_new(struct random_call *call, enum test_role role)
{
    struct test_buffer buffer = take(call, role);
    call->offset[role] = (unsigned)((uintptr_t)buffer.data % ALIGNMENT);
    return buffer;
}

/* Whether the buffer has a block of its own. */
static bool is_new(const struct test_buffer *buffer)
{
    for (int role = 0; role < ROLES; role++) {
        for (enum source source = 0; source < SOURCES; source++) {
            const struct block *block = &blocks[role][source];
            uintptr_t begin = (uintptr_t)block->memory;
            uintptr_t at = (uintptr_t)buffer->data;
            if (at >= begin && at - begin < block->bytes) {
                return false;
            }
        }
    }
    return true;
}

void random_buffers_release(struct test_buffer *buffer)
{
    if (buffer->data != NULL && is_new(buffer)) {
        test_buffer_free(buffer, "released");
    }
    buffer->data = NULL;
}
