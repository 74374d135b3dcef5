/*
 * cuda_exports.h - memory from elsewhere (cuda_ipc.h): allocations of this process, for its peers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_EXPORTS_H
#define SYMM_HEAP_GPU_CUDA_EXPORTS_H

#include "heap/gpu/cuda_ipc.h"
#include "heap/gpu/cuda_memory.h"
#include "heap/private.h"
#include "heap/server/server.h"

struct symm_exports;

/* An empty table, offered to peers.  Errors: NO_MEMORY, SYSTEM. */
enum symm_status symm_exports_create(struct symm_server *server,
                                     struct symm_exports **exports);
void symm_exports_destroy(struct symm_exports *exports);

/*
 * Name [address, address + size), which the driver has described as `memory`; *uses: how many
 * calls have asked that for its allocation, this one included.  `again`: the same call has done so
 * before.  Errors: FOREIGN (CUDA IPC cannot export it, or it is more than one allocation),
 * NO_MEMORY (the table is full).
 */
SYMM_PRIVATE enum symm_status
symm_exports_locate(struct symm_exports *exports, const struct symm_memory *memory,
                    const void *address, size_t size, bool again, struct symm_location *location,
                    unsigned *uses);

/*
 * The handle of an allocation that has been named.  The driver is asked once; what it refuses, it
 * is not asked for again.  Errors: FOREIGN (no such allocation, or one of a context of the
 * program's own), NO_MEMORY, SYSTEM.
 */
SYMM_PRIVATE enum symm_status symm_exports_handle(struct symm_exports *exports,
                                                  const struct symm_location *location,
                                                  struct symm_ipc_handle *handle);

/*
 * Ask the driver about allocations, in turn, and retire those that have been freed, until so many
 * are found to be there still.
 */
void symm_exports_review(struct symm_exports *exports, unsigned count);

#endif /* SYMM_HEAP_GPU_CUDA_EXPORTS_H */
