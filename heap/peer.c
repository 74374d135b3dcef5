/*
 * peer.c - see peer.h.
 *
 * Several communicators, in several threads, may want segments of one peer at a time.  A peer has
 * one request under way at most, guarded by its mutex, and whichever thread comes by drives the
 * request: so a request never depends on the thread that began it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/directory.h"
#include "heap/headroom.h"
#include "heap/memfd.h"
#include "heap/peer.h"
#include "heap/server/request.h"

struct mapping {
    uint32_t serial; /* 0: nothing mapped */
    uint64_t offset;
    size_t size;
};

struct symm_peer {
    const struct symm_kind *kind;
    uint32_t heap; /* its number in the peer */
    char name[SYMM_NAME_SIZE];
    const char *own_name;
    pthread_mutex_t mutex;
    char *window; /* NULL until the directory is there */
    size_t window_size;
    const struct symm_directory *directory;
    uint32_t retired_seen;
    struct symm_request request;
    struct symm_location wanted; /* what the request is for; serial 0: the directory */
    struct mapping mappings[SYMM_SEGMENTS_MAX]; /* at their places in the peer's directory */
};

enum symm_status symm_peer_create(const struct symm_kind *kind, const char *own_name,
                                  const char *name, uint32_t heap, struct symm_peer **peer)
{
    struct symm_peer *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    created->kind = kind;
    created->heap = heap;
    created->own_name = own_name;
    (void)strncpy(created->name, name, sizeof(created->name) - 1);
    (void)pthread_mutex_init(&created->mutex, NULL);
    *peer = created;
    return SYMM_OK;
}

static void mapping_remove(struct symm_peer *peer, struct mapping *mapping)
{
    if (mapping->serial != 0) {
        (void)peer->kind->unmap(peer->kind, peer->window + mapping->offset, mapping->size);
        mapping->serial = 0;
    }
}

void symm_peer_destroy(struct symm_peer *peer)
{
    if (peer == NULL) {
        return;
    }
    symm_request_cancel(&peer->request);
    for (size_t i = 0; i < SYMM_SEGMENTS_MAX; i++) {
        mapping_remove(peer, &peer->mappings[i]);
    }
    if (peer->window != NULL) {
        peer->kind->unreserve(peer->kind, peer->window, peer->window_size);
        symm_headroom_give();
    }
    if (peer->directory != NULL) {
        (void)munmap((void *)(uintptr_t)peer->directory, sizeof(*peer->directory));
    }
    (void)pthread_mutex_destroy(&peer->mutex);
    free(peer);
}

static void request_begin(struct symm_peer *peer, const struct symm_location *wanted)
{
    struct symm_object_id id = {
        .what = wanted->serial != 0 ? SYMM_OBJECT_SEGMENT : SYMM_OBJECT_DIRECTORY,
        .number = wanted->serial,
        .heap = peer->heap,
    };
    (void)strncpy((char *)id.key, peer->kind->name, sizeof(id.key) - 1);
    symm_request_begin(&peer->request, peer->name, &id);
    peer->request.requester = peer->own_name;
    peer->wanted = *wanted;
}

static enum symm_status directory_attach(struct symm_peer *peer, const struct symm_object *object)
{
    void *address = NULL, *window = NULL;
    if (object->size != sizeof(struct symm_directory)) {
        return SYMM_ERR_PROTOCOL;
    }
    enum symm_status status =
        symm_memfd_check(object->descriptor, sizeof(struct symm_directory));
    if (status == SYMM_OK) {
        status = symm_memfd_map(object->descriptor, sizeof(struct symm_directory), &address);
    }
    if (status != SYMM_OK) {
        return status;
    }
    const struct symm_directory *directory = address;
    size_t window_size = directory->window_size;
    status = symm_headroom_take(window_size);
    if (status == SYMM_OK) {
        status = peer->kind->reserve(peer->kind, window_size, &window);
        if (status != SYMM_OK) {
            symm_headroom_give();
        }
    }
    if (status != SYMM_OK) {
        (void)munmap(address, sizeof(struct symm_directory));
        return status;
    }
    peer->directory = directory;
    peer->window = window;
    peer->window_size = window_size;
    return SYMM_OK;
}

static void collect_retired(struct symm_peer *peer)
{
    for (size_t i = 0; i < SYMM_SEGMENTS_MAX; i++) {
        uint32_t alive =
            atomic_load_explicit(&peer->directory->serial[i], memory_order_acquire);
        if (peer->mappings[i].serial != alive) {
            mapping_remove(peer, &peer->mappings[i]);
        }
    }
}

