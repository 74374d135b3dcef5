/*
 * test_standin_ipc.c - the stand-in driver's CUDA IPC: memory of one process in another, and what
 * is refused.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/standin_driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { UNIT = STANDIN_UNIT, LAZY = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS };

static CUipcMemHandle handles[FORK_RANKS_MAX]; /* of each rank's memory */

/* Memory of this rank's device, 0 or 1, with numbers that tell whose it is. */
static CUdeviceptr memory_offer(struct fork_rank *self)
{
    CUdeviceptr memory;
    CUipcMemHandle handle;
    standin_start(self, self->rank % 2);
    STANDIN_OK(self, cu.cuMemAlloc(&memory, UNIT + 4));
    standin_numbers_put(self, memory, 1000 * (uint32_t)self->rank, UNIT / 4);
    STANDIN_OK(self, cu.cuIpcGetMemHandle(&handle, memory));
    fork_rank_exchange(self, &handle, sizeof handle, handles);
    return memory;
}

static void test_memory_is_shared(struct fork_rank *self, void *context)
{
    CUdeviceptr memory = memory_offer(self), theirs, again;
    size_t size;
    int other = 1 - self->rank;
    (void)context;
    STANDIN_OK(self, cu.cuIpcOpenMemHandle(&theirs, handles[other], LAZY));
    STANDIN_OK(self, cu.cuMemGetAddressRange(&again, &size, theirs + UNIT));
    FORK_CHECK(self, again == theirs && size == 2 * UNIT);
    standin_numbers_check(self, theirs, 1000 * (uint32_t)other, UNIT / 4);
    fork_rank_barrier(self);
    standin_numbers_put(self, theirs, 7, UNIT / 4);
    fork_rank_barrier(self);
    standin_numbers_check(self, memory, 7, UNIT / 4);
    fork_rank_barrier(self);
    STANDIN_OK(self, cu.cuMemFree(memory));
    fork_rank_barrier(self);
    standin_numbers_check(self, theirs, 7, UNIT / 4); /* it stays until it is closed */
    STANDIN_OK(self, cu.cuIpcCloseMemHandle(theirs));
    STANDIN_RESULT(self, cu.cuIpcCloseMemHandle(theirs), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemsetD8(theirs, 1, 4), CUDA_ERROR_INVALID_VALUE);
    fork_rank_barrier(self);
    STANDIN_RESULT(self, cu.cuIpcOpenMemHandle(&again, handles[other], LAZY),
                   CUDA_ERROR_INVALID_HANDLE);
    STANDIN_OK(self, cu.cuMemAlloc(&memory, UNIT)); /* perhaps with the same descriptor */
    fork_rank_barrier(self);
    STANDIN_RESULT(self, cu.cuIpcOpenMemHandle(&again, handles[other], LAZY),
                   CUDA_ERROR_INVALID_HANDLE);
    fork_rank_barrier(self);
}

static void test_rules_of_export(struct fork_rank *self, void *context)
{
    CUdeviceptr memory = memory_offer(self), other;
    CUipcMemHandle handle, same;
    void *pinned;
    (void)context;
    STANDIN_RESULT(self, cu.cuIpcOpenMemHandle(&other, handles[0], LAZY),
                   CUDA_ERROR_INVALID_CONTEXT);
    STANDIN_OK(self, cu.cuIpcGetMemHandle(&same, memory));
    FORK_CHECK(self, memcmp(&same, &handles[0], sizeof same) == 0);
    STANDIN_RESULT(self, cu.cuIpcGetMemHandle(&handle, memory + 4), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemAlloc(&other, 4));
    STANDIN_OK(self, cu.cuIpcGetMemHandle(&handle, other));
    FORK_CHECK(self, memcmp(&handle, &same, sizeof handle) != 0);
    STANDIN_RESULT(self, cu.cuIpcGetMemHandle(&handle, standin_memory_make(self, 0, 1)),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_PORTABLE));
    STANDIN_RESULT(self, cu.cuIpcGetMemHandle(&handle, (uintptr_t)pinned),
                   CUDA_ERROR_INVALID_VALUE);
    memset(&handle, 0, sizeof handle);
    STANDIN_RESULT(self, cu.cuIpcOpenMemHandle(&other, handle, LAZY), CUDA_ERROR_INVALID_VALUE);
}

