/*
 * device/pack_buffers.c - see device/pack_buffers.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/device/pack_buffers.h"

#include <pthread.h>

#include "heap/gpu/cuda_device.h"
#include "heap/team/process.h"
#include "mca/coll/symm/base/component.h"

enum {
    BUFFERS = 16,
    UNIT = 1 << 20,
    STEP = 64 << 20,
    CALLS_UNTIL_RETRY = 100, /* a full device may have room later, but asking takes time */
};

struct buffer {
    struct symm_heap *heap;
    void *memory; /* NULL: this is no room */
    size_t size;
    bool taken;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer buffers[SYMM_CUDA_DEVICES_MAX][BUFFERS];
static int calls_until_retry[SYMM_CUDA_DEVICES_MAX];

/* Sizes are few, so that buffers which grow little by little do not each want a new buffer. */
static size_t size_round(size_t bytes)
{
    size_t size = UNIT;
    while (size < bytes && size < STEP) {
        size *= 2;
    }
    return size >= bytes ? size : (bytes + STEP - 1) / STEP * STEP;
}

static void buffer_free(struct buffer *buffer)
{
    (void)symm_heap_free(buffer->heap, buffer->memory);
    *buffer = (struct buffer){.memory = NULL};
}

/* The smallest free buffer that is large enough. */
static struct buffer *free_find(int device, size_t size)
{
    struct buffer *found = NULL;
    for (int i = 0; i < BUFFERS; i++) {
        struct buffer *buffer = &buffers[device][i];
        if (buffer->memory != NULL && !buffer->taken && buffer->size >= size &&
            (found == NULL || buffer->size < found->size)) {
            found = buffer;
        }
    }
    return found;
}

static bool spare(int device)
{
    bool was_any = false;
    for (int i = 0; i < BUFFERS; i++) {
        if (buffers[device][i].memory != NULL && !buffers[device][i].taken) {
            buffer_free(&buffers[device][i]);
            was_any = true;
        }
    }
    return was_any;
}

/* A place for a new buffer of this size, if one more may be had. */
static struct buffer *place_find(int device, size_t size)
{
    struct buffer *place = NULL;
    size_t sum = size;
    for (int i = 0; i < BUFFERS; i++) {
        struct buffer *buffer = &buffers[device][i];
        place = place == NULL && buffer->memory == NULL ? buffer : place;
        sum += buffer->size;
    }
    return sum <= mca_coll_symm_component.device_packing ? place : NULL;
}

static enum symm_status buffer_alloc(int device, struct buffer *buffer, size_t size)
{
    enum symm_status status =
        symm_process_device_heap(mca_coll_symm_component.process, device, &buffer->heap);
    if (status == SYMM_OK) {
        status = symm_heap_alloc(buffer->heap, size, 0, &buffer->memory);
    }
    buffer->size = status == SYMM_OK ? size : 0;
    buffer->memory = status == SYMM_OK ? buffer->memory : NULL;
    return status;
}

/* Rooms that nobody uses make way, for the limit's sake or the device's. */
static struct buffer *buffer_make(int device, size_t size)
{
    struct buffer *buffer = place_find(device, size);
    if (calls_until_retry[device] > 0) {
        calls_until_retry[device]--;
        return NULL;
    }
    if (buffer == NULL && size <= mca_coll_symm_component.device_packing && spare(device)) {
        buffer = place_find(device, size);
    }
    if (buffer == NULL) {
        return NULL;
    }
    enum symm_status status = buffer_alloc(device, buffer, size);
    if (status == SYMM_ERR_NO_MEMORY && spare(device)) {
        status = buffer_alloc(device, buffer, size);
    }
    calls_until_retry[device] = status == SYMM_OK ? 0 : CALLS_UNTIL_RETRY;
    return status == SYMM_OK ? buffer : NULL;
}

void *mca_coll_symm_pack_buffer_take(int device, size_t bytes)
{
    void *memory = NULL;
    (void)pthread_mutex_lock(&lock);
    size_t size = size_round(bytes);
    struct buffer *buffer = free_find(device, size);
    if (buffer == NULL) {
        buffer = buffer_make(device, size);
    }
    if (buffer != NULL) {
        buffer->taken = true;
        memory = buffer->memory;
    }
    (void)pthread_mutex_unlock(&lock);
    return memory;
}

/* A buffer that has been taken is over. */
static void buffer_end(int device, void *memory, bool keeps)
{
    (void)pthread_mutex_lock(&lock);
    for (int i = 0; i < BUFFERS && memory != NULL; i++) {
        struct buffer *buffer = &buffers[device][i];
        if (buffer->memory == memory) {
            buffer->taken = false;
            if (!keeps) {
                buffer_free(buffer);
            }
        }
    }
    (void)pthread_mutex_unlock(&lock);
}

void mca_coll_symm_pack_buffer_give(int device, void *buffer)
{
    buffer_end(device, buffer, true);
}

void mca_coll_symm_pack_buffer_lose(int device, void *buffer)
{
    buffer_end(device, buffer, false);
}

bool mca_coll_symm_pack_buffers_spare(int device)
{
    (void)pthread_mutex_lock(&lock);
    bool was_any = spare(device);
    (void)pthread_mutex_unlock(&lock);
    return was_any;
}

void mca_coll_symm_pack_buffers_close(void)
{
    for (int device = 0; device < SYMM_CUDA_DEVICES_MAX; device++) {
        (void)spare(device);
    }
}
