/*
 * pages.h - which parts of a segment hold memory that no block uses.
 *
 * A segment is looked at in chunks of 2 MiB, the size of a huge page.  A chunk in which no block
 * lies any more may still have pages; it is idle until a block uses it again or its pages are given
 * back.  Idle chunks have an age: the epoch in which the last block left.  Pure bookkeeping on
 * offsets from the start of the segment. Not thread-safe.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_PAGES_H
#define SYMM_HEAP_PAGES_H

#include "heap/symm.h"

enum { SYMM_CHUNK_SIZE = 2 << 20 };

struct symm_pages;

/* Of a segment of `size` bytes, a multiple of SYMM_CHUNK_SIZE.  NULL: no memory. */
struct symm_pages *symm_pages_create(size_t size);
void symm_pages_destroy(struct symm_pages *pages);

/* A block comes to lie at [offset, offset + size); in `epoch` (> 0) it leaves. */
void symm_pages_use(struct symm_pages *pages, uint64_t offset, size_t size);
void symm_pages_leave(struct symm_pages *pages, uint64_t offset, size_t size,
                      uint32_t epoch);

/* Bytes of idle chunks. */
size_t symm_pages_idle(const struct symm_pages *pages);

/*
 * An idle chunk that was left before `epoch`: *offset is where it begins, and it is idle no longer.
 * Returns false if there is none.
 */
bool symm_pages_take(struct symm_pages *pages, uint32_t epoch, uint64_t *offset);

/* No block uses any chunk, and all may be resident: the memory has been another segment's. */
void symm_pages_leave_all(struct symm_pages *pages, uint32_t epoch);

#endif /* SYMM_HEAP_PAGES_H */
