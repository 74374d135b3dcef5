/*
 * test_cuda_exports.c - memory from elsewhere that is offered to other processes
 * (heap/gpu/cuda_ipc.h), on the stand-in driver: names, uses, handles, and what has been
 * freed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/ipc_owner.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 6 };

static void test_locations(struct fork_rank *self, void *context)
{
    struct ipc_owner owner = ipc_owner_make(self, IPC_SIZE);
    struct symm_location location, other;
    struct symm_ipc_handle handle, again;
    unsigned uses;
    (void)context;
    char *one = ipc_memory_alloc(self, 0, IPC_SIZE), *two = ipc_memory_alloc(self, 1, IPC_SIZE);
    ipc_faults_set("");
    FORK_STATUS(self, ipc_locate(&owner, one + 100, 50, &location, &uses), SYMM_OK);
    FORK_CHECK(self, uses == 1 && location.heap == SYMM_HEAP_IPC && location.offset == 100);
    FORK_STATUS(self, ipc_locate(&owner, two, IPC_SIZE, &other, &uses), SYMM_OK);
    FORK_CHECK(self, uses == 1 && other.serial != location.serial);
    FORK_CHECK(self, other.index != location.index);
    FORK_STATUS(self, ipc_locate(&owner, one, IPC_SIZE, &other, &uses), SYMM_OK);
    FORK_CHECK(self, uses == 2 && other.serial == location.serial && other.offset == 0);
    FORK_STATUS(self, ipc_locate(&owner, one + 1, IPC_SIZE, &other, &uses), SYMM_ERR_FOREIGN);
    FORK_STATUS(self, ipc_locate(&owner, &owner, 1, &other, &uses), SYMM_ERR_FOREIGN);
    FORK_CHECK(self, device_driver_uses(self, "cuIpcGetMemHandle") == 0);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &handle), SYMM_OK);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &again), SYMM_OK);
    FORK_CHECK(self, memcmp(&handle, &again, sizeof(handle)) == 0 && handle.size == IPC_SIZE);
    FORK_CHECK(self, device_driver_uses(self, "cuIpcGetMemHandle") == 1);
    ipc_memory_free(self, 0, one);
    symm_exports_review(owner.exports, MANY);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &handle), SYMM_ERR_FOREIGN);
    FORK_STATUS(self, ipc_locate(&owner, two, IPC_SIZE, &other, &uses), SYMM_OK);
    FORK_CHECK(self, uses == 2);
    ipc_owner_end(self, &owner);
}

/* As the driver would describe the i-th of many allocations. */
static unsigned sight(struct fork_rank *self, const struct ipc_owner *owner, int i)
{
    struct symm_memory memory = {
        .kind = SYMM_MEMORY_DEVICE,
        .base = ((uintptr_t)1 << 60) + (uintptr_t)i * IPC_SIZE, /* nothing else is there */
        .size = IPC_SIZE,
        .id = (uint64_t)i + 1000,
        .ipc = true,
    };
    struct symm_location location;
    unsigned uses;
    FORK_STATUS(self, symm_exports_locate(owner->exports, &memory, (void *)memory.base, 1, false,
                                          &location, &uses), SYMM_OK);
    return uses;
}

/*
 * More allocations than there are places: one that peers have heard of stays, and of others the
 * last ones.
 */
static void test_places_are_used_again(struct fork_rank *self, void *context)
{
    struct ipc_owner owner = ipc_owner_make(self, IPC_SIZE);
    (void)context;
    struct ipc_offer kept = ipc_offer_make(self, &owner, ipc_memory_alloc(self, 0, IPC_SIZE), 1);
    for (int i = 0; i < 1500; i++) {
        FORK_CHECK(self, sight(self, &owner, i) == 1);
    }
    for (int i = 1000; i < 1500; i++) {
        FORK_CHECK(self, sight(self, &owner, i) == 2);
    }
    FORK_CHECK(self, sight(self, &owner, 0) == 1);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &kept.location, &kept.handle), SYMM_OK);
    ipc_owner_end(self, &owner);
}

