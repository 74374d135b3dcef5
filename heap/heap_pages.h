/*
 * heap_pages.h - what reclaim.c does when blocks and segments of a heap come and go.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_HEAP_PAGES_H
#define SYMM_HEAP_HEAP_PAGES_H

#include "heap/heap_state.h"

/* Unlock the mutex after blocks have come or gone, and do or have done what follows from that. */
void symm_heap_unlock(struct symm_heap *heap);

/*
 * With the mutex: a block comes, and waits for a step that has begun in its place, or goes; a
 * segment does.
 */
void symm_heap_pages_use(struct symm_heap *heap, uint64_t offset, size_t size);
void symm_heap_pages_leave(struct symm_heap *heap, uint64_t offset, size_t size);
/* `adopted`: its memory is that of remains, and may be resident. */
void symm_heap_pages_begin(struct symm_heap *heap, struct segment *segment, bool adopted);
void symm_heap_pages_end(struct symm_heap *heap, struct segment *segment);

/*
 * Take over the memory of a retired segment, which is mapped.  False: it is to be given back at
 * once.
 */
bool symm_heap_remains_leave(struct symm_heap *heap, const struct segment *segment);

/*
 * A new segment is about to take its place: nothing else is mapped there any more.  True: its
 * handle is that of remains, which are mapped.
 */
bool symm_heap_remains_take(struct symm_heap *heap, struct segment *segment);

/* All of them go.  False: there were none. */
bool symm_heap_remains_end(struct symm_heap *heap);

#endif /* SYMM_HEAP_HEAP_PAGES_H */
