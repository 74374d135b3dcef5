/*
 * process.h - what a process has once, for the rest of the library; symm.h has it for everybody.
 *
 * Two components of Open MPI share it (allocation through mpool, collectives through coll), and
 * either can be absent, so it lives from the first symm_process_acquire() to the last
 * symm_process_release().
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_PROCESS_H
#define SYMM_HEAP_TEAM_PROCESS_H

#include "heap/gpu/cuda_exports.h"
#include "heap/gpu/cuda_imports.h"
#include "heap/heap.h"
#include "heap/peer.h"
#include "heap/private.h"
#include "heap/server/server.h"
#include "heap/team/arena.h"
#include "heap/team/arena_peers.h"

/* The rest of its interface is public: symm.h. */
SYMM_PRIVATE struct symm_server *symm_process_server(struct symm_process *process);

/* Whether this is the process that has made it, and no child of fork(). */
bool symm_process_is_own(const struct symm_process *process);

/*
 * Have the server's thread call `tick` soon, and again after so many milliseconds as it returns;
 * -1: when this is called again.  It may not wait for another process, nor call a device's driver:
 * the program may hold that while it waits for a peer, which may wait for an answer of this
 * thread.
 */
void symm_process_on_tick(struct symm_process *process, int (*tick)(void));

/* Memory for the teams of which this process is rank 0, and that of other processes. */
struct symm_arena *symm_process_arena(struct symm_process *process);
struct symm_arena_peers *symm_process_arena_peers(struct symm_process *process);

/*
 * Device memory from elsewhere: this process's, and other processes'.  Made at first use; the first
 * caller says how many bytes may be open at a time.  They live with `process`.  Errors: NOT_FOUND
 * (built without CUDA), NO_MEMORY, SYSTEM.  review_exports() is symm_exports_review(), if there is
 * anything to ask about.
 */
SYMM_PRIVATE void symm_process_review_exports(struct symm_process *process, unsigned count);
SYMM_PRIVATE enum symm_status symm_process_exports(struct symm_process *process,
                                                   struct symm_exports **exports);
SYMM_PRIVATE enum symm_status symm_process_imports(struct symm_process *process, size_t most,
                                                   struct symm_imports **imports);

#endif /* SYMM_HEAP_TEAM_PROCESS_H */
