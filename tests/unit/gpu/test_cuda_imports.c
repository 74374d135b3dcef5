/*
 * test_cuda_imports.c - memory from elsewhere that other processes offer (heap/gpu/cuda_ipc.h), on
 * the stand-in driver: what is freed and allocated anew, bytes that are bounded, calls that fail.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/ipc_owner.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 6 };

/* ---- memory of others ------------------------------------------------------------------------ */

static void test_peers(struct fork_rank *self, void *context)
{
    struct ipc_owner owner = ipc_owner_make(self, 64 * IPC_MIB);
    struct ipc_offer offers[FORK_RANKS_MAX];
    int device = self->rank % 2;
    (void)context;
    char *memory = ipc_memory_alloc(self, device, IPC_SIZE);
    device_fill(self, device, memory + 512, IPC_SIZE - 512, (uint64_t)self->rank);
    struct ipc_offer mine = ipc_offer_make(self, &owner, memory + 512, IPC_SIZE - 512);
    fork_rank_exchange(self, &mine, sizeof(mine), offers);
    ipc_faults_set("");
    (void)symm_imports_enter(owner.imports);
    for (int round = 0; round < 2; round++) {
        for (int rank = 0; rank < self->size; rank++) {
            const struct symm_location *location = &offers[rank].location;
            if (rank == self->rank) {
                continue;
            }
            FORK_STATUS(self, ipc_peer_open(owner.peers[rank], &offers[rank], device), SYMM_OK);
            void *theirs = symm_importer_address(owner.peers[rank], location, device);
            FORK_CHECK(self, theirs != NULL);
            FORK_CHECK(self,
                       device_is_filled(self, device, theirs, IPC_SIZE - 512, (uint64_t)rank));
            FORK_CHECK(self, symm_importer_address(owner.peers[rank], location,
                                                   1 - device) == NULL);
        }
    }
    FORK_CHECK(self,
               device_driver_uses(self, "cuIpcOpenMemHandle") == (unsigned long)self->size - 1);
    symm_imports_leave(owner.imports);
    fork_rank_barrier(self);
    ipc_owner_end(self, &owner);
    FORK_CHECK(self,
               device_driver_uses(self, "cuIpcCloseMemHandle") == (unsigned long)self->size - 1);
}

/* Sanitizers map memory of their own, perhaps where some has been freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool addresses_come_again = false;
#else
static const bool addresses_come_again = true;
#endif

/* Rank 0 frees memory and allocates some at the same address; rank 1 has both open in turn. */
static void test_address_is_used_again(struct fork_rank *self, void *context)
{
    struct ipc_owner owner = ipc_owner_make(self, 64 * IPC_MIB);
    struct ipc_offer offers[2], mine = {.location = {.serial = 0}};
    struct symm_location old = {.serial = 0};
    void *memory = NULL, *before = NULL;
    (void)context;
    for (int round = 0; round < 3; round++) {
        if (self->rank == 0) {
            memory = ipc_memory_alloc(self, 0, IPC_SIZE);
            FORK_CHECK(self, before == NULL || before == memory || !addresses_come_again);
            if (before != memory) {
                symm_exports_review(owner.exports, 1);
            }
            device_fill(self, 0, memory, IPC_SIZE, (uint64_t)round);
            mine = ipc_offer_make(self, &owner, memory, IPC_SIZE);
            FORK_CHECK(self, mine.location.serial != old.serial);
        }
        fork_rank_exchange(self, &mine, sizeof(mine), offers);
        if (self->rank == 1) {
            struct symm_importer *peer = owner.peers[0];
            (void)symm_imports_enter(owner.imports);
            FORK_CHECK(self, symm_importer_address(peer, &offers[0].location, 1) == NULL);
            FORK_STATUS(self, ipc_peer_open(peer, &offers[0], 1), SYMM_OK);
            void *theirs = symm_importer_address(peer, &offers[0].location, 1);
            FORK_CHECK(self, device_is_filled(self, 1, theirs, IPC_SIZE, (uint64_t)round));
            FORK_CHECK(self, old.serial == 0 || symm_importer_address(peer, &old, 1) == NULL);
            symm_imports_leave(owner.imports);
        }
        old = offers[0].location;
        fork_rank_barrier(self);
        if (self->rank == 0) {
            before = memory;
            ipc_memory_free(self, 0, memory);
            if (round > 0) { /* otherwise the new one at its address gives it away */
                symm_exports_review(owner.exports, 1);
            }
        }
        fork_rank_barrier(self);
        if (self->rank == 1) {
            symm_importer_collect(owner.peers[0]);
            FORK_CHECK(self, (symm_importer_address(owner.peers[0], &old, 1) == NULL) ==
                                 (round > 0));
        }
    }
    FORK_CHECK(self, self->rank == 0 || symm_imports_enter(owner.imports) == 0);
    ipc_owner_end(self, &owner);
}

