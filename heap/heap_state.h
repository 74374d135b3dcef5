/*
 * heap_state.h - what a heap holds, for the files that it is made of.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_HEAP_STATE_H
#define SYMM_HEAP_HEAP_STATE_H

#include <pthread.h>
#include <stdbool.h>

#include "heap/directory.h"
#include "heap/heap.h"

struct segment {
    uint64_t offset;
    size_t size;
    symm_handle handle;
    uint32_t serial; /* 0: it has gone, but its addresses cannot be used again */
    uint32_t index;  /* place in the directory */
};

struct symm_heap {
    const struct symm_kind *kind;
    uint32_t number; /* among the heaps of its process */
    struct symm_server *server;
    char *window;
    size_t window_size, segment_size;
    pthread_mutex_t mutex;
    struct symm_allocator *allocator;
    struct segment segments[SYMM_SEGMENTS_MAX]; /* by offset */
    size_t segment_count;
    uint32_t serial_last;
    void (*told)(void *data, uint32_t number); /* of segments that have been given back; or NULL */
    void *told_data;
    struct symm_binding *bindings; /* of segments to multicast objects */
    struct symm_directory *directory;
    int directory_descriptor;
};

/* With the mutex: the segment that holds `offset`; NULL if it lies in a gap. */
struct segment *symm_heap_segment_at(struct symm_heap *heap, uint64_t offset);

/* With the mutex, or when nobody else has the heap: the segment's memory is about to go. */
void symm_heap_unbind_segment(struct symm_heap *heap, const struct segment *segment);

#endif /* SYMM_HEAP_HEAP_STATE_H */
