/*
 * ipc_owner.h - ranks with memory of cuMemAlloc() on the stand-in driver, which they offer to each
 * other (heap/gpu/cuda_ipc.h); for tests.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_IPC_OWNER_H
#define SYMM_TESTS_IPC_OWNER_H

#include "heap/gpu/cuda_exports.h"
#include "heap/gpu/cuda_importer.h"
#include "tests/unit/harness/device_memory.h"

enum { IPC_MIB = 1 << 20, IPC_SIZE = 2 * IPC_MIB }; /* the least that the stand-in has */

/* What a rank has, and what it tells the others. */
struct ipc_owner {
    struct symm_server *server;
    struct symm_exports *exports;
    struct symm_imports *imports;
    struct symm_importer *peers[FORK_RANKS_MAX];
};

struct ipc_offer {
    struct symm_location location;
    struct symm_ipc_handle handle;
};

/* `most`: bytes that may be open.  All ranks make one, and end it. */
struct ipc_owner ipc_owner_make(struct fork_rank *self, size_t most);
void ipc_owner_end(struct fork_rank *self, struct ipc_owner *owner);

void *ipc_memory_alloc(struct fork_rank *self, int device, size_t size);
void ipc_memory_free(struct fork_rank *self, int device, void *memory);

/* symm_exports_locate() with what the driver says of the address. */
enum symm_status ipc_locate(const struct ipc_owner *owner, const void *address, size_t size,
                            struct symm_location *location, unsigned *uses);

/* Location and handle, which must be had. */
struct ipc_offer ipc_offer_make(struct fork_rank *self, const struct ipc_owner *owner,
                                const void *address, size_t size);

/* symm_importer_open(), to its end. */
enum symm_status ipc_peer_open(struct symm_importer *peer, const struct ipc_offer *offer,
                               int device);

/* Which calls of the driver fail from now on.  device_driver_uses() begins to count anew. */
void ipc_faults_set(const char *list);

#endif /* SYMM_TESTS_IPC_OWNER_H */
