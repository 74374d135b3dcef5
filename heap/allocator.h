/*
 * allocator.h - sub-allocation of ranges of offsets; it never touches the memory itself.
 *
 * A segregated-fit allocator: free extents hang in one list per power of two of their size, newest
 * first, and neighbours merge when a block is freed.  Merging stops at the border of a segment, so
 * that a segment whose blocks are all free is one extent and can be given back.
 *
 * It is deterministic: the same sequence of calls gives the same offsets in every process.  That is
 * what makes equal offsets, which multicast needs, the common case for programs that allocate
 * alike.
 *
 * It knows nothing of threads, memory kinds or addresses.  The caller serialises.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_ALLOCATOR_H
#define SYMM_HEAP_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/symm.h"

enum {
    SYMM_ALIGNMENT_MIN = 256,       /* a multiple of every vector width and of a cache line pair */
    SYMM_ALIGNMENT_BIG = 4096,      /* blocks that span pages start on one */
    SYMM_BLOCK_BIG = 16 * 1024,
};

struct symm_allocator;

/* NULL when memory for the bookkeeping is refused. */
struct symm_allocator *symm_allocator_create(void);
void symm_allocator_destroy(struct symm_allocator *allocator);

/*
 * Add the free range [offset, offset + size) as segment number `segment`.  Both must be multiples
 * of SYMM_ALIGNMENT_BIG, and the range must not overlap another.  Errors: NO_MEMORY.
 */
enum symm_status symm_allocator_add_segment(struct symm_allocator *allocator, uint32_t segment,
                                            uint64_t offset, size_t size);

/* Remove a segment that has no allocated block (the caller knows from `segment_empty`). */
void symm_allocator_remove_segment(struct symm_allocator *allocator, uint64_t offset);

/*
 * The bytes a segment must have to hold a block of `size` and `alignment` for certain; 0 when the
 * sum overflows.
 */
size_t symm_allocator_footprint(size_t size, size_t alignment);

/*
 * Find a place for `size` bytes (> 0) at a multiple of `alignment` (0 or a power of two).
 * Errors: NO_MEMORY when no free extent is large enough; ARGUMENT.
 */
enum symm_status symm_allocator_alloc(struct symm_allocator *allocator, size_t size,
                                      size_t alignment, uint64_t *offset);

/*
 * Free the block that starts at `offset`.  *segment receives its segment's number and
 * *segment_empty whether no block is left in it.  Errors: FREED, INTERIOR, FOREIGN (no segment
 * there).
 */
enum symm_status symm_allocator_free(struct symm_allocator *allocator, uint64_t offset,
                                     uint32_t *segment, bool *segment_empty);

/* The bytes of the block that starts at `offset`, rounded up to the unit; 0: none does. */
size_t symm_allocator_block_size(const struct symm_allocator *allocator, uint64_t offset);

size_t symm_allocator_blocks(const struct symm_allocator *allocator);
size_t symm_allocator_block_bytes(const struct symm_allocator *allocator);

/* Whether the segment that begins at `offset` has no allocated block. */
bool symm_allocator_segment_is_empty(const struct symm_allocator *allocator, uint64_t offset);

/* Segments without an allocated block. */
size_t symm_allocator_empty_segments(const struct symm_allocator *allocator);

#endif /* SYMM_HEAP_ALLOCATOR_H */
