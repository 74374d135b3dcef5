/*
 * kind.h - a memory kind: the few things that differ between host and device memory.
 *
 * The heap, peer mapping and agreement are written once against this table.  A handle is one
 * physical allocation, owned by the process that created it or a reference to a peer's, imported
 * through a file descriptor (as cuMemCreate / cuMemExportToShareableHandle have it; for host memory
 * the descriptor of a memfd is the handle).
 *
 * Every function gets the table it was called through, so that a kind with state of its own, one
 * per device, can be a larger struct that begins with this one.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_KIND_H
#define SYMM_HEAP_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/symm.h"

typedef uint64_t symm_handle;

/* The size of a segment unless a block needs more, or the user wants something else. */
static const size_t symm_segment_size_usual = (size_t)64 << 20;

struct symm_kind;

/* A segment of this process, for a multicast object. */
struct symm_replica {
    symm_handle handle;            /* of its memory */
    size_t size;
    struct symm_location location; /* of its first byte */
};

/*
 * Multicast objects (multicast.h) of a kind.  An object is a handle as well.  Functions that undo
 * something return nothing, because nobody could act on their failure.
 */
struct symm_multicast_kind {
    /* Whether there can be any on this device. */
    bool (*able)(const struct symm_kind *kind);

    /*
     * One for the segments, of `size` bytes, of so many ranks; the caller lets go of it with
     * `release`.
     */
    enum symm_status (*create)(const struct symm_kind *kind, int ranks, size_t size,
                               symm_handle *object);

    /* As the functions for memory below have it. */
    enum symm_status (*export_object)(const struct symm_kind *kind, symm_handle object,
                                      int *descriptor);
    enum symm_status (*import_object)(const struct symm_kind *kind, int descriptor,
                                      symm_handle *object);

    /* This rank takes part, once.  Nothing undoes it but the end of the object. */
    enum symm_status (*add)(const struct symm_kind *kind, symm_handle object, int rank);

    /* All ranks have been added: bind memory of this rank. */
    enum symm_status (*bind)(const struct symm_kind *kind, symm_handle object, int rank,
                             const struct symm_replica *replica);
    void (*unbind)(const struct symm_kind *kind, symm_handle object, int rank,
                   const struct symm_replica *replica);

    /* Map it, at an address of the kind's choice; NULL: software, there is nothing to map. */
    enum symm_status (*map)(const struct symm_kind *kind, symm_handle object, size_t size,
                            void **address);
    void (*unmap)(const struct symm_kind *kind, void *address, size_t size);

    /* What `rank` has bound, for kernels that go through all replicas; NULL: they need not know. */
    enum symm_status (*bound)(const struct symm_kind *kind, symm_handle object, int rank,
                              struct symm_location *location);

    void (*release)(const struct symm_kind *kind, symm_handle object);
};

struct symm_kind {
    const char *name;   /* as in the info value `kind=` */
    int device;         /* the driver's number of the device it is on; -1: host memory */
    size_t granularity; /* segments are multiples of this, and mapped at multiples of it */

    /* Address space without memory behind it; the caller gives it back with `unreserve`. */
    enum symm_status (*reserve)(const struct symm_kind *kind, size_t size, void **base);
    void (*unreserve)(const struct symm_kind *kind, void *base, size_t size);

    /*
     * One physical allocation, which reads as zero unless the kind has `clear`.  The caller gives
     * it back with `release`.
     */
    enum symm_status (*create)(const struct symm_kind *kind, size_t size, symm_handle *handle);

    /* A descriptor that another process can import; the caller closes it. */
    enum symm_status (*export_handle)(const struct symm_kind *kind, symm_handle handle,
                                      int *descriptor);

    /* Take over what a peer exported.  Does not consume the descriptor. */
    enum symm_status (*import_handle)(const struct symm_kind *kind, int descriptor, size_t size,
                                      symm_handle *handle);

    /*
     * Map all of a handle at `address`, inside a reservation and over nothing that is mapped.
     * `owned`: it was created here.  Memory of a peer need not be in reach of the kind's device, if
     * it is of another one of this process.
     */
    enum symm_status (*map)(const struct symm_kind *kind, void *address, size_t size,
                            symm_handle handle, int owned);

    /*
     * Make all or a part of what is mapped here read as zero.  NULL: `create` gives such memory,
     * and the processor can clear it.
     */
    enum symm_status (*clear)(const struct symm_kind *kind, void *address, size_t size);

    /*
     * Turn [address, address + size) back into mere reservation, also after `map` has failed there.
     * After a failure of this nobody knows what is there, so nothing may be mapped there any more.
     */
    enum symm_status (*unmap)(const struct symm_kind *kind, void *address, size_t size);

    /*
     * Let the pages of [offset, offset + size) of exported memory go; whoever has it mapped reads
     * zeros there.  NULL: memory goes as a whole only.
     */
    void (*discard)(const struct symm_kind *kind, int descriptor, uint64_t offset, size_t size);

    /*
     * Let go of a handle; what is mapped stays.  `owned`: created here, and mapped here no more, so
     * no peer is to keep the memory busy in vain.
     */
    void (*release)(const struct symm_kind *kind, symm_handle handle, size_t size, int owned);

    /* Name the device, for messages; NULL for host memory. */
    void (*describe)(const struct symm_kind *kind, char *text, size_t size);

    const struct symm_multicast_kind *multicast; /* NULL: there is no such thing */
};

/*
 * Memory of this device; one table per device, kept until the process ends.  Errors: NOT_FOUND (no
 * driver, or the device cannot share memory between processes), ARGUMENT (no such device),
 * NO_MEMORY, SYSTEM.
 */
enum symm_status symm_kind_of_device(int device, const struct symm_kind **kind);

extern const struct symm_kind symm_kind_host;
extern const struct symm_multicast_kind symm_multicast_host;

#endif /* SYMM_HEAP_KIND_H */