/* ---- bounds and failures --------------------------------------------------------------------- */

/* Rank 0 offers many allocations and rank 1 does `body` with them. */
typedef void with_offers(struct fork_rank *self, struct ipc_owner *owner,
                         const struct ipc_offer *offers);

static void use_offers(struct fork_rank *self, size_t most, with_offers *body)
{
    struct ipc_owner owner = ipc_owner_make(self, most);
    struct ipc_offer offers[MANY], mine = {.location = {.serial = 0}}, both[2];
    for (int i = 0; i < MANY; i++) {
        if (self->rank == 0) {
            mine = ipc_offer_make(self, &owner, ipc_memory_alloc(self, 0, IPC_SIZE), IPC_SIZE);
        }
        fork_rank_exchange(self, &mine, sizeof(mine), both);
        offers[i] = both[0];
    }
    if (self->rank == 1) {
        struct symm_cuda_scope scope; /* the driver is there, to be told what fails */
        FORK_STATUS(self, symm_cuda_enter(1, &scope), SYMM_OK);
        symm_cuda_leave(&scope);
        ipc_faults_set("");
        body(self, &owner, offers);
    }
    fork_rank_barrier(self);
    ipc_owner_end(self, &owner);
}

static bool is_there(const struct ipc_owner *owner, const struct ipc_offer *offer)
{
    return symm_importer_address(owner->peers[0], &offer->location, 1) != NULL;
}

static uint32_t dropped(const struct ipc_owner *owner)
{
    uint32_t count = symm_imports_enter(owner->imports);
    symm_imports_leave(owner->imports);
    return count;
}

/* One call that opens one allocation. */
static enum symm_status call_on(const struct ipc_owner *owner, const struct ipc_offer *offer)
{
    (void)symm_imports_enter(owner->imports);
    enum symm_status status = ipc_peer_open(owner->peers[0], offer, 1);
    symm_imports_leave(owner->imports);
    return status;
}

static void exceed_bound(struct fork_rank *self, struct ipc_owner *owner,
                         const struct ipc_offer *offers)
{
    struct ipc_offer huge = offers[4], large = offers[4];
    huge.handle.size = 1 << 30;
    large.handle.size = 2 * IPC_SIZE;
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[1]), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    FORK_CHECK(self, dropped(owner) == 0);
    FORK_STATUS(self, call_on(owner, &offers[2]), SYMM_OK); /* two fit: the older goes */
    FORK_CHECK(self, dropped(owner) == 1);
    (void)symm_imports_enter(owner->imports);
    FORK_CHECK(self, is_there(owner, &offers[0]) && is_there(owner, &offers[2]));
    FORK_CHECK(self, !is_there(owner, &offers[1]));
    FORK_STATUS(self, ipc_peer_open(owner->peers[0], &offers[3], 1), SYMM_ERR_NO_MEMORY);
    (void)symm_imports_enter(owner->imports); /* another thread comes and goes */
    symm_imports_leave(owner->imports);
    FORK_STATUS(self, ipc_peer_open(owner->peers[0], &offers[3], 1), SYMM_ERR_NO_MEMORY);
    symm_imports_leave(owner->imports); /* both were in use */
    (void)symm_imports_enter(owner->imports);
    (void)symm_imports_enter(owner->imports); /* of another thread */
    FORK_STATUS(self, ipc_peer_open(owner->peers[0], &offers[3], 1), SYMM_ERR_NO_MEMORY);
    symm_imports_leave(owner->imports);
    FORK_STATUS(self, ipc_peer_open(owner->peers[0], &huge, 1), SYMM_ERR_NO_MEMORY);
    FORK_CHECK(self, dropped(owner) == 1);
    FORK_STATUS(self, ipc_peer_open(owner->peers[0], &offers[3], 1), SYMM_OK);
    symm_imports_leave(owner->imports);
    FORK_CHECK(self, dropped(owner) == 2);
    /* one is in use, and without the other it is still too much */
    (void)symm_imports_enter(owner->imports);
    FORK_CHECK(self, is_there(owner, &offers[3]));
    FORK_STATUS(self, ipc_peer_open(owner->peers[0], &large, 1), SYMM_ERR_NO_MEMORY);
    symm_imports_leave(owner->imports);
    FORK_CHECK(self, dropped(owner) == 2);
}

static void test_bytes_are_bounded(struct fork_rank *self, void *context)
{
    (void)context;
    use_offers(self, 2 * IPC_SIZE + 1, exceed_bound);
}

