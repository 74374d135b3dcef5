/*
 * allocator.c - see allocator.h.
 *
 * Every byte of every segment belongs to exactly one extent.  The extents of a segment form a list
 * in address order (prev, next), which never crosses into another segment.  An extent is either
 * free and in a bin, or allocated and in the hash of block starts.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdlib.h>

#include "heap/allocator.h"

enum { BINS = 64, HASH_SIZE_FIRST = 256 };

struct extent {
    uint64_t offset;
    size_t size;
    uint32_t segment;
    bool allocated;
    struct extent *prev, *next;         /* neighbours in the segment, by address */
    struct extent *link_prev, *link_next; /* in a bin (free) or a hash chain (allocated) */
};

/* First extents of the segments, so that an offset that is no block's start can be explained. */
struct segment_head {
    struct extent *first;
    struct segment_head *next;
};

struct symm_allocator {
    struct extent *bins[BINS];
    uint64_t bins_used;                 /* bit b: bins[b] is not empty */
    struct extent **hash;
    size_t hash_size;                   /* a power of two */
    struct segment_head *segments;
    size_t blocks, block_bytes;
    size_t empty_segments;
};

/* Lists: bins and hash chains are both doubly linked through link_prev and link_next. */

static void link_push(struct extent **head, struct extent *extent)
{
    extent->link_prev = NULL;
    extent->link_next = *head;
    if (*head != NULL) {
        (*head)->link_prev = extent;
    }
    *head = extent;
}

static void link_remove(struct extent **head, struct extent *extent)
{
    if (extent->link_prev != NULL) {
        extent->link_prev->link_next = extent->link_next;
    } else {
        *head = extent->link_next;
    }
    if (extent->link_next != NULL) {
        extent->link_next->link_prev = extent->link_prev;
    }
}

/* Bin b holds free extents of 2^b up to 2^(b+1) - 1 bytes. */
static unsigned bin_of(size_t size)
{
    return 63U - (unsigned)__builtin_clzll((unsigned long long)size);
}

static void bin_insert(struct symm_allocator *allocator, struct extent *extent)
{
    unsigned bin = bin_of(extent->size);
    extent->allocated = false;
    link_push(&allocator->bins[bin], extent);
    allocator->bins_used |= UINT64_C(1) << bin;
}

static void bin_remove(struct symm_allocator *allocator, struct extent *extent)
{
    unsigned bin = bin_of(extent->size);
    link_remove(&allocator->bins[bin], extent);
    if (allocator->bins[bin] == NULL) {
        allocator->bins_used &= ~(UINT64_C(1) << bin);
    }
}

/* The hash of allocated blocks, by the offset of their start. */

static struct extent **hash_chain(const struct symm_allocator *allocator, uint64_t offset)
{
    uint64_t key = (offset / SYMM_ALIGNMENT_MIN) * UINT64_C(0x9e3779b97f4a7c15);
    return &allocator->hash[(key >> 32) & (allocator->hash_size - 1)];
}

static struct extent *hash_find(const struct symm_allocator *allocator, uint64_t offset)
{
    struct extent *extent = *hash_chain(allocator, offset);
    while (extent != NULL && extent->offset != offset) {
        extent = extent->link_next;
    }
    return extent;
}

/* Longer chains are slower, not wrong: a refused table keeps the old one. */
static void hash_grow(struct symm_allocator *allocator)
{
    struct extent **old = allocator->hash;
    size_t old_size = allocator->hash_size;
    struct extent **table = calloc(old_size * 2, sizeof(*table));
    if (table == NULL) {
        return;
    }
    allocator->hash = table;
    allocator->hash_size = old_size * 2;
    for (size_t i = 0; i < old_size; i++) {
        while (old[i] != NULL) {
            struct extent *extent = old[i];
            link_remove(&old[i], extent);
            link_push(hash_chain(allocator, extent->offset), extent);
        }
    }
    free(old);
}

static void block_insert(struct symm_allocator *allocator, struct extent *extent)
{
    if (allocator->blocks >= allocator->hash_size) {
        hash_grow(allocator);
    }
    extent->allocated = true;
    link_push(hash_chain(allocator, extent->offset), extent);
    allocator->blocks++;
    allocator->block_bytes += extent->size;
}

static void block_remove(struct symm_allocator *allocator, struct extent *extent)
{
    link_remove(hash_chain(allocator, extent->offset), extent);
    allocator->blocks--;
    allocator->block_bytes -= extent->size;
}

