/*
 * device/rooms.c - see device/rooms.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/device/rooms.h"

#include <pthread.h>

#include "heap/gpu/cuda_device.h"
#include "heap/team/process.h"
#include "mca/coll/symm/base/component.h"

enum {
    ROOMS = 16,
    UNIT = 1 << 20,
    STEP = 64 << 20,
    CALLS_UNTIL_RETRY = 100, /* a full device may have room later, but asking takes time */
};

struct room {
    struct symm_heap *heap;
    void *memory; /* NULL: this is no room */
    size_t size;
    bool taken;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct room rooms[SYMM_CUDA_DEVICES_MAX][ROOMS];
static int calls_until_retry[SYMM_CUDA_DEVICES_MAX];

/* Sizes are few, so that buffers which grow little by little do not each want a new room. */
static size_t size_round(size_t bytes)
{
    size_t size = UNIT;
    while (size < bytes && size < STEP) {
        size *= 2;
    }
    return size >= bytes ? size : (bytes + STEP - 1) / STEP * STEP;
}

static void room_free(struct room *room)
{
    (void)symm_heap_free(room->heap, room->memory);
    *room = (struct room){.memory = NULL};
}

/* The smallest free room that is large enough. */
static struct room *free_find(int device, size_t size)
{
    struct room *found = NULL;
    for (int i = 0; i < ROOMS; i++) {
        struct room *room = &rooms[device][i];
        if (room->memory != NULL && !room->taken && room->size >= size &&
            (found == NULL || room->size < found->size)) {
            found = room;
        }
    }
    return found;
}

static bool spare(int device)
{
    bool was_any = false;
    for (int i = 0; i < ROOMS; i++) {
        if (rooms[device][i].memory != NULL && !rooms[device][i].taken) {
            room_free(&rooms[device][i]);
            was_any = true;
        }
    }
    return was_any;
}

/* A place for a new room of this size, if one more may be had. */
static struct room *place_find(int device, size_t size)
{
    struct room *place = NULL;
    size_t sum = size;
    for (int i = 0; i < ROOMS; i++) {
        struct room *room = &rooms[device][i];
        place = place == NULL && room->memory == NULL ? room : place;
        sum += room->size;
    }
    return sum <= mca_coll_symm_component.device_packing ? place : NULL;
}

static enum symm_status room_alloc(int device, struct room *room, size_t size)
{
    enum symm_status status =
        symm_process_device_heap(mca_coll_symm_component.process, device, &room->heap);
    if (status == SYMM_OK) {
        status = symm_heap_alloc(room->heap, size, 0, &room->memory);
    }
    room->size = status == SYMM_OK ? size : 0;
    room->memory = status == SYMM_OK ? room->memory : NULL;
    return status;
}

/* Rooms that nobody uses make way, for the limit's sake or the device's. */
static struct room *room_make(int device, size_t size)
{
    struct room *room = place_find(device, size);
    if (calls_until_retry[device] > 0) {
        calls_until_retry[device]--;
        return NULL;
    }
    if (room == NULL && size <= mca_coll_symm_component.device_packing && spare(device)) {
        room = place_find(device, size);
    }
    if (room == NULL) {
        return NULL;
    }
    enum symm_status status = room_alloc(device, room, size);
    if (status == SYMM_ERR_NO_MEMORY && spare(device)) {
        status = room_alloc(device, room, size);
    }
    calls_until_retry[device] = status == SYMM_OK ? 0 : CALLS_UNTIL_RETRY;
    return status == SYMM_OK ? room : NULL;
}

void *mca_coll_symm_room_take(int device, size_t bytes)
{
    void *memory = NULL;
    (void)pthread_mutex_lock(&lock);
    size_t size = size_round(bytes);
    struct room *room = free_find(device, size);
    if (room == NULL) {
        room = room_make(device, size);
    }
    if (room != NULL) {
        room->taken = true;
        memory = room->memory;
    }
    (void)pthread_mutex_unlock(&lock);
    return memory;
}

/* A room that has been taken is over. */
static void room_end(int device, void *memory, bool keeps)
{
    (void)pthread_mutex_lock(&lock);
    for (int i = 0; i < ROOMS && memory != NULL; i++) {
        struct room *room = &rooms[device][i];
        if (room->memory == memory) {
            room->taken = false;
            if (!keeps) {
                room_free(room);
            }
        }
    }
    (void)pthread_mutex_unlock(&lock);
}

void mca_coll_symm_room_give(int device, void *room)
{
    room_end(device, room, true);
}

void mca_coll_symm_room_lose(int device, void *room)
{
    room_end(device, room, false);
}

bool mca_coll_symm_rooms_spare(int device)
{
    (void)pthread_mutex_lock(&lock);
    bool was_any = spare(device);
    (void)pthread_mutex_unlock(&lock);
    return was_any;
}

void mca_coll_symm_rooms_close(void)
{
    for (int device = 0; device < SYMM_CUDA_DEVICES_MAX; device++) {
        (void)spare(device);
    }
}