static void test_rules_of_opening(struct fork_rank *self, void *context)
{
    CUipcMemHandle handle;
    CUdeviceptr first, second, third;
    CUcontext away;
    unsigned capable;
    int device;
    (void)context;
    (void)memory_offer(self);
    const CUipcMemHandle theirs = handles[1 - self->rank];
    STANDIN_RESULT(self, cu.cuIpcOpenMemHandle(&first, theirs, 0), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuIpcOpenMemHandle(&first, theirs, LAZY));
    STANDIN_RESULT(self, cu.cuIpcOpenMemHandle(&second, theirs, LAZY), CUDA_ERROR_ALREADY_MAPPED);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRetain(&away, 1 - self->rank));
    STANDIN_OK(self, cu.cuCtxSetCurrent(away));
    STANDIN_OK(self, cu.cuIpcOpenMemHandle(&second, theirs, LAZY)); /* for another context */
    FORK_CHECK(self, first != second);
    STANDIN_RESULT(self, cu.cuIpcCloseMemHandle(first), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuIpcCloseMemHandle(second + 4), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemFree(second), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemUnmap(second, 2 * UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemAddressFree(second, 2 * UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuIpcGetMemHandle(&handle, second), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuPointerGetAttribute(
                         &capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, second));
    FORK_CHECK(self, capable == 0);
    STANDIN_OK(self, cu.cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                              second));
    FORK_CHECK(self, device == 1 - self->rank);
    STANDIN_OK(self, cu.cuIpcCloseMemHandle(second));
    STANDIN_OK(self, cu.cuIpcOpenMemHandle(&third, theirs, LAZY)); /* closed and opened again */
    fork_rank_barrier(self);
}

static void test_devices_without_link(struct fork_rank *self, void *context)
{
    CUdeviceptr theirs;
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_NO_PEER", "0-1", 1) == 0);
    (void)memory_offer(self);
    STANDIN_RESULT(self, cu.cuIpcOpenMemHandle(&theirs, handles[1 - self->rank], LAZY),
                   CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    fork_rank_barrier(self);
}

/* ---- at exit --------------------------------------------------------------------------------- */

static void leave_open(struct fork_rank *self)
{
    CUdeviceptr theirs;
    FORK_CHECK(self, setenv("SYMM_STANDIN_STRICT", "1", 1) == 0);
    FORK_CHECK(self, setenv("SYMM_STANDIN_KEPT", "context", 1) == 0);
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuIpcOpenMemHandle(&theirs, handles[0], LAZY));
}

static void leave_closed(struct fork_rank *self)
{
    CUdeviceptr theirs;
    FORK_CHECK(self, setenv("SYMM_STANDIN_STRICT", "1", 1) == 0);
    FORK_CHECK(self, setenv("SYMM_STANDIN_KEPT", "context", 1) == 0);
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuIpcOpenMemHandle(&theirs, handles[0], LAZY));
    STANDIN_OK(self, cu.cuIpcCloseMemHandle(theirs));
}

/* The second rank has no driver itself, because children cannot use one. */
static void test_what_is_left_open_is_told(struct fork_rank *self, void *context)
{
    char said[4096];
    CUipcMemHandle none = {{0}};
    (void)context;
    if (self->rank == 0) {
        (void)memory_offer(self);
    } else {
        fork_rank_exchange(self, &none, sizeof none, handles);
        int status = standin_child(leave_open, self, said);
        FORK_CHECK(self, WIFEXITED(status) && WEXITSTATUS(status) == 86);
        FORK_CHECK(self, strstr(said, "1 of these are left: ipc") != NULL);
        status = standin_child(leave_closed, self, said);
        FORK_CHECK(self, WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    fork_rank_barrier(self);
}

UNIT_MAIN("test_standin_ipc", 100,
    FORK_TEST(test_memory_is_shared, 2),
    FORK_TEST(test_rules_of_export, 1),
    FORK_TEST(test_rules_of_opening, 2),
    FORK_TEST(test_devices_without_link, 2),
    FORK_TEST(test_what_is_left_open_is_told, 2))