/*
 * What has been freed is noticed at once, however many allocations there are: only others count as
 * asked about.
 */
static void test_freed_is_noticed(struct fork_rank *self, void *context)
{
    struct ipc_owner owner = ipc_owner_make(self, IPC_SIZE);
    struct ipc_offer offers[MANY];
    struct symm_ipc_handle handle;
    void *blocks[MANY];
    (void)context;
    for (int i = 0; i < MANY; i++) {
        blocks[i] = ipc_memory_alloc(self, 0, 1);
        offers[i] = ipc_offer_make(self, &owner, blocks[i], 1);
    }
    for (int i = 1; i < MANY - 1; i++) {
        ipc_memory_free(self, 0, blocks[i]);
    }
    ipc_faults_set("");
    symm_exports_review(owner.exports, 2);
    FORK_CHECK(self, device_driver_uses(self, "cuPointerGetAttribute") == MANY);
    for (int i = 0; i < MANY; i++) {
        FORK_STATUS(self, symm_exports_handle(owner.exports, &offers[i].location, &handle),
                    i == 0 || i == MANY - 1 ? SYMM_OK : SYMM_ERR_FOREIGN);
    }
    symm_exports_review(owner.exports, 1);
    FORK_CHECK(self, device_driver_uses(self, "cuPointerGetAttribute") == MANY + 1);
    ipc_owner_end(self, &owner);
}

/* ---- handles --------------------------------------------------------------------------------- */

static void test_handles_that_are_refused(struct fork_rank *self, void *context)
{
    struct ipc_owner owner = ipc_owner_make(self, IPC_SIZE);
    struct symm_location location;
    struct symm_ipc_handle handle;
    unsigned uses;
    (void)context;
    void *memory = ipc_memory_alloc(self, 0, IPC_SIZE);
    FORK_STATUS(self, ipc_locate(&owner, memory, IPC_SIZE, &location, &uses), SYMM_OK);
    ipc_faults_set("cuIpcGetMemHandle:1");
    for (int round = 0; round < 2; round++) {
        FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &handle),
                    SYMM_ERR_SYSTEM);
    }
    FORK_CHECK(self, device_driver_uses(self, "cuIpcGetMemHandle") == 1);
    ipc_faults_set("cuPointerGetAttribute:1"); /* which says nothing about the memory */
    symm_exports_review(owner.exports, 1);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &handle), SYMM_ERR_SYSTEM);
    ipc_owner_end(self, &owner);
}

/* Kernels, which run in the primary context, need not reach what is another context's. */
static void test_contexts_of_programs(struct fork_rank *self, void *context)
{
    struct ipc_owner owner = ipc_owner_make(self, IPC_SIZE);
    struct symm_location location;
    struct symm_ipc_handle handle;
    struct symm_cuda_scope scope;
    CUcontext own;
    CUdeviceptr memory;
    unsigned uses;
    (void)context;
    FORK_STATUS(self, symm_cuda_enter(0, &scope), SYMM_OK);
    CUresult (*create)(CUcontext *, unsigned, CUdevice);
    device_driver_symbol(self, "cuCtxCreate_v2", &create);
    FORK_CHECK(self, create(&own, 0, scope.device) == CUDA_SUCCESS);
    FORK_CHECK(self, scope.cuda->cuMemAlloc(&memory, IPC_SIZE) == CUDA_SUCCESS);
    FORK_STATUS(self, ipc_locate(&owner, (void *)(uintptr_t)memory, 1, &location, &uses),
                SYMM_OK);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &handle), SYMM_ERR_FOREIGN);
    FORK_CHECK(self, device_failure_names("a context of the program's own"));
    ipc_owner_end(self, &owner);
}

UNIT_MAIN("test_cuda_exports", 100,
    FORK_TEST(test_locations, 1),
    FORK_TEST(test_places_are_used_again, 1),
    FORK_TEST(test_freed_is_noticed, 1),
    FORK_TEST(test_handles_that_are_refused, 1),
    FORK_TEST(test_contexts_of_programs, 1))
