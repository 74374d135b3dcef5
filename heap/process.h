/*
 * process.h - what a process has once, for the rest of the library; symm.h has it for everybody.
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

/* The rest of its interface is public: symm.h. */
SYMM_API struct symm_server *symm_process_server(struct symm_process *process);

#endif /* SYMM_HEAP_PROCESS_H */
