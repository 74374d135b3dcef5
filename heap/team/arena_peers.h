/*
 * arena_peers.h - chunks of other processes' arenas (arena.h) that are mapped here, each once.
 *
 * A chunk that no team uses any more stays mapped, because programs make communicators over the
 * same ranks again and again.  At most SYMM_ARENA_IDLE such chunks stay; that which has been idle
 * for longest goes first.
 *
 * Thread-safe, but for the end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_ARENA_PEERS_H
#define SYMM_HEAP_TEAM_ARENA_PEERS_H

#include <pthread.h>
#include <stdbool.h>

#include "heap/server/socket.h"

enum { SYMM_ARENA_IDLE = 64 };

struct symm_arena_mapping {
    struct symm_arena_mapping *next; /* in the order of their last use, newest first */
    char owner[SYMM_NAME_SIZE];
    uint32_t chunk;
    unsigned users;
    void *memory;
    size_t size;
};

/* Set up by symm_arena_peers_begin(). */
struct symm_arena_peers {
    pthread_mutex_t mutex;
    struct symm_arena_mapping *mappings;
    unsigned idle;
};

void symm_arena_peers_begin(struct symm_arena_peers *peers);

/* Unmap all of them. */
void symm_arena_peers_end(struct symm_arena_peers *peers);

/* The chunk, if it is mapped; NULL otherwise.  Undo with symm_arena_peers_put(). */
struct symm_arena_mapping *symm_arena_peers_get(struct symm_arena_peers *peers,
                                                const char *owner, uint32_t chunk);

/*
 * Map the chunk that its owner's server has sent, unless another thread has done so.  The caller
 * keeps the descriptor.  Errors: PROTOCOL, NO_MEMORY, SYSTEM, with errno.
 */
enum symm_status symm_arena_peers_add(struct symm_arena_peers *peers, const char *owner,
                                      uint32_t chunk, const struct symm_object *object,
                                      struct symm_arena_mapping **mapping);

void symm_arena_peers_put(struct symm_arena_peers *peers,
                          struct symm_arena_mapping *mapping);

#endif /* SYMM_HEAP_TEAM_ARENA_PEERS_H */
