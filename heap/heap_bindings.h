/*
 * heap_bindings.h - segments of a heap that are bound to multicast objects; heap.h has the rest.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_HEAP_BINDINGS_H
#define SYMM_HEAP_HEAP_BINDINGS_H

#include "heap/heap_state.h"

/* With the mutex, or when nobody else has the heap: the segment's memory is about to go. */
void symm_heap_unbind_segment(struct symm_heap *heap, const struct segment *segment);

#endif /* SYMM_HEAP_HEAP_BINDINGS_H */
