/*
 * private.h - the mark of what the components use of libsymm beyond symm.h.
 *
 * Such names are exported under a version of their own, SYMM_PRIVATE_ and the release
 * (symm.map.in).  So components and a libsymm of different releases do not load together.  Names
 * without a mark are the library's own.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_PRIVATE_H
#define SYMM_HEAP_PRIVATE_H

#define SYMM_PRIVATE __attribute__((visibility("default")))

#endif /* SYMM_HEAP_PRIVATE_H */