struct symm_allocator *symm_allocator_create(void)
{
    struct symm_allocator *allocator = calloc(1, sizeof(*allocator));
    if (allocator == NULL) {
        return NULL;
    }
    allocator->hash_size = HASH_SIZE_FIRST;
    allocator->hash = calloc(allocator->hash_size, sizeof(*allocator->hash));
    if (allocator->hash == NULL) {
        free(allocator);
        return NULL;
    }
    return allocator;
}

static void extents_free(struct extent *extent)
{
    while (extent != NULL) {
        struct extent *next = extent->next;
        free(extent);
        extent = next;
    }
}

void symm_allocator_destroy(struct symm_allocator *allocator)
{
    if (allocator == NULL) {
        return;
    }
    while (allocator->segments != NULL) {
        struct segment_head *head = allocator->segments;
        allocator->segments = head->next;
        extents_free(head->first);
        free(head);
    }
    free(allocator->hash);
    free(allocator);
}

enum symm_status symm_allocator_add_segment(struct symm_allocator *allocator, uint32_t segment,
                                            uint64_t offset, size_t size)
{
    struct extent *extent = calloc(1, sizeof(*extent));
    struct segment_head *head = calloc(1, sizeof(*head));
    if (extent == NULL || head == NULL) {
        free(extent);
        free(head);
        return SYMM_ERR_NO_MEMORY;
    }
    extent->offset = offset;
    extent->size = size;
    extent->segment = segment;
    bin_insert(allocator, extent);
    head->first = extent;
    head->next = allocator->segments;
    allocator->segments = head;
    allocator->empty_segments++;
    return SYMM_OK;
}

void symm_allocator_remove_segment(struct symm_allocator *allocator, uint64_t offset)
{
    struct segment_head **link = &allocator->segments;
    while (*link != NULL && (*link)->first->offset != offset) {
        link = &(*link)->next;
    }
    struct segment_head *head = *link;
    if (head == NULL || head->first->allocated || head->first->next != NULL) {
        return;
    }
    *link = head->next;
    allocator->empty_segments--;
    bin_remove(allocator, head->first);
    free(head->first);
    free(head);
}

/* Whether a free extent is all of its segment. */
static bool extent_is_segment(const struct extent *extent)
{
    return extent->prev == NULL && extent->next == NULL;
}

static size_t effective_alignment(size_t size, size_t alignment)
{
    size_t least = size >= SYMM_BLOCK_BIG ? SYMM_ALIGNMENT_BIG : SYMM_ALIGNMENT_MIN;
    return alignment > least ? alignment : least;
}

/* Sizes are rounded up to the unit, so every extent starts at a multiple of it. */
static size_t round_up(size_t size)
{
    return (size + SYMM_ALIGNMENT_MIN - 1) & ~(size_t)(SYMM_ALIGNMENT_MIN - 1);
}

size_t symm_allocator_footprint(size_t size, size_t alignment)
{
    /* Segments begin at a multiple of SYMM_ALIGNMENT_BIG. */
    size_t slack = alignment > SYMM_ALIGNMENT_BIG ? alignment : 0;
    if (size > SIZE_MAX - SYMM_ALIGNMENT_MIN || round_up(size) > SIZE_MAX - slack) {
        return 0;
    }
    return round_up(size) + slack;
}

static uint64_t align_offset(uint64_t offset, size_t alignment)
{
    return (offset + alignment - 1) & ~(uint64_t)(alignment - 1);
}

static bool extent_fits(const struct extent *extent, size_t size, size_t alignment)
{
    uint64_t skip = align_offset(extent->offset, alignment) - extent->offset;
    return extent->size >= size && extent->size - size >= skip;
}

/* First fit in the size's own bin; any extent of a higher bin that survives alignment. */
static struct extent *find_free(const struct symm_allocator *allocator, size_t size,
                                size_t alignment)
{
    uint64_t candidates = allocator->bins_used & (~UINT64_C(0) << bin_of(size));
    while (candidates != 0) {
        struct extent *extent = allocator->bins[__builtin_ctzll(candidates)];
        for (; extent != NULL; extent = extent->link_next) {
            if (extent_fits(extent, size, alignment)) {
                return extent;
            }
        }
        candidates &= candidates - 1;
    }
    return NULL;
}

/*
 * Cut `extent`, which is in no list, after `size` bytes; the rest becomes `rest`, in no list
 * either.
 */
