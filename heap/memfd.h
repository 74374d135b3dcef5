/*
 * memfd.h - anonymous shared files of a fixed size.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_MEMFD_H
#define SYMM_HEAP_MEMFD_H

#include <stddef.h>

#include "heap/private.h"
#include "heap/symm.h"

/*
 * Create a memfd of `size` bytes that reads as zero and can never change its size.  The caller
 * closes *descriptor.  `name` shows up in /proc/PID/maps.  Errors: NO_MEMORY, SYSTEM.
 */
SYMM_PRIVATE enum symm_status symm_memfd_create(const char *name, size_t size,
                                                int *descriptor);

/*
 * Whether a descriptor that came from another process can be mapped: at least `size` bytes, and
 * sealed against shrinking, so that no access beyond its end can ever raise SIGBUS.  Errors:
 * PROTOCOL, SYSTEM.
 */
SYMM_PRIVATE enum symm_status symm_memfd_check(int descriptor, size_t size);

/* Map `size` bytes of a descriptor, readable and writable, anywhere.  Undo with munmap(). */
SYMM_PRIVATE enum symm_status symm_memfd_map(int descriptor, size_t size, void **address);

#endif /* SYMM_HEAP_MEMFD_H */
