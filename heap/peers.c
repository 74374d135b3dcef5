/*
 * peers.c - see peers.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "heap/peers.h"
#include "heap/server/socket.h"

struct symm_peers_entry {
    char name[SYMM_NAME_SIZE];
    uint32_t heap;
    struct symm_peer *peer;
    unsigned users;
    struct symm_peers_entry *next;
};

void symm_peers_begin(struct symm_peers *peers)
{
    (void)pthread_mutex_init(&peers->mutex, NULL);
    peers->entries = NULL;
}

static void entry_remove(struct symm_peers_entry **link)
{
    struct symm_peers_entry *entry = *link;
    *link = entry->next;
    symm_peer_destroy(entry->peer);
    free(entry);
}

void symm_peers_end(struct symm_peers *peers)
{
    while (peers->entries != NULL) {
        entry_remove(&peers->entries);
    }
    (void)pthread_mutex_destroy(&peers->mutex);
}

static enum symm_status entry_create(const struct symm_kind *kind, const char *own_name,
                                     const char *name, uint32_t heap,
                                     struct symm_peers_entry **entry)
{
    struct symm_peers_entry *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    created->heap = heap;
    (void)strncpy(created->name, name, sizeof(created->name) - 1);
    enum symm_status status = symm_peer_create(kind, own_name, name, heap, &created->peer);
    if (status != SYMM_OK) {
        free(created);
        return status;
    }
    *entry = created;
    return SYMM_OK;
}

static struct symm_peers_entry *entry_find(struct symm_peers *peers, const char *name,
                                           uint32_t heap)
{
    struct symm_peers_entry *entry = peers->entries;
    while (entry != NULL && (entry->heap != heap || strcmp(entry->name, name) != 0)) {
        entry = entry->next;
    }
    return entry;
}

bool symm_peers_get_known(struct symm_peers *peers, const char *name, uint32_t heap,
                          struct symm_peer **peer)
{
    (void)pthread_mutex_lock(&peers->mutex);
    struct symm_peers_entry *entry = entry_find(peers, name, heap);
    if (entry != NULL) {
        entry->users++;
        *peer = entry->peer;
    }
    (void)pthread_mutex_unlock(&peers->mutex);
    return entry != NULL;
}

enum symm_status symm_peers_get(struct symm_peers *peers, const struct symm_kind *kind,
                                const char *own_name, const char *name, uint32_t heap,
                                struct symm_peer **peer)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&peers->mutex);
    struct symm_peers_entry *entry = entry_find(peers, name, heap);
    if (entry == NULL) {
        status = entry_create(kind, own_name, name, heap, &entry);
        if (status == SYMM_OK) {
            entry->next = peers->entries;
            peers->entries = entry;
        }
    }
    if (status == SYMM_OK) {
        entry->users++;
        *peer = entry->peer;
    }
    (void)pthread_mutex_unlock(&peers->mutex);
    return status;
}

void symm_peers_put(struct symm_peers *peers, struct symm_peer *peer)
{
    (void)pthread_mutex_lock(&peers->mutex);
    struct symm_peers_entry **link = &peers->entries;
    while (*link != NULL && (*link)->peer != peer) {
        link = &(*link)->next;
    }
    if (*link != NULL && --(*link)->users == 0) {
        entry_remove(link);
    }
    (void)pthread_mutex_unlock(&peers->mutex);
}

void symm_peers_collect(struct symm_peers *peers)
{
    (void)pthread_mutex_lock(&peers->mutex);
    for (struct symm_peers_entry *entry = peers->entries; entry != NULL; entry = entry->next) {
        if (entry->heap != 0) {
            symm_peer_refresh(entry->peer);
        }
    }
    (void)pthread_mutex_unlock(&peers->mutex);
}
