/*
 * heap.h - life of a symmetric heap; symm.h has its use.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_HEAP_H
#define SYMM_HEAP_HEAP_H

#include "heap/kind.h"
#include "heap/server.h"
#include "heap/symm.h"

/*
 * Reserve a window for memory of `kind` and offer the heap's segments to peers through `server`, which
 * must outlive it (NULL: private, for tests).  `number` tells it from the server's other heaps.  `config`
 * may be NULL.  Commits no memory.
 * Errors: ARGUMENT (a size that is no multiple of 4096), NO_MEMORY, SYSTEM.
 */
SYMM_API enum symm_status symm_heap_create(const struct symm_kind *kind, uint32_t number,
                                           struct symm_server *server,
                                           const struct symm_heap_config *config,
                                           struct symm_heap **heap);

/*
 * Stop offering the heap and free its bookkeeping.  `keep_memory`: leave the window mapped until the
 * process ends, because the program may still hold pointers into it.
 */
SYMM_API void symm_heap_destroy(struct symm_heap *heap, int keep_memory);

/* The address that symm_heap_locate() would call `offset`. */
SYMM_API void *symm_heap_address(const struct symm_heap *heap, uint64_t offset);

#endif /* SYMM_HEAP_HEAP_H */
