/*
 * process.h - what a process has once, whoever asks: its server, its host heap, the peers it knows.
 *
 * Two components of Open MPI share it (allocation through mpool, collectives through coll), and either
 * can be absent, so it lives from the first symm_process_acquire() to the last symm_process_release().
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_PROCESS_H
#define SYMM_HEAP_PROCESS_H

#include "heap/heap.h"
#include "heap/peer.h"
#include "heap/server.h"

struct symm_process;

/*
 * Get the process's one instance.  `config` (may be NULL) counts for the first caller only.
 * Errors: those of symm_server_create() and symm_heap_create(), with no instance left behind.
 */
SYMM_API enum symm_status symm_process_acquire(const struct symm_heap_config *config,
                                               struct symm_process **process);

/*
 * Let go of it.  The last one out stops the server; the heap's memory stays mapped until the process
 * exits, because the program may still hold pointers into it.
 */
SYMM_API void symm_process_release(struct symm_process *process);

SYMM_API struct symm_server *symm_process_server(struct symm_process *process);
SYMM_API struct symm_heap *symm_process_heap(struct symm_process *process);

/*
 * The peer whose server has this name; one object per peer however many teams it is in.
 * Pair with symm_process_put_peer().  Errors: NO_MEMORY.
 */
SYMM_API enum symm_status symm_process_get_peer(struct symm_process *process, const char *name,
                                                struct symm_peer **peer);
SYMM_API void symm_process_put_peer(struct symm_process *process, struct symm_peer *peer);

#endif /* SYMM_HEAP_PROCESS_H */
