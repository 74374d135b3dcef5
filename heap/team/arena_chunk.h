/*
 * arena_chunk.h - one chunk of an arena: shared memory that is filled from both ends; for arena.c.
 *
 * Not thread-safe.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_ARENA_CHUNK_H
#define SYMM_HEAP_TEAM_ARENA_CHUNK_H

#include "heap/server/server.h"
#include "heap/team/control.h"

struct symm_arena_chunk {
    struct symm_arena_chunk *next;
    uint32_t serial;
    unsigned char *memory;
    size_t size;
    size_t low, high; /* free is what lies between */
    size_t users;     /* blocks that are not free */
    struct symm_arena_extra *extras;
};

/*
 * Make a chunk of `size` bytes and have the server offer it.  Errors: NO_MEMORY, SYSTEM, with
 * errno.
 */
enum symm_status symm_arena_chunk_create(struct symm_server *server, uint32_t serial, size_t size,
                                         struct symm_arena_chunk **chunk);

/* With `give_back` the pages go, unless somebody uses the chunk; peers may keep it mapped. */
void symm_arena_chunk_destroy(struct symm_server *server, struct symm_arena_chunk *chunk,
                              bool give_back);

/* Bytes of a chunk that control memory of this plan takes at the most. */
size_t symm_arena_chunk_need(const struct symm_control *plan);

/*
 * Cut a block for planned control memory, with a copy of the class's `extra`, of which the chunk
 * has one for a `class`.  Returns false if there is no room.
 */
bool symm_arena_chunk_cut(struct symm_arena_chunk *chunk, const void *class, const void *extra,
                          const struct symm_control *plan, size_t *words, size_t *stages);

/* Where the chunk has the extra of a class that it has a block of. */
const void *symm_arena_chunk_extra(const struct symm_arena_chunk *chunk, const void *class);

/*
 * Nobody uses the chunk, and no block is known there any more: give back its pages, which read as
 * zero then.  Returns false if that cannot be done; then the chunk is as it was.
 */
bool symm_arena_chunk_clear(struct symm_arena_chunk *chunk);

#endif /* SYMM_HEAP_TEAM_ARENA_CHUNK_H */
