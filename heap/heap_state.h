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
#include "heap/pages.h"

struct segment {
    uint64_t offset;
    size_t size;
    symm_handle handle;
    uint32_t serial; /* 0: it has gone, but its addresses cannot be used again */
    uint32_t index;  /* place in the directory */
    struct symm_pages *pages; /* NULL: its memory goes as a whole */
};

/* The memory of a segment that has been given back. */
struct remains {
    uint64_t offset;
    size_t size, done; /* so many bytes from the start on have gone */
    symm_handle handle;
    uint32_t left_in;  /* epoch */
    bool is_mapped;    /* still, at `offset`, where no segment is */
    struct remains *next;
};

struct reclaim {
    bool (*wake)(void *data); /* NULL: memory is given back at once */
    void *data;
    uint32_t epoch;
    uint64_t epoch_end;       /* in milliseconds of the clock */
    bool is_busy;             /* the chunk at `busy` is being given back, without the mutex */
    uint64_t busy;            /* in the window */
    bool is_done;             /* nothing more is old enough in this epoch */
    bool scheduled, urgent;   /* somebody will call; at once */
    size_t idle;              /* bytes of idle chunks and remains */
    struct remains *remains;  /* newest first */
};

struct symm_heap {
    const struct symm_kind *kind;
    uint32_t number; /* among the heaps of its process */
    struct symm_server *server;
    char *window;
    size_t window_size, segment_size;
    pthread_mutex_t mutex;
    bool is_childs; /* a copy that a child of fork() has */
    struct reclaim reclaim;
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
static inline struct segment *symm_heap_segment_at(struct symm_heap *heap, uint64_t offset)
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

#endif /* SYMM_HEAP_HEAP_STATE_H */
