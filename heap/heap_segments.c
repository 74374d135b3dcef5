/*
 * heap_segments.c - see heap_segments.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "heap/allocator.h"
#include "heap/heap_bindings.h"
#include "heap/heap_pages.h"
#include "heap/heap_segments.h"

/*
 * Segments double in size for every so many that exist, so that the directory is never the limit.
 */
enum { SEGMENTS_PER_DOUBLING = 64 };

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* Names of a heap's objects at the server: which heap, then which segment of it. */
struct symm_object_id symm_heap_object_id(const struct symm_heap *heap, uint32_t what,
                                          uint32_t number)
{
    struct symm_object_id id = {.what = what, .number = number, .heap = heap->number};
    (void)strncpy((char *)id.key, heap->kind->name, sizeof(id.key) - 1);
    return id;
}

/* ---- coming ---------------------------------------------------------------------------------- */

/*
 * The lowest gap of `size` bytes between segments.  *position: where it goes in the sorted array.
 */
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
        struct symm_object_id id = symm_heap_object_id(heap, SYMM_OBJECT_SEGMENT, segment->serial);
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
        struct symm_object_id id = symm_heap_object_id(heap, SYMM_OBJECT_SEGMENT, segment->serial);
        symm_server_withdraw(heap->server, &id);
    }
}

/* What a segment has that no block asks to be larger, where `others` exist. */
static size_t segment_usual_size(const struct symm_heap *heap, size_t others)
{
    return heap->segment_size << (others / SEGMENTS_PER_DOUBLING);
}

/* Whether a segment for `footprint` bytes can be smaller than usual. */
bool symm_heap_segment_can_be_tight(const struct symm_heap *heap, size_t footprint)
{
    return footprint <= segment_usual_size(heap, heap->segment_count) - heap->kind->granularity;
}

/*
 * Find a size and a place for a segment that holds `footprint` bytes: a tight fit where `tight`
 * says so, or the window has no room for more.
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
 * From a handle, mapped or not, to a segment with blocks.  After an error it may be mapped, and no
 * more than that.
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

enum symm_status symm_heap_segment_add(struct symm_heap *heap, size_t footprint, bool tight)
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
        symm_heap_pages_begin(heap, &segment, is_mapped);
        segment_insert(heap, position, &segment);
    } else if (segment_unmap(heap, &segment) != SYMM_OK) {
        segment.serial = 0;
        segment_insert(heap, position, &segment);
    }
    return status;
}

void symm_heap_segment_retire(struct symm_heap *heap, struct segment *segment)
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
bool symm_heap_segment_is_worth_keeping(const struct symm_heap *heap, const struct segment *segment)
{
    return heap->is_childs ||
           (symm_allocator_empty_segments(heap->allocator) == 1 &&
            segment->size <= segment_usual_size(heap, heap->segment_count - 1));
}

/* Give the spare back, if there is one. */
static bool spare_retire(struct symm_heap *heap)
{
    for (size_t i = 0; i < heap->segment_count && !heap->is_childs; i++) {
        struct segment *segment = &heap->segments[i];
        if (segment->serial != 0 &&
            symm_allocator_segment_is_empty(heap->allocator, segment->offset)) {
            symm_heap_segment_retire(heap, segment);
            return true;
        }
    }
    return false;
}

/* Give back what no block needs; false: there is nothing. */
bool symm_heap_shed(struct symm_heap *heap)
{
    bool had_spare = spare_retire(heap);
    return symm_heap_remains_end(heap) || had_spare; /* descriptors, too */
}

void symm_heap_segment_end(struct symm_heap *heap, struct segment *segment, int keep_memory)
{
    if (segment->serial == 0) {
        return;
    }
    symm_heap_pages_end(heap, segment);
    if (heap->server != NULL) {
        struct symm_object_id id = symm_heap_object_id(heap, SYMM_OBJECT_SEGMENT, segment->serial);
        symm_server_withdraw(heap->server, &id);
    }
    symm_heap_unbind_segment(heap, segment);
    if (!keep_memory) {
        (void)heap->kind->unmap(heap->kind, heap->window + segment->offset, segment->size);
    }
    heap->kind->release(heap->kind, segment->handle, segment->size, !keep_memory);
}
