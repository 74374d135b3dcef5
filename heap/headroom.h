/*
 * headroom.h - what this library leaves of a process's limits.
 *
 * Open MPI does not survive all limits: without address space, descriptors or mappings it hangs,
 * ends the job, or dies of a segmentation fault.  This library can do without, since what is not
 * shared is served by Open MPI's other components.  So it stops well before a limit, and leaves the
 * rest to them and to the program.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_HEADROOM_H
#define SYMM_HEAP_HEADROOM_H

#include <stddef.h>

#include "heap/private.h"
#include "heap/symm.h"

/*
 * Bytes of address space that have to be left for symm_headroom_to_begin().  Two ranks of a small
 * program take 60 MB in all, and 128 MiB more for malloc's arenas in Open MPI's threads where there
 * is room for those; so stock Open MPI hangs or fails at some limits below 180 MB.  This library
 * takes 10 MB, and a 64th of the limit for each window.
 */
enum { SYMM_HEADROOM_SPACE = 256 << 20 };

/*
 * Descriptors that are never ours.  Networks' transports and the program open theirs at any time.
 * We keep five, and two for each segment.  Those which are closed again soon, as connections of
 * peers, may use SYMM_HEADROOM_PASSING more than those which stay: what could be shared can be
 * handed out.  Below the sum of these and a few segments this library does not begin.
 */
enum {
    SYMM_HEADROOM_DESCRIPTORS = 64,
    SYMM_HEADROOM_PASSING = 16,
    SYMM_HEADROOM_DESCRIPTORS_FIRST = SYMM_HEADROOM_DESCRIPTORS + SYMM_HEADROOM_PASSING + 16
};

enum symm_descriptor_use { SYMM_DESCRIPTOR_PASSING, SYMM_DESCRIPTOR_LASTING };

/* Ask before opening or accepting a descriptor.  Errors, with errno: NO_MEMORY. */
SYMM_PRIVATE enum symm_status symm_headroom_descriptor(enum symm_descriptor_use use);

/* Whether the process has room for this library at all.  Errors, with errno: NO_MEMORY. */
enum symm_status symm_headroom_to_begin(void);

/*
 * Ask before mapping `bytes` for a team or a peer; undo with symm_headroom_give() when that is
 * unmapped. Errors, with errno: NO_MEMORY.
 */
enum symm_status symm_headroom_take(size_t bytes);

void symm_headroom_give(void);

#endif /* SYMM_HEAP_HEADROOM_H */
