/*
 * heap.c - a window of address space, filled with segments as blocks are asked for.
 *
 * The heap decides where segments lie and how large they are; allocator.c decides where blocks lie
 * in them; the kind makes the memory.  One mutex serialises all of it: allocation is not on the
 * path of a collective, and locating a buffer holds the mutex for one binary search.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/allocator.h"
#include "heap/directory.h"
#include "heap/heap_pages.h"
#include "heap/heap_segments.h"
#include "heap/memfd.h"
#include "heap/server/fork_lock.h"
#include "heap/window.h"

static const size_t window_size_default = (size_t)256 << 30;

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* ---- life ---------------------------------------------------------------------------------- */

static enum symm_status directory_create(struct symm_heap *heap)
{
    void *address;
    size_t size = sizeof(struct symm_directory);
    enum symm_status status =
        symm_memfd_create("symm-directory", size, &heap->directory_descriptor);
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_memfd_map(heap->directory_descriptor, size, &address);
    if (status != SYMM_OK) {
        return status;
    }
    heap->directory = address;
    heap->directory->window_size = heap->window_size;
    if (heap->kind->describe != NULL) {
        heap->kind->describe(heap->kind, heap->directory->device, SYMM_DEVICE_TEXT_SIZE);
    }
    if (heap->server == NULL) {
        return SYMM_OK;
    }
    struct symm_object_id id = symm_heap_object_id(heap, SYMM_OBJECT_DIRECTORY, 0);
    struct symm_object object = {.descriptor = heap->directory_descriptor, .size = size};
    return symm_server_export(heap->server, &id, &object);
}

/*
 * The thread that gives memory back holds it for a microsecond at a time, and sleeping for that
 * costs much more: so spin a little, where the C library can.
 */
static void mutex_init(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    (void)pthread_mutexattr_init(&attributes);
#ifdef __GLIBC__
    (void)pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    (void)pthread_mutex_init(mutex, &attributes);
    (void)pthread_mutexattr_destroy(&attributes);
}

enum symm_status symm_heap_create(const struct symm_kind *kind, uint32_t number,
                                  struct symm_server *server,
                                  const struct symm_heap_config *config, struct symm_heap **heap)
{
    size_t window_size = config != NULL ? config->window_size : 0;
    size_t segment_size = config != NULL ? config->segment_size : 0;
    if (window_size % SYMM_ALIGNMENT_BIG != 0 || segment_size % SYMM_ALIGNMENT_BIG != 0) {
        return SYMM_ERR_ARGUMENT;
    }
    struct symm_heap *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    created->kind = kind;
    created->number = number;
    created->server = server;
    created->directory_descriptor = -1;
    created->segment_size =
        round_up(segment_size != 0 ? segment_size : symm_segment_size_usual, kind->granularity);
    mutex_init(&created->mutex);
    created->allocator = symm_allocator_create();
    enum symm_status status = created->allocator != NULL ? SYMM_OK : SYMM_ERR_NO_MEMORY;
    if (status == SYMM_OK) {
        created->window_size = round_up(window_size != 0 ? window_size : window_size_default,
                                        kind->granularity);
        status = symm_window_reserve(kind, &created->window_size, &created->window);
    }
    if (status == SYMM_OK) {
        status = directory_create(created);
    }
    if (status != SYMM_OK) {
        symm_heap_destroy(created, 0);
        return status;
    }
    *heap = created;
    return SYMM_OK;
}

void symm_heap_destroy(struct symm_heap *heap, int keep_memory)
{
    if (heap == NULL) {
        return;
    }
    for (size_t i = 0; i < heap->segment_count; i++) {
        symm_heap_segment_end(heap, &heap->segments[i], keep_memory);
    }
    (void)symm_heap_remains_end(heap);
    if (heap->window != NULL && !keep_memory) {
        heap->kind->unreserve(heap->kind, heap->window, heap->window_size);
    }
    if (heap->directory != NULL) {
        if (heap->server != NULL) {
            struct symm_object_id id = symm_heap_object_id(heap, SYMM_OBJECT_DIRECTORY, 0);
            symm_server_withdraw(heap->server, &id);
        }
        (void)munmap(heap->directory, sizeof(*heap->directory));
    }
    if (heap->directory_descriptor >= 0) {
        (void)close(heap->directory_descriptor);
    }
    symm_allocator_destroy(heap->allocator);
    (void)pthread_mutex_destroy(&heap->mutex);
    free(heap);
}

void symm_heap_on_retired(struct symm_heap *heap, void (*told)(void *data, uint32_t number),
                          void *data)
{
    heap->told = told;
    heap->told_data = data;
}

/* End a change that began when so many segments had been retired. */
static void heap_unlock(struct symm_heap *heap, uint32_t retired)
{
    bool news = symm_heap_retired(heap) != retired;
    symm_heap_unlock(heap);
    if (news && heap->told != NULL) {
        heap->told(heap->told_data, heap->number);
    }
}

bool symm_heap_fork_begin(struct symm_heap *heap)
{
    return symm_fork_lock(&heap->mutex);
}

