/*
 * window.h - the address space of a heap.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_WINDOW_H
#define SYMM_HEAP_WINDOW_H

#include "heap/kind.h"

/*
 * Reserve *size bytes, a multiple of the kind's granularity.  If the process's limits or the system
 * do not allow that many, fewer are reserved and *size says how many.  Undo with the kind's
 * `unreserve`.  Errors: those of `reserve`.
 */
enum symm_status symm_window_reserve(const struct symm_kind *kind, size_t *size, char **window);

#endif /* SYMM_HEAP_WINDOW_H */
