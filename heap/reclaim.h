/*
 * reclaim.h - giving memory of a heap back to the system little by little, beside the program.
 *
 * Pages of a block that has been freed cost as much time to give back as to get: 64 MiB take 20 to
 * 45 ms, in the one call that frees them, and programs that allocate and free in turns want them
 * again.  So they are kept for a moment, and what has not been taken again goes in steps of 2 MiB,
 * made by a thread that sleeps otherwise.
 *
 * The memory of a segment that has been given back (its remains) goes the same way.  A new segment
 * of the same size in the same place takes it over.
 *
 * Where blocks and segments lie does not depend on what has been given back, and so not on time:
 * ranks that make the same calls have the same offsets.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_RECLAIM_H
#define SYMM_HEAP_RECLAIM_H

#include "heap/heap.h"

/*
 * From now on leave it to symm_heap_reclaim() to give memory back; before anybody uses the heap.
 * `wake` is called when there is something to do for it and it has said -1, without any lock of the
 * heap; if that returns false, memory is given back at once again, as it is for a `wake` of NULL.
 * Without effect for kinds whose memory cannot be given back in parts.
 */
void symm_heap_defer(struct symm_heap *heap, bool (*wake)(void *data), void *data);

/*
 * Give back one chunk, if one has been idle long enough; `now` is in milliseconds of a clock of the
 * caller's.  Returns after how many this is to be called again; -1: there is nothing to do.
 */
int symm_heap_reclaim(struct symm_heap *heap, uint64_t now);

/*
 * Bytes that symm_heap_reclaim() has still to look after; at most that much is resident beside the
 * blocks.
 */
size_t symm_heap_idle(struct symm_heap *heap);

#endif /* SYMM_HEAP_RECLAIM_H */
