/*
 * kind.h - a memory kind: the few things that differ between host and device memory.
 *
 * The heap, peer mapping and agreement are written once against this table.  A handle is one physical
 * allocation, owned by the process that created it or a reference to a peer's, imported through a file
 * descriptor (as cuMemCreate / cuMemExportToShareableHandle have it; for host memory the descriptor of
 * a memfd is the handle).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_KIND_H
#define SYMM_HEAP_KIND_H

#include <stddef.h>
#include <stdint.h>

#include "heap/symm.h"

typedef uint64_t symm_handle;

struct symm_kind {
    const char *name;   /* as in the info value `kind=` */
    size_t granularity; /* segments are multiples of this, and mapped at multiples of it */

    /* Address space without memory behind it; the caller gives it back with `unreserve`. */
    enum symm_status (*reserve)(size_t size, void **base);
    void (*unreserve)(void *base, size_t size);

    /* One physical allocation that reads as zero.  The caller gives it back with `release`. */
    enum symm_status (*create)(size_t size, symm_handle *handle);

    /* A descriptor that another process can import; the caller closes it. */
    enum symm_status (*export_handle)(symm_handle handle, int *descriptor);

    /* Take over what a peer exported.  Does not consume the descriptor. */
    enum symm_status (*import_handle)(int descriptor, size_t size, symm_handle *handle);

    /* Map all of a handle at `address`, inside a reservation and over nothing that is mapped. */
    enum symm_status (*map)(void *address, size_t size, symm_handle handle);

    /* Turn [address, address + size) back into mere reservation. */
    void (*unmap)(void *address, size_t size);

    /* Let go of a handle.  `owned`: created here, so no peer is to keep the memory busy in vain. */
    void (*release)(symm_handle handle, size_t size, int owned);
};

extern const struct symm_kind symm_kind_host;

#endif /* SYMM_HEAP_KIND_H */