static enum symm_status segment_attach(struct symm_peer *peer, const struct symm_object *object)
{
    struct mapping mapping = {
        .serial = peer->wanted.serial, .offset = object->detail, .size = object->size};
    if (mapping.offset >= peer->window_size || mapping.size > peer->window_size - mapping.offset) {
        return SYMM_ERR_PROTOCOL;
    }
    symm_handle handle;
    enum symm_status status =
        peer->kind->import_handle(peer->kind, object->descriptor, mapping.size, &handle);
    if (status != SYMM_OK) {
        return status;
    }
    /* A new segment may lie where a retired one is still mapped. */
    collect_retired(peer);
    status = peer->kind->map(peer->kind, peer->window + mapping.offset, mapping.size, handle, 0);
    /* The mapping holds the memory; handles are descriptors, of which programs need theirs. */
    peer->kind->release(peer->kind, handle, mapping.size, 0);
    if (status == SYMM_OK) {
        peer->mappings[peer->wanted.index] = mapping;
    }
    return status;
}

/* Drive the request that is under way; map what it brings. */
static enum symm_status request_advance(struct symm_peer *peer)
{
    struct symm_object object;
    enum symm_status status = symm_request_test(&peer->request, &object);
    if (status == SYMM_OK) {
        status = peer->wanted.serial != 0 ? segment_attach(peer, &object)
                                          : directory_attach(peer, &object);
        (void)close(object.descriptor);
    }
    return status;
}

static enum symm_status map_locked(struct symm_peer *peer, const struct symm_location *location)
{
    const struct symm_location directory = {.serial = 0};
    while (peer->mappings[location->index].serial != location->serial) {
        const struct symm_location *wanted = peer->directory != NULL ? location : &directory;
        if (!peer->request.under_way) {
            request_begin(peer, wanted);
        }
        bool ours = peer->wanted.serial == wanted->serial;
        enum symm_status status = request_advance(peer);
        if (status == SYMM_PENDING || (status != SYMM_OK && ours)) {
            return status; /* another's failure is for the other to find */
        }
    }
    return SYMM_OK;
}

enum symm_status symm_peer_map(struct symm_peer *peer, const struct symm_location *location)
{
    if (location->index >= SYMM_SEGMENTS_MAX || location->serial == 0 ||
        location->heap != peer->heap) {
        return SYMM_ERR_PROTOCOL;
    }
    (void)pthread_mutex_lock(&peer->mutex);
    enum symm_status status = map_locked(peer, location);
    (void)pthread_mutex_unlock(&peer->mutex);
    return status;
}

enum symm_status symm_peer_segment(struct symm_peer *peer, const struct symm_location *location,
                                   struct symm_segment_place *place)
{
    enum symm_status status = SYMM_ERR_NOT_FOUND;
    if (location->index >= SYMM_SEGMENTS_MAX || location->serial == 0) {
        return status;
    }
    (void)pthread_mutex_lock(&peer->mutex);
    const struct mapping *mapping = &peer->mappings[location->index];
    if (mapping->serial == location->serial) {
        *place = (struct symm_segment_place){.offset = mapping->offset, .size = mapping->size,
                                             .device = peer->directory->device};
        status = SYMM_OK;
    }
    (void)pthread_mutex_unlock(&peer->mutex);
    return status;
}

void symm_peer_describe_device(struct symm_peer *peer, char *text, size_t size)
{
    (void)pthread_mutex_lock(&peer->mutex);
    if (peer->directory != NULL && peer->directory->device[0] != '\0') {
        (void)snprintf(text, size, "%.*s", SYMM_DEVICE_TEXT_SIZE - 1, peer->directory->device);
    }
    (void)pthread_mutex_unlock(&peer->mutex);
}

void *symm_peer_address(struct symm_peer *peer, uint64_t offset)
{
    return peer->window + offset;
}

static void collect_news(struct symm_peer *peer, uint32_t retired)
{
    if (peer->retired_seen != retired) {
        collect_retired(peer);
        peer->retired_seen = retired;
    }
}

void symm_peer_collect(struct symm_peer *peer, uint32_t retired)
{
    (void)pthread_mutex_lock(&peer->mutex);
    if (peer->directory != NULL) {
        collect_news(peer, retired);
    }
    (void)pthread_mutex_unlock(&peer->mutex);
}

void symm_peer_refresh(struct symm_peer *peer)
{
    (void)pthread_mutex_lock(&peer->mutex);
    if (peer->directory != NULL) {
        collect_news(peer,
                     atomic_load_explicit(&peer->directory->retired, memory_order_acquire));
    }
    (void)pthread_mutex_unlock(&peer->mutex);
}
