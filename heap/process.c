/*
 * process.c - see process.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "heap/process.h"

struct peer_entry {
    char name[SYMM_SOCKET_NAME_SIZE];
    struct symm_peer *peer;
    unsigned users;
    struct peer_entry *next;
};

struct symm_process {
    unsigned users;
    struct symm_server *server;
    struct symm_heap *heap;
    pthread_mutex_t peers_mutex;
    struct peer_entry *peers;
};

static pthread_mutex_t instance_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct symm_process *instance;

static void process_destroy(struct symm_process *process)
{
    while (process->peers != NULL) {
        struct peer_entry *entry = process->peers;
        process->peers = entry->next;
        symm_peer_destroy(entry->peer);
        free(entry);
    }
    symm_heap_destroy(process->heap, 1);
    symm_server_destroy(process->server);
    (void)pthread_mutex_destroy(&process->peers_mutex);
    free(process);
}

static enum symm_status process_create(const struct symm_heap_config *config,
                                       struct symm_process **process)
{
    struct symm_process *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    (void)pthread_mutex_init(&created->peers_mutex, NULL);
    enum symm_status status = symm_server_create(&created->server);
    if (status == SYMM_OK) {
        status = symm_heap_create(&symm_kind_host, created->server, config, &created->heap);
    }
    if (status != SYMM_OK) {
        process_destroy(created);
        return status;
    }
    *process = created;
    return SYMM_OK;
}

enum symm_status symm_process_acquire(const struct symm_heap_config *config,
                                      struct symm_process **process)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&instance_mutex);
    if (instance == NULL) {
        status = process_create(config, &instance);
    }
    if (status == SYMM_OK) {
        instance->users++;
        *process = instance;
    }
    (void)pthread_mutex_unlock(&instance_mutex);
    return status;
}

void symm_process_release(struct symm_process *process)
{
    (void)pthread_mutex_lock(&instance_mutex);
    if (--process->users == 0) {
        process_destroy(process);
        instance = NULL;
    }
    (void)pthread_mutex_unlock(&instance_mutex);
}

struct symm_server *symm_process_server(struct symm_process *process)
{
    return process->server;
}

const char *symm_process_name(const struct symm_process *process)
{
    return symm_server_name(process->server);
}

enum symm_status symm_process_serve(struct symm_process *process)
{
    return symm_server_start_thread(process->server);
}

struct symm_heap *symm_process_heap(struct symm_process *process)
{
    return process->heap;
}

static enum symm_status peer_entry_create(const char *name, struct peer_entry **entry)
{
    struct peer_entry *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    (void)strncpy(created->name, name, sizeof(created->name) - 1);
    enum symm_status status = symm_peer_create(&symm_kind_host, name, &created->peer);
    if (status != SYMM_OK) {
        free(created);
        return status;
    }
    *entry = created;
    return SYMM_OK;
}

enum symm_status symm_process_get_peer(struct symm_process *process, const char *name,
                                       struct symm_peer **peer)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&process->peers_mutex);
    struct peer_entry *entry = process->peers;
    while (entry != NULL && strcmp(entry->name, name) != 0) {
        entry = entry->next;
    }
    if (entry == NULL) {
        status = peer_entry_create(name, &entry);
        if (status == SYMM_OK) {
            entry->next = process->peers;
            process->peers = entry;
        }
    }
    if (status == SYMM_OK) {
        entry->users++;
        *peer = entry->peer;
    }
    (void)pthread_mutex_unlock(&process->peers_mutex);
    return status;
}

void symm_process_put_peer(struct symm_process *process, struct symm_peer *peer)
{
    (void)pthread_mutex_lock(&process->peers_mutex);
    struct peer_entry **link = &process->peers;
    while (*link != NULL && (*link)->peer != peer) {
        link = &(*link)->next;
    }
    struct peer_entry *entry = *link;
    if (entry != NULL && --entry->users == 0) {
        *link = entry->next;
        symm_peer_destroy(entry->peer);
        free(entry);
    }
    (void)pthread_mutex_unlock(&process->peers_mutex);
}
