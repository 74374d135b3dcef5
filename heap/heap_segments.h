/*
 * heap_segments.h - the segments of a heap: where they lie, how large they are, how they come and
 * go.
 *
 * All functions but the first and the last are called with the heap's mutex held.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_HEAP_SEGMENTS_H
#define SYMM_HEAP_HEAP_SEGMENTS_H

#include "heap/heap_state.h"

/* Names of a heap's objects at the server: which heap, then which segment of it. */
struct symm_object_id symm_heap_object_id(const struct symm_heap *heap, uint32_t what,
                                          uint32_t number);

/*
 * Make one that holds `footprint` bytes and is as large as usual, or `tight`, which
 * is of use if symm_heap_segment_can_be_tight().
 */
enum symm_status symm_heap_segment_add(struct symm_heap *heap, size_t footprint, bool tight);
bool symm_heap_segment_can_be_tight(const struct symm_heap *heap, size_t footprint);

/* One that is empty is kept as a spare, or goes. */
bool symm_heap_segment_is_worth_keeping(const struct symm_heap *heap,
                                        const struct segment *segment);
void symm_heap_segment_retire(struct symm_heap *heap, struct segment *segment);

/* Give back what no block needs; false: there is nothing. */
bool symm_heap_shed(struct symm_heap *heap);

/* The heap ends; `keep_memory`: its memory stays mapped. */
void symm_heap_segment_end(struct symm_heap *heap, struct segment *segment, int keep_memory);

#endif /* SYMM_HEAP_HEAP_SEGMENTS_H */
