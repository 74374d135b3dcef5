/*
 * heap_bindings.c - segments of a heap that are bound to multicast objects; see heap.h and
 * heap_bindings.h.
 *
 * A team that has bound a segment unbinds it at a time of its own, and another thread may free the
 * segment's last block before.  The heap therefore knows the bindings, and its mutex decides who
 * undoes one.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/heap_bindings.h"

/* With the mutex. */
static struct segment *segment_of(struct symm_heap *heap, const struct symm_location *location)
{
    struct segment *segment = symm_heap_segment_at(heap, location->offset);
    return segment != NULL && segment->serial == location->serial ? segment : NULL;
}

static void replica_fill(const struct symm_heap *heap, const struct segment *segment,
                         struct symm_replica *replica)
{
    *replica = (struct symm_replica){
        .handle = segment->handle,
        .size = segment->size,
        .location = {.offset = segment->offset, .serial = segment->serial,
                     .index = segment->index, .heap = heap->number},
    };
}

static enum symm_status bind_locked(struct symm_heap *heap, const struct symm_location *location,
                                    symm_handle object, int rank, struct symm_binding *binding)
{
    const struct segment *segment = segment_of(heap, location);
    if (segment == NULL) {
        return SYMM_ERR_NOT_FOUND;
    }
    *binding = (struct symm_binding){.object = object, .rank = rank};
    replica_fill(heap, segment, &binding->replica);
    enum symm_status status =
        heap->kind->multicast->bind(heap->kind, object, rank, &binding->replica);
    if (status == SYMM_OK) {
        binding->heap = heap;
        binding->next = heap->bindings;
        heap->bindings = binding;
    }
    return status;
}

enum symm_status symm_heap_bind(struct symm_heap *heap, const struct symm_location *location,
                                symm_handle object, int rank, struct symm_binding *binding)
{
    if (heap->kind->multicast == NULL) {
        return SYMM_ERR_NOT_FOUND;
    }
    (void)pthread_mutex_lock(&heap->mutex);
    enum symm_status status = bind_locked(heap, location, object, rank, binding);
    (void)pthread_mutex_unlock(&heap->mutex);
    return status;
}

/* With the mutex: the binding that *link points to. */
static void binding_end(struct symm_heap *heap, struct symm_binding **link)
{
    struct symm_binding *binding = *link;
    heap->kind->multicast->unbind(heap->kind, binding->object, binding->rank, &binding->replica);
    *link = binding->next;
}

void symm_heap_unbind(struct symm_binding *binding)
{
    struct symm_heap *heap = binding->heap;
    if (heap == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&heap->mutex);
    struct symm_binding **link = &heap->bindings;
    while (*link != NULL && *link != binding) {
        link = &(*link)->next;
    }
    if (*link != NULL) { /* otherwise its segment has gone */
        binding_end(heap, link);
    }
    (void)pthread_mutex_unlock(&heap->mutex);
    binding->heap = NULL;
}

void symm_heap_unbind_segment(struct symm_heap *heap, const struct segment *segment)
{
    struct symm_binding **link = &heap->bindings;
    while (*link != NULL) {
        if ((*link)->replica.location.serial == segment->serial) {
            binding_end(heap, link);
        } else {
            link = &(*link)->next;
        }
    }
}

enum symm_status symm_heap_segment(struct symm_heap *heap, const struct symm_location *location,
                                   struct symm_segment_place *place)
{
    (void)pthread_mutex_lock(&heap->mutex);
    const struct segment *segment = segment_of(heap, location);
    if (segment != NULL) {
        *place = (struct symm_segment_place){.offset = segment->offset, .size = segment->size,
                                             .device = heap->directory->device};
    }
    (void)pthread_mutex_unlock(&heap->mutex);
    return segment != NULL ? SYMM_OK : SYMM_ERR_NOT_FOUND;
}

const struct symm_kind *symm_heap_kind(const struct symm_heap *heap)
{
    return heap->kind;
}
