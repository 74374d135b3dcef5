/*
 * scratch.h - private memory for one step of an algorithm.
 *
 * Blocks of SYMM_SCRATCH_SIZE bytes belong to the process, and are shared by all teams, since a
 * step neither waits for another rank nor begins another step.  There are as many as threads have
 * been in such steps at a time.  Taking one cannot fail once symm_scratch_reserve() has succeeded:
 * a thread that finds none, and no memory for another, waits for a thread whose step ends.
 *
 * Thread-safe.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SCRATCH_H
#define SYMM_HEAP_SCRATCH_H

#include "heap/private.h"
#include "heap/symm.h"

enum { SYMM_SCRATCH_SIZE = 64 * 1024 }; /* a block that stays in the second-level cache */

/* Have at least one block; when a team is set up.  Errors: NO_MEMORY. */
enum symm_status symm_scratch_reserve(void);

/* A block, aligned for any type; give it back before the step ends. */
SYMM_PRIVATE void *symm_scratch_take(void);
SYMM_PRIVATE void symm_scratch_give(void *scratch);

/* Free the blocks; nobody has one. */
void symm_scratch_end(void);

#endif /* SYMM_HEAP_SCRATCH_H */
