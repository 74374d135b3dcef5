/*
 * arena_peers.c - see arena_peers.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heap/headroom.h"
#include "heap/memfd.h"
#include "heap/team/arena_peers.h"

void symm_arena_peers_begin(struct symm_arena_peers *peers)
{
    (void)pthread_mutex_init(&peers->mutex, NULL);
    peers->mappings = NULL;
    peers->idle = 0;
}

static void mapping_remove(struct symm_arena_mapping **link)
{
    struct symm_arena_mapping *mapping = *link;
    *link = mapping->next;
    (void)munmap(mapping->memory, mapping->size);
    symm_headroom_give();
    free(mapping);
}

void symm_arena_peers_end(struct symm_arena_peers *peers)
{
    while (peers->mappings != NULL) {
        mapping_remove(&peers->mappings);
    }
    (void)pthread_mutex_destroy(&peers->mutex);
}

/* Unmap idle chunks until so many are left, those that have been idle for longest first. */
static void idle_reduce(struct symm_arena_peers *peers, unsigned most)
{
    while (peers->idle > most) {
        struct symm_arena_mapping **oldest = NULL;
        for (struct symm_arena_mapping **link = &peers->mappings; *link != NULL;
             link = &(*link)->next) {
            oldest = (*link)->users == 0 ? link : oldest;
        }
        if (oldest == NULL) {
            return;
        }
        mapping_remove(oldest);
        peers->idle--;
    }
}

/* Find a chunk, and put it first. */
static struct symm_arena_mapping *mapping_use(struct symm_arena_peers *peers, const char *owner,
                                              uint32_t chunk)
{
    struct symm_arena_mapping **link = &peers->mappings, *found;
    while ((found = *link) != NULL &&
           (found->chunk != chunk || strcmp(found->owner, owner) != 0)) {
        link = &found->next;
    }
    if (found == NULL) {
        return NULL;
    }
    *link = found->next;
    found->next = peers->mappings;
    peers->mappings = found;
    peers->idle -= found->users == 0;
    found->users++;
    return found;
}

struct symm_arena_mapping *symm_arena_peers_get(struct symm_arena_peers *peers, const char *owner,
                                                uint32_t chunk)
{
    (void)pthread_mutex_lock(&peers->mutex);
    struct symm_arena_mapping *found = mapping_use(peers, owner, chunk);
    (void)pthread_mutex_unlock(&peers->mutex);
    return found;
}

static enum symm_status chunk_map(const struct symm_object *object, void **memory)
{
    enum symm_status status = symm_memfd_check(object->descriptor, object->size);
    if (status == SYMM_OK) {
        status = symm_headroom_take(object->size);
    }
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_memfd_map(object->descriptor, object->size, memory);
    if (status != SYMM_OK) {
        symm_headroom_give();
    }
    return status;
}

static enum symm_status mapping_make(struct symm_arena_peers *peers, const char *owner,
                                     uint32_t chunk, const struct symm_object *object,
                                     struct symm_arena_mapping **mapping)
{
    struct symm_arena_mapping *made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = chunk_map(object, &made->memory);
    if (status == SYMM_ERR_NO_MEMORY && peers->idle > 0) {
        idle_reduce(peers, 0);
        status = chunk_map(object, &made->memory);
    }
    if (status != SYMM_OK) {
        free(made);
        return status;
    }
    (void)strncpy(made->owner, owner, sizeof(made->owner) - 1);
    made->chunk = chunk;
    made->size = object->size;
    made->users = 1;
    made->next = peers->mappings;
    peers->mappings = made;
    *mapping = made;
    return SYMM_OK;
}

enum symm_status symm_arena_peers_add(struct symm_arena_peers *peers, const char *owner,
                                      uint32_t chunk, const struct symm_object *object,
                                      struct symm_arena_mapping **mapping)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&peers->mutex);
    *mapping = mapping_use(peers, owner, chunk);
    if (*mapping == NULL) {
        status = mapping_make(peers, owner, chunk, object, mapping);
    }
    (void)pthread_mutex_unlock(&peers->mutex);
    return status;
}

void symm_arena_peers_put(struct symm_arena_peers *peers, struct symm_arena_mapping *mapping)
{
    (void)pthread_mutex_lock(&peers->mutex);
    if (--mapping->users == 0) {
        peers->idle++;
        idle_reduce(peers, SYMM_ARENA_IDLE);
    }
    (void)pthread_mutex_unlock(&peers->mutex);
}