static void extent_split(struct extent *extent, size_t size, struct extent *rest)
{
    *rest = (struct extent){
        .offset = extent->offset + size,
        .size = extent->size - size,
        .segment = extent->segment,
        .prev = extent,
        .next = extent->next,
    };
    if (rest->next != NULL) {
        rest->next->prev = rest;
    }
    extent->next = rest;
    extent->size = size;
}

enum symm_status symm_allocator_alloc(struct symm_allocator *allocator, size_t size,
                                      size_t alignment, uint64_t *offset)
{
    if (size == 0 || (alignment & (alignment - 1)) != 0 ||
        symm_allocator_footprint(size, alignment) == 0) {
        return SYMM_ERR_ARGUMENT;
    }
    alignment = effective_alignment(size, alignment);
    size = round_up(size);
    struct extent *extent = find_free(allocator, size, alignment);
    if (extent == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    /* Both pieces of bookkeeping are got before anything changes, so failure changes nothing. */
    struct extent *front = malloc(sizeof(*front));
    struct extent *back = malloc(sizeof(*back));
    if (front == NULL || back == NULL) {
        free(front);
        free(back);
        return SYMM_ERR_NO_MEMORY;
    }
    if (extent_is_segment(extent)) {
        allocator->empty_segments--;
    }
    bin_remove(allocator, extent);
    size_t skip = (size_t)(align_offset(extent->offset, alignment) - extent->offset);
    if (skip > 0) {
        extent_split(extent, skip, front);
        bin_insert(allocator, extent);
        extent = front;
    } else {
        free(front);
    }
    if (extent->size > size) {
        extent_split(extent, size, back);
        bin_insert(allocator, back);
    } else {
        free(back);
    }
    block_insert(allocator, extent);
    *offset = extent->offset;
    return SYMM_OK;
}

/* Let `extent` swallow its right neighbour; both are in no list. */
static void merge_next(struct extent *extent)
{
    struct extent *right = extent->next;
    extent->size += right->size;
    extent->next = right->next;
    if (extent->next != NULL) {
        extent->next->prev = extent;
    }
    free(right);
}

/* Why no allocated block starts at `offset`. */
static enum symm_status explain_offset(const struct symm_allocator *allocator, uint64_t offset)
{
    for (const struct segment_head *head = allocator->segments; head != NULL; head = head->next) {
        for (const struct extent *extent = head->first; extent != NULL; extent = extent->next) {
            if (offset >= extent->offset && offset - extent->offset < extent->size) {
                return extent->allocated ? SYMM_ERR_INTERIOR : SYMM_ERR_FREED;
            }
        }
    }
    return SYMM_ERR_FOREIGN;
}

enum symm_status symm_allocator_free(struct symm_allocator *allocator, uint64_t offset,
                                     uint32_t *segment, bool *segment_empty)
{
    struct extent *extent = hash_find(allocator, offset);
    if (extent == NULL) {
        return explain_offset(allocator, offset);
    }
    block_remove(allocator, extent);
    if (extent->next != NULL && !extent->next->allocated) {
        bin_remove(allocator, extent->next);
        merge_next(extent);
    }
    if (extent->prev != NULL && !extent->prev->allocated) {
        extent = extent->prev;
        bin_remove(allocator, extent);
        merge_next(extent);
    }
    bin_insert(allocator, extent);
    *segment = extent->segment;
    *segment_empty = extent_is_segment(extent);
    if (*segment_empty) {
        allocator->empty_segments++;
    }
    return SYMM_OK;
}

size_t symm_allocator_block_size(const struct symm_allocator *allocator, uint64_t offset)
{
    const struct extent *extent = hash_find(allocator, offset);
    return extent != NULL ? extent->size : 0;
}

size_t symm_allocator_blocks(const struct symm_allocator *allocator)
{
    return allocator->blocks;
}

size_t symm_allocator_block_bytes(const struct symm_allocator *allocator)
{
    return allocator->block_bytes;
}

bool symm_allocator_segment_is_empty(const struct symm_allocator *allocator, uint64_t offset)
{
    const struct segment_head *head = allocator->segments;
    while (head != NULL && head->first->offset != offset) {
        head = head->next;
    }
    return head != NULL && extent_is_segment(head->first) && !head->first->allocated;
}

size_t symm_allocator_empty_segments(const struct symm_allocator *allocator)
{
    return allocator->empty_segments;
}
