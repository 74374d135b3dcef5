/*
 * ipc_owner.c - see ipc_owner.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/ipc_owner.h"

#include <dlfcn.h>
#include <string.h>

#include "tests/standin/kernels.h"

struct ipc_owner ipc_owner_make(struct fork_rank *self, size_t most)
{
    struct ipc_owner owner = {.server = NULL};
    char name[SYMM_NAME_SIZE] = "", names[FORK_RANKS_MAX][SYMM_NAME_SIZE];
    device_driver_use();
    FORK_STATUS(self, symm_server_create(&owner.server), SYMM_OK);
    FORK_STATUS(self, symm_exports_create(owner.server, &owner.exports), SYMM_OK);
    FORK_STATUS(self, symm_imports_create(most, &owner.imports), SYMM_OK);
    FORK_STATUS(self, symm_server_start_thread(owner.server), SYMM_OK);
    (void)strncpy(name, symm_server_name(owner.server), sizeof(name) - 1);
    fork_rank_exchange(self, name, sizeof(name), names);
    for (int rank = 0; rank < self->size; rank++) {
        FORK_STATUS(self, symm_importer_get(owner.imports, names[rank], &owner.peers[rank]),
                    SYMM_OK);
    }
    return owner;
}

void ipc_owner_end(struct fork_rank *self, struct ipc_owner *owner)
{
    for (int rank = 0; rank < self->size; rank++) {
        symm_importer_put(owner->imports, owner->peers[rank]);
    }
    symm_imports_destroy(owner->imports);
    fork_rank_barrier(self);
    symm_exports_destroy(owner->exports);
    symm_server_destroy(owner->server);
}

void *ipc_memory_alloc(struct fork_rank *self, int device, size_t size)
{
    struct symm_cuda_scope scope;
    CUdeviceptr memory;
    FORK_STATUS(self, symm_cuda_enter(device, &scope), SYMM_OK);
    FORK_CHECK(self, scope.cuda->cuMemAlloc(&memory, size) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
    return (void *)(uintptr_t)memory;
}

void ipc_memory_free(struct fork_rank *self, int device, void *memory)
{
    struct symm_cuda_scope scope;
    FORK_STATUS(self, symm_cuda_enter(device, &scope), SYMM_OK);
    FORK_CHECK(self, scope.cuda->cuMemFree((CUdeviceptr)(uintptr_t)memory) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
}

enum symm_status ipc_locate(const struct ipc_owner *owner, const void *address, size_t size,
                               struct symm_location *location, unsigned *uses)
{
    struct symm_memory memory;
    (void)symm_cuda_memory_describe(address, &memory);
    return symm_exports_locate(owner->exports, &memory, address, size, false, location, uses);
}

struct ipc_offer ipc_offer_make(struct fork_rank *self, const struct ipc_owner *owner,
                               const void *address, size_t size)
{
    struct ipc_offer offer;
    unsigned uses;
    FORK_STATUS(self, ipc_locate(owner, address, size, &offer.location, &uses), SYMM_OK);
    FORK_STATUS(self, symm_exports_handle(owner->exports, &offer.location, &offer.handle),
                SYMM_OK);
    return offer;
}

enum symm_status ipc_peer_open(struct symm_importer *peer, const struct ipc_offer *offer,
                               int device)
{
    enum symm_status status;
    unsigned polls = 0;
    while ((status = symm_importer_open(peer, &offer->location, &offer->handle, device)) ==
           SYMM_PENDING) {
        unit_pause(&polls);
    }
    return status;
}

void ipc_faults_set(const char *list)
{
    void *library = dlopen(SYMM_STANDIN_DRIVER, RTLD_NOW | RTLD_NOLOAD);
    symm_standin_fail_function *set =
        (symm_standin_fail_function *)(uintptr_t)dlsym(library, "symm_standin_fail");
    set(list);
}
