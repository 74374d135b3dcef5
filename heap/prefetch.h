/*
 * prefetch.h - asking for cache lines before they are written.
 *
 * Memory that another core has read or written last has to be fetched from there, for good, before
 * a store to it completes.  Stores wait in line for that; prefetches do not.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_PREFETCH_H
#define SYMM_HEAP_PREFETCH_H

#include <stddef.h>

enum { SYMM_CACHE_LINE = 64 };

/* A hint about `bytes` bytes from `memory` on; it changes nothing and may be ignored. */
static inline void symm_prefetch_for_writing(const void *memory, size_t bytes)
{
    const unsigned char *at = memory;
    for (size_t offset = 0; offset < bytes; offset += SYMM_CACHE_LINE) {
#if defined(__x86_64__)
        /* Compilers take it for an extension and emit a prefetch for reading instead, but every
         * 64-bit processor knows it or takes it for a no-op. */
        __asm__ volatile("prefetchw %0" : : "m"(at[offset]));
#else
        __builtin_prefetch(at + offset, 1, 3);
#endif
    }
}

/* The same, to read them. */
static inline void symm_prefetch_for_reading(const void *memory, size_t bytes)
{
    const unsigned char *at = memory;
    for (size_t offset = 0; offset < bytes; offset += SYMM_CACHE_LINE) {
        __builtin_prefetch(at + offset, 0, 3);
    }
}

#endif /* SYMM_HEAP_PREFETCH_H */
