/*
 * heap.h - life of a symmetric heap; symm.h has its use.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_HEAP_H
#define SYMM_HEAP_HEAP_H

#include "heap/kind.h"
#include "heap/server/server.h"
#include "heap/symm.h"

/*
 * Reserve a window for memory of `kind` and offer the heap's segments to peers through `server`,
 * which must outlive it (NULL: private, for tests).  `number` tells it from the server's other
 * heaps.  `config` may be NULL.  Commits no memory.  Errors: ARGUMENT (a size that is no multiple
 * of 4096), NO_MEMORY, SYSTEM.
 */
enum symm_status symm_heap_create(const struct symm_kind *kind, uint32_t number,
                                  struct symm_server *server,
                                  const struct symm_heap_config *config,
                                  struct symm_heap **heap);

/*
 * Stop offering the heap and free its bookkeeping.  `keep_memory`: leave the window mapped until
 * the process ends, because the program may still hold pointers into it.
 */
void symm_heap_destroy(struct symm_heap *heap, int keep_memory);

/*
 * Have `told` called, with the heap's number, whenever segments have been given back; by whichever
 * thread has done so, and without any lock of the heap.  To be set before others use the heap.
 */
void symm_heap_on_retired(struct symm_heap *heap,
                          void (*told)(void *data, uint32_t number), void *data);

/*
 * Around a fork(): no other thread changes the heap meanwhile, and the child finds nothing locked.
 * False: the lock was not to be had in SYMM_FORK_WAIT_NS, because fork() is called by a signal
 * handler that has interrupted the heap.  end() is called all the same, with that.  A child does
 * not retire segments: peers have them mapped as its parent's, who has blocks there that the child
 * knows nothing of.
 */
bool symm_heap_fork_begin(struct symm_heap *heap);
void symm_heap_fork_end(struct symm_heap *heap, bool is_held, bool is_child);

/* ---- multicast ------------------------------------------------------------------------------- */

/* A segment that is bound to a multicast object; the caller's memory, and in a list of its heap. */
struct symm_binding {
    struct symm_heap *heap; /* NULL: nothing is bound, and none of the rest counts */
    symm_handle object;
    int rank;
    struct symm_replica replica;
    struct symm_binding *next;
};

/*
 * Bind the segment in which `location` lies to an object, until symm_heap_unbind(), or until its
 * memory goes.  The object has to be there until symm_heap_unbind().  Errors: FOREIGN, NOT_FOUND
 * (the segment has gone), and those of the kind's `bind`.
 */
enum symm_status symm_heap_bind(struct symm_heap *heap,
                                const struct symm_location *location, symm_handle object,
                                int rank, struct symm_binding *binding);

/* Unbind, if that has not been done; also fine for a binding that never was. */
void symm_heap_unbind(struct symm_binding *binding);

/* ---- segments -------------------------------------------------------------------------------- */

/*
 * A segment, where it lies in its owner's window, and on which device (its description; "": host
 * memory).
 */
struct symm_segment_place {
    uint64_t offset;
    size_t size;
    const char *device;
};

/* That of the segment in which `location` lies.  Errors: NOT_FOUND (it has gone). */
enum symm_status symm_heap_segment(struct symm_heap *heap,
                                   const struct symm_location *location,
                                   struct symm_segment_place *place);

const struct symm_kind *symm_heap_kind(const struct symm_heap *heap);

/* The address that symm_heap_locate() would call `offset`. */
void *symm_heap_address(const struct symm_heap *heap, uint64_t offset);

#endif /* SYMM_HEAP_HEAP_H */