static void meet_failures(struct fork_rank *self, struct ipc_owner *owner,
                          const struct ipc_offer *offers)
{
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[1]), SYMM_OK);
    ipc_faults_set("cuIpcOpenMemHandle:1");
    FORK_STATUS(self, call_on(owner, &offers[2]), SYMM_OK); /* without the others */
    FORK_CHECK(self, dropped(owner) == 2 && device_driver_uses(self, "cuIpcCloseMemHandle") == 2);
    ipc_faults_set("cuIpcOpenMemHandle:1+");
    FORK_STATUS(self, call_on(owner, &offers[3]), SYMM_ERR_NO_MEMORY);
    FORK_CHECK(self, dropped(owner) == 3 && device_failure_names("cuIpcOpenMemHandle"));
    ipc_faults_set("cuIpcOpenMemHandle:1:CUDA_ERROR_UNKNOWN");
    FORK_STATUS(self, call_on(owner, &offers[3]), SYMM_ERR_SYSTEM);
    FORK_STATUS(self, call_on(owner, &offers[3]), SYMM_OK);
    ipc_faults_set("cuCtxPushCurrent:1:CUDA_ERROR_UNKNOWN");
    FORK_STATUS(self, call_on(owner, &offers[4]), SYMM_ERR_SYSTEM);
    /* what stays open is closed later */
    ipc_faults_set("cuIpcCloseMemHandle:1,cuIpcOpenMemHandle:1");
    FORK_STATUS(self, call_on(owner, &offers[4]), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    FORK_CHECK(self, device_driver_uses(self, "cuIpcCloseMemHandle") == 2);
    FORK_STATUS(self, call_on(owner, &offers[3]), SYMM_OK);
    ipc_faults_set("");
}

/* Another library of the process has the allocation open in the same context. */
static void meet_another_library(struct fork_rank *self, struct ipc_owner *owner,
                                 const struct ipc_offer *offers)
{
    struct symm_cuda_scope scope;
    CUipcMemHandle handle;
    CUdeviceptr address;
    memcpy(handle.reserved, offers[0].handle.bytes, sizeof(handle.reserved));
    FORK_STATUS(self, symm_cuda_enter(1, &scope), SYMM_OK);
    FORK_CHECK(self, scope.cuda->cuIpcOpenMemHandle(
                         &address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == CUDA_SUCCESS);
    FORK_STATUS(self, call_on(owner, &offers[1]), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_ERR_SYSTEM);
    FORK_CHECK(self, device_failure_names("CUDA_ERROR_ALREADY_MAPPED"));
    FORK_CHECK(self, scope.cuda->cuIpcCloseMemHandle(address) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    FORK_CHECK(self, dropped(owner) == 0);
    struct ipc_offer renamed = offers[0]; /* we have it open ourselves, for another name */
    renamed.location.serial = offers[5].location.serial;
    renamed.location.index = offers[5].location.index;
    FORK_STATUS(self, call_on(owner, &renamed), SYMM_OK);
    FORK_CHECK(self, dropped(owner) == 1);
}

/* What the driver would not close must not be given again under another name. */
static void meet_stuck(struct fork_rank *self, struct ipc_owner *owner,
                       const struct ipc_offer *offers)
{
    struct ipc_offer renamed = offers[0];
    renamed.location = offers[5].location;
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    (void)symm_imports_enter(owner->imports); /* it is in use */
    FORK_CHECK(self, is_there(owner, &offers[0]));
    ipc_faults_set("");
    FORK_STATUS(self, ipc_peer_open(owner->peers[0], &renamed, 1), SYMM_ERR_SYSTEM);
    FORK_CHECK(self, device_failure_names("in use under the name of an earlier one"));
    symm_imports_leave(owner->imports);
    FORK_CHECK(self, dropped(owner) == 0);
    ipc_faults_set("cuIpcCloseMemHandle:1+");
    FORK_STATUS(self, call_on(owner, &renamed), SYMM_ERR_SYSTEM);
    FORK_CHECK(self, dropped(owner) == 1 && device_failure_names("cuIpcCloseMemHandle"));
    FORK_STATUS(self, call_on(owner, &renamed), SYMM_ERR_SYSTEM);
    FORK_CHECK(self, dropped(owner) == 1 && device_driver_uses(self, "cuIpcOpenMemHandle") == 0);
    ipc_faults_set("");
    FORK_STATUS(self, call_on(owner, &renamed), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[1]), SYMM_OK);
}

static void test_what_stays_open(struct fork_rank *self, void *context)
{
    (void)context;
    use_offers(self, 64 * IPC_MIB, meet_stuck);
}

static void test_calls_that_fail(struct fork_rank *self, void *context)
{
    (void)context;
    use_offers(self, 64 * IPC_MIB, meet_failures);
}

static void test_another_library(struct fork_rank *self, void *context)
{
    (void)context;
    use_offers(self, 64 * IPC_MIB, meet_another_library);
}

UNIT_MAIN("test_cuda_imports", 100,
    FORK_TEST(test_peers, 3),
    FORK_TEST(test_address_is_used_again, 2),
    FORK_TEST(test_bytes_are_bounded, 2),
    FORK_TEST(test_calls_that_fail, 2),
    FORK_TEST(test_what_stays_open, 2),
    FORK_TEST(test_another_library, 2))