/* The thread that gave a chunk back without the mutex is not there in the child. */
void symm_heap_fork_end(struct symm_heap *heap, bool is_held, bool is_child)
{
    if (is_child) {
        heap->is_childs = true;
        heap->reclaim.is_busy = false;
    }
    if (is_held) {
        (void)pthread_mutex_unlock(&heap->mutex);
    }
}

/* ---- blocks -------------------------------------------------------------------------------- */

enum symm_status symm_heap_alloc(struct symm_heap *heap, size_t size, size_t alignment,
                                 void **block)
{
    size_t footprint = symm_allocator_footprint(size, alignment);
    if (size == 0 || footprint == 0 || alignment > heap->kind->granularity) {
        return SYMM_ERR_ARGUMENT;
    }
    uint64_t offset;
    (void)pthread_mutex_lock(&heap->mutex);
    uint32_t retired = symm_heap_retired(heap);
    enum symm_status status = symm_allocator_alloc(heap->allocator, size, alignment, &offset);
    if (status == SYMM_ERR_NO_MEMORY) {
        status = symm_heap_segment_add(heap, footprint, false);
        if (status == SYMM_ERR_NO_MEMORY && symm_heap_shed(heap)) {
            status = symm_heap_segment_add(heap, footprint, false);
        }
        /* A device that is nearly full may have room for the block alone. */
        if (status == SYMM_ERR_NO_MEMORY && symm_heap_segment_can_be_tight(heap, footprint)) {
            status = symm_heap_segment_add(heap, footprint, true);
        }
        if (status == SYMM_OK) {
            status = symm_allocator_alloc(heap->allocator, size, alignment, &offset);
        }
    }
    if (status == SYMM_OK) {
        symm_heap_pages_use(heap, offset, size);
    }
    heap_unlock(heap, retired);
    if (status == SYMM_OK) {
        *block = heap->window + offset;
    }
    return status;
}

static bool window_offset(const struct symm_heap *heap, const void *address, uint64_t *offset)
{
    *offset = (uint64_t)((uintptr_t)address - (uintptr_t)heap->window);
    return *offset < heap->window_size;
}

enum symm_status symm_heap_clear(struct symm_heap *heap, void *memory, size_t size)
{
    if (heap->kind->clear != NULL) {
        return heap->kind->clear(heap->kind, memory, size);
    }
    memset(memory, 0, size);
    return SYMM_OK;
}

enum symm_status symm_heap_free(struct symm_heap *heap, void *block)
{
    uint64_t offset;
    if (!window_offset(heap, block, &offset)) {
        return SYMM_ERR_FOREIGN;
    }
    uint32_t serial;
    bool segment_empty;
    (void)pthread_mutex_lock(&heap->mutex);
    uint32_t retired = symm_heap_retired(heap);
    size_t size = symm_allocator_block_size(heap->allocator, offset);
    enum symm_status status = symm_allocator_free(heap->allocator, offset, &serial, &segment_empty);
    if (status == SYMM_ERR_FOREIGN) {
        status = SYMM_ERR_FREED; /* inside the window: its segment has been given back */
    }
    if (status == SYMM_OK) {
        symm_heap_pages_leave(heap, offset, size);
    }
    if (status == SYMM_OK && segment_empty) {
        struct segment *segment = symm_heap_segment_at(heap, offset);
        if (!symm_heap_segment_is_worth_keeping(heap, segment)) {
            symm_heap_segment_retire(heap, segment);
        }
    }
    heap_unlock(heap, retired);
    return status;
}

enum symm_status symm_heap_locate(struct symm_heap *heap, const void *address, size_t size,
                                  struct symm_location *location)
{
    uint64_t offset;
    if (!window_offset(heap, address, &offset)) {
        return SYMM_ERR_FOREIGN;
    }
    enum symm_status status = SYMM_ERR_FOREIGN;
    (void)pthread_mutex_lock(&heap->mutex);
    const struct segment *segment = symm_heap_segment_at(heap, offset);
    if (segment != NULL && size <= segment->size - (offset - segment->offset)) {
        *location = (struct symm_location){
            .offset = offset, .serial = segment->serial, .index = segment->index,
            .heap = heap->number};
        status = SYMM_OK;
    }
    (void)pthread_mutex_unlock(&heap->mutex);
    return status;
}

int symm_heap_device(const struct symm_heap *heap)
{
    return heap->kind->device;
}

uint32_t symm_heap_retired(struct symm_heap *heap)
{
    return atomic_load_explicit(&heap->directory->retired, memory_order_acquire);
}

void *symm_heap_address(const struct symm_heap *heap, uint64_t offset)
{
    return heap->window + offset;
}

void symm_heap_get_stats(struct symm_heap *heap, struct symm_heap_stats *stats)
{
    (void)pthread_mutex_lock(&heap->mutex);
    *stats = (struct symm_heap_stats){
        .window_size = heap->window_size,
        .blocks = symm_allocator_blocks(heap->allocator),
        .block_bytes = symm_allocator_block_bytes(heap->allocator),
        .segments_retired = symm_heap_retired(heap),
    };
    for (size_t i = 0; i < heap->segment_count; i++) {
        bool exists = heap->segments[i].serial != 0;
        stats->segments += exists;
        stats->segment_bytes += exists ? heap->segments[i].size : 0;
    }
    (void)pthread_mutex_unlock(&heap->mutex);
}
