/*
 * heap.c - a window of address space, filled with segments as blocks are asked for.
 *
 * The heap decides where segments lie and how large they are; allocator.c decides where blocks lie in
 * them; the kind makes the memory.  One mutex serialises all of it: allocation is not on the path of a
 * collective, and locating a buffer holds the mutex for one binary search.
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
#include "heap/heap_state.h"
#include "heap/memfd.h"
#include "heap/window.h"

static const size_t window_size_default = (size_t)256 << 30;

/* Segments double in size for every so many that exist, so that the directory is never the limit. */
enum { SEGMENTS_PER_DOUBLING = 64 };

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* Names of a heap's objects at the server: which heap, then which segment of it. */
static struct symm_object_id object_id(const struct symm_heap *heap, uint32_t what, uint32_t number)
{
    struct symm_object_id id = {.what = what, .number = number, .heap = heap->number};
    (void)strncpy((char *)id.key, heap->kind->name, sizeof(id.key) - 1);
    return id;
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
    struct symm_object_id id = object_id(heap, SYMM_OBJECT_DIRECTORY, 0);
    struct symm_object object = {.descriptor = heap->directory_descriptor, .size = size};
    return symm_server_export(heap->server, &id, &object);
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
    (void)pthread_cond_init(&created->reclaim.settled, NULL);
    (void)pthread_mutex_init(&created->mutex, NULL);
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

static void segment_end(struct symm_heap *heap, struct segment *segment, int keep_memory)
{
    if (segment->serial == 0) {
        return;
    }
    symm_heap_pages_end(heap, segment);
    if (heap->server != NULL) {
        struct symm_object_id id = object_id(heap, SYMM_OBJECT_SEGMENT, segment->serial);
        symm_server_withdraw(heap->server, &id);
    }
    symm_heap_unbind_segment(heap, segment);
    if (!keep_memory) {
        (void)heap->kind->unmap(heap->kind, heap->window + segment->offset, segment->size);
    }
    heap->kind->release(heap->kind, segment->handle, segment->size, !keep_memory);
}

void symm_heap_destroy(struct symm_heap *heap, int keep_memory)
{
    if (heap == NULL) {
        return;
    }
    for (size_t i = 0; i < heap->segment_count; i++) {
        segment_end(heap, &heap->segments[i], keep_memory);
    }
    (void)symm_heap_remains_end(heap);
    if (heap->window != NULL && !keep_memory) {
        heap->kind->unreserve(heap->kind, heap->window, heap->window_size);
    }
    if (heap->directory != NULL) {
        if (heap->server != NULL) {
            struct symm_object_id id = object_id(heap, SYMM_OBJECT_DIRECTORY, 0);
            symm_server_withdraw(heap->server, &id);
        }
        (void)munmap(heap->directory, sizeof(*heap->directory));
    }
    if (heap->directory_descriptor >= 0) {
        (void)close(heap->directory_descriptor);
    }
    symm_allocator_destroy(heap->allocator);
    (void)pthread_mutex_destroy(&heap->mutex);
    (void)pthread_cond_destroy(&heap->reclaim.settled);
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

/* ---- segments ------------------------------------------------------------------------------ */

/* The lowest gap of `size` bytes between segments.  *position: where it goes in the sorted array. */
static bool window_find_gap(const struct symm_heap *heap, size_t size, uint64_t *offset,
                            size_t *position)
{
    uint64_t start = 0;
    size_t i = 0;
    for (; i < heap->segment_count; i++) {
        if (heap->segments[i].offset - start >= size) {
            break;
        }
        start = heap->segments[i].offset + heap->segments[i].size;
    }
    *offset = start;
    *position = i;
    return i < heap->segment_count || heap->window_size - start >= size;
}

static uint32_t directory_find_place(const struct symm_heap *heap)
{
    uint32_t index = 0;
    while (atomic_load_explicit(&heap->directory->serial[index], memory_order_relaxed) != 0) {
        index++;
    }
    return index;
}

/* Give the segment to the server and the directory, from where peers take it. */
static enum symm_status segment_publish(struct symm_heap *heap, const struct segment *segment)
{
    if (heap->server != NULL) {
        struct symm_object object = {.size = segment->size, .detail = segment->offset};
        enum symm_status status =
            heap->kind->export_handle(heap->kind, segment->handle, &object.descriptor);
        if (status != SYMM_OK) {
            return status;
        }
        struct symm_object_id id = object_id(heap, SYMM_OBJECT_SEGMENT, segment->serial);
        status = symm_server_export(heap->server, &id, &object);
        (void)close(object.descriptor);
        if (status != SYMM_OK) {
            return status;
        }
    }
    atomic_store_explicit(&heap->directory->serial[segment->index], segment->serial,
                          memory_order_release);
    return SYMM_OK;
}

static void segment_withdraw(struct symm_heap *heap, const struct segment *segment)
{
    atomic_store_explicit(&heap->directory->serial[segment->index], 0, memory_order_release);
    if (heap->server != NULL) {
        struct symm_object_id id = object_id(heap, SYMM_OBJECT_SEGMENT, segment->serial);
        symm_server_withdraw(heap->server, &id);
    }
}

/* What a segment has that no block asks to be larger, where `others` exist. */
static size_t segment_usual_size(const struct symm_heap *heap, size_t others)
{
    return heap->segment_size << (others / SEGMENTS_PER_DOUBLING);
}

/* Whether a segment for `footprint` bytes can be smaller than usual. */
static bool segment_can_be_tight(const struct symm_heap *heap, size_t footprint)
{
    return footprint <= segment_usual_size(heap, heap->segment_count) - heap->kind->granularity;
}

/*
 * Find a size and a place for a segment that holds `footprint` bytes: a tight fit where `tight` says so, or
 * the window has no room for more.
 */
static bool segment_place(const struct symm_heap *heap, size_t footprint, bool tight,
                          struct segment *segment, size_t *position)
{
    if (heap->segment_count == SYMM_SEGMENTS_MAX ||
        footprint > SIZE_MAX - heap->kind->granularity) {
        return false;
    }
    size_t least = round_up(footprint, heap->kind->granularity);
    size_t usual = segment_usual_size(heap, heap->segment_count);
    segment->size = tight || least > usual ? least : usual;
    if (window_find_gap(heap, segment->size, &segment->offset, position)) {
        return true;
    }
    segment->size = least;
    return window_find_gap(heap, least, &segment->offset, position);
}

static void segment_insert(struct symm_heap *heap, size_t position, const struct segment *segment)
{
    memmove(&heap->segments[position + 1], &heap->segments[position],
            (heap->segment_count - position) * sizeof(*segment));
    heap->segments[position] = *segment;
    heap->segment_count++;
}

/* Unmap a segment that is not published, and let go of its memory. */
static enum symm_status segment_unmap(const struct symm_heap *heap, const struct segment *segment)
{
    enum symm_status status =
        heap->kind->unmap(heap->kind, heap->window + segment->offset, segment->size);
    heap->kind->release(heap->kind, segment->handle, segment->size, 1);
    return status;
}

/*
 * From a handle, mapped or not, to a segment with blocks.  After an error it may be mapped, and no more than that.
 */
static enum symm_status segment_open(struct symm_heap *heap, const struct segment *segment,
                                     bool is_mapped)
{
    void *address = heap->window + segment->offset;
    enum symm_status status = SYMM_OK;
    if (!is_mapped) {
        status = heap->kind->map(heap->kind, address, segment->size, segment->handle, 1);
    }
    if (status == SYMM_OK && heap->kind->clear != NULL) {
        status = heap->kind->clear(heap->kind, address, segment->size);
    }
    if (status == SYMM_OK) {
        status = segment_publish(heap, segment);
    }
    if (status == SYMM_OK) {
        status = symm_allocator_add_segment(heap->allocator, segment->serial, segment->offset,
                                            segment->size);
        if (status != SYMM_OK) {
            segment_withdraw(heap, segment);
        }
    }
    return status;
}

static enum symm_status segment_add(struct symm_heap *heap, size_t footprint, bool tight)
{
    struct segment segment = {.index = 0};
    size_t position;
    if (!segment_place(heap, footprint, tight, &segment, &position)) {
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = SYMM_OK;
    bool is_mapped = symm_heap_remains_take(heap, &segment);
    if (!is_mapped) {
        status = heap->kind->create(heap->kind, segment.size, &segment.handle);
    }
    if (status != SYMM_OK) {
        return status;
    }
    segment.serial = heap->serial_last + 1;
    segment.index = directory_find_place(heap);
    status = segment_open(heap, &segment, is_mapped);
    if (status == SYMM_OK) {
        heap->serial_last = segment.serial;
        symm_heap_pages_begin(heap, &segment);
        segment_insert(heap, position, &segment);
    } else if (segment_unmap(heap, &segment) != SYMM_OK) {
        segment.serial = 0;
        segment_insert(heap, position, &segment);
    }
    return status;
}

struct segment *symm_heap_segment_at(struct symm_heap *heap, uint64_t offset)
{
    size_t low = 0, high = heap->segment_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        struct segment *segment = &heap->segments[middle];
        if (offset < segment->offset) {
            high = middle;
        } else if (offset - segment->offset >= segment->size) {
            low = middle + 1;
        } else {
            return segment->serial != 0 ? segment : NULL;
        }
    }
    return NULL;
}

static void segment_retire(struct symm_heap *heap, struct segment *segment)
{
    segment_withdraw(heap, segment);
    atomic_fetch_add_explicit(&heap->directory->retired, 1, memory_order_release);
    symm_allocator_remove_segment(heap->allocator, segment->offset);
    symm_heap_unbind_segment(heap, segment);
    symm_heap_pages_end(heap, segment);
    if (!symm_heap_remains_leave(heap, segment) && segment_unmap(heap, segment) != SYMM_OK) {
        segment->serial = 0;
        return;
    }
    size_t position = (size_t)(segment - heap->segments);
    heap->segment_count--;
    memmove(segment, segment + 1, (heap->segment_count - position) * sizeof(*segment));
}

/*
 * One empty segment of the usual size is kept as a spare: programs allocate and free in loops, and
 * making a segment anew costs system calls here and in every peer.
 */
static bool segment_worth_keeping(const struct symm_heap *heap, const struct segment *segment)
{
    return symm_allocator_empty_segments(heap->allocator) == 1 &&
           segment->size <= segment_usual_size(heap, heap->segment_count - 1);
}

/* Give the spare back, if there is one. */
static bool spare_retire(struct symm_heap *heap)
{
    for (size_t i = 0; i < heap->segment_count; i++) {
        struct segment *segment = &heap->segments[i];
        if (segment->serial != 0 &&
            symm_allocator_segment_is_empty(heap->allocator, segment->offset)) {
            segment_retire(heap, segment);
            return true;
        }
    }
    return false;
}

/* Give back what no block needs; false: there is nothing. */
static bool shed(struct symm_heap *heap)
{
    bool had_spare = spare_retire(heap);
    return symm_heap_remains_end(heap) || had_spare; /* descriptors, too */
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
        status = segment_add(heap, footprint, false);
        if (status == SYMM_ERR_NO_MEMORY && shed(heap)) {
            status = segment_add(heap, footprint, false);
        }
        /* A device that is nearly full may have room for the block alone. */
        if (status == SYMM_ERR_NO_MEMORY && segment_can_be_tight(heap, footprint)) {
            status = segment_add(heap, footprint, true);
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
        if (!segment_worth_keeping(heap, segment)) {
            segment_retire(heap, segment);
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
