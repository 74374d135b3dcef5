/*
 * pages.c - see pages.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdlib.h>

#include "heap/pages.h"

struct chunk {
    uint32_t blocks;  /* that lie in it, be it with one byte */
    uint32_t left_in; /* the epoch in which the last one left; 0: it is not idle */
};

struct symm_pages {
    size_t count, idle;
    size_t next; /* where to look for idle chunks first */
    struct chunk chunks[];
};

struct symm_pages *symm_pages_create(size_t size)
{
    size_t count = size / SYMM_CHUNK_SIZE;
    struct symm_pages *pages = calloc(1, sizeof(*pages) + count * sizeof(struct chunk));
    if (pages != NULL) {
        pages->count = count;
    }
    return pages;
}

void symm_pages_destroy(struct symm_pages *pages)
{
    free(pages);
}

void symm_pages_use(struct symm_pages *pages, uint64_t offset, size_t size)
{
    size_t last = (size_t)((offset + size - 1) / SYMM_CHUNK_SIZE);
    for (size_t i = (size_t)(offset / SYMM_CHUNK_SIZE); i <= last; i++) {
        struct chunk *chunk = &pages->chunks[i];
        chunk->blocks++;
        pages->idle -= chunk->left_in != 0;
        chunk->left_in = 0;
    }
}

void symm_pages_leave(struct symm_pages *pages, uint64_t offset, size_t size, uint32_t epoch)
{
    size_t last = (size_t)((offset + size - 1) / SYMM_CHUNK_SIZE);
    for (size_t i = (size_t)(offset / SYMM_CHUNK_SIZE); i <= last; i++) {
        struct chunk *chunk = &pages->chunks[i];
        chunk->blocks--;
        if (chunk->blocks == 0) {
            chunk->left_in = epoch;
            pages->idle++;
        }
    }
}

void symm_pages_leave_all(struct symm_pages *pages, uint32_t epoch)
{
    for (size_t i = 0; i < pages->count; i++) {
        pages->chunks[i].left_in = epoch;
    }
    pages->idle = pages->count;
}

size_t symm_pages_idle(const struct symm_pages *pages)
{
    return pages->idle * SYMM_CHUNK_SIZE;
}

bool symm_pages_take(struct symm_pages *pages, uint32_t epoch, uint64_t *offset)
{
    for (size_t tried = 0; tried < pages->count && pages->idle > 0; tried++) {
        size_t i = pages->next;
        struct chunk *chunk = &pages->chunks[i];
        pages->next = (i + 1) % pages->count;
        if (chunk->left_in != 0 && chunk->left_in < epoch) {
            chunk->left_in = 0;
            pages->idle--;
            *offset = (uint64_t)i * SYMM_CHUNK_SIZE;
            return true;
        }
    }
    return false;
}
