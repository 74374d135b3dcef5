/*
 * test_standin_memory.c - the stand-in driver's memory: what it refuses, memory of other processes,
 * what the program must not touch, pinned host memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/standin_driver.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNIT = STANDIN_UNIT };

/* What the real driver refuses, and what only it could be thought to refuse. */
static void test_memory_rules(struct fork_rank *self, void *context)
{
    CUmemAllocationProp properties = standin_properties(0);
    CUmemAccessDesc access = {.location = properties.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUmemGenericAllocationHandle other;
    CUdeviceptr base;
    size_t size;
    unsigned yes;
    (void)context;
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuMemGetAllocationGranularity(&size, &properties,
                                                      CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    FORK_CHECK(self, size == UNIT);
    STANDIN_RESULT(self, cu.cuMemCreate(&handle, UNIT / 2, &properties, 0),
                   CUDA_ERROR_INVALID_VALUE);
    properties.location.id = 7;
    STANDIN_RESULT(self, cu.cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_INVALID_DEVICE);
    properties.location.id = 0;
    properties.requestedHandleTypes |= CU_MEM_HANDLE_TYPE_FABRIC;
    STANDIN_RESULT(self, cu.cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    STANDIN_OK(self, cu.cuMemCreate(&handle, 2 * UNIT, &properties, 0));
    STANDIN_OK(self, cu.cuMemCreate(&other, UNIT, &properties, 0));
    STANDIN_OK(self, cu.cuMemAddressReserve(&base, 8 * UNIT, 0, 0, 0));
    STANDIN_RESULT(self, cu.cuMemMap(base, UNIT, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemMap(base, UNIT, UNIT, handle, 0), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemMap(base + UNIT / 2, 2 * UNIT, 0, handle, 0),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemMap(base + 7 * UNIT, 2 * UNIT, 0, handle, 0),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemMap(base, 2 * UNIT, 0, handle, 0));
    STANDIN_RESULT(self, cu.cuMemMap(base + UNIT, UNIT, 0, other, 0), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemMap(base + 2 * UNIT, UNIT, 0, other, 0));
    STANDIN_RESULT(self, cu.cuMemsetD8(base, 1, UNIT), CUDA_ERROR_INVALID_VALUE); /* no access */
    STANDIN_RESULT(self, cu.cuMemSetAccess(base, UNIT, &access, 1), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemSetAccess(base, 4 * UNIT, &access, 1), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemSetAccess(base, 3 * UNIT, &access, 1));
    STANDIN_OK(self, cu.cuMemsetD8(base, 1, 3 * UNIT)); /* across both */
    STANDIN_RESULT(self, cu.cuMemsetD8(base, 1, 3 * UNIT + 1), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemRelease(handle));
    STANDIN_RESULT(self, cu.cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemGetAddressRange(&base, &size, base + UNIT));
    FORK_CHECK(self, size == 2 * UNIT);
    STANDIN_OK(self, cu.cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, base));
    FORK_CHECK(self, size == 8 * UNIT);
    yes = 1;
    STANDIN_RESULT(self, cu.cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, base),
                   CUDA_ERROR_NOT_SUPPORTED);
    STANDIN_RESULT(self, cu.cuMemUnmap(base, UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemAddressFree(base, 8 * UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemUnmap(base, 3 * UNIT));
    STANDIN_RESULT(self, cu.cuMemUnmap(base, 3 * UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemAddressFree(base, 4 * UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemAddressFree(base, 8 * UNIT));
    STANDIN_OK(self, cu.cuMemRelease(other));
}

struct offer {
    int pid, descriptor;
};

/* Rank 0's memory of device 0, seen by rank 1, which has device 1 only. */
static void test_memory_is_shared(struct fork_rank *self, void *context)
{
    CUmemAllocationProp properties = standin_properties(0);
    CUmemAccessDesc access = {.location = properties.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr base;
    struct offer offers[2] = {{.pid = getpid(), .descriptor = -1}, {0}};
    (void)context;
    (void)setenv("CUDA_VISIBLE_DEVICES", self->rank == 0 ? "0" : "1", 1);
    standin_start(self, 0);
    if (self->rank == 0) {
        STANDIN_OK(self, cu.cuMemCreate(&handle, 2 * UNIT, &properties, 0));
        STANDIN_OK(self, cu.cuMemExportToShareableHandle(
                             &offers[0].descriptor, handle,
                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    }
    struct offer mine = offers[0];
    fork_rank_exchange(self, &mine, sizeof mine, offers);
    if (self->rank == 1) {
        char name[64];
        (void)snprintf(name, sizeof name, "/proc/%d/fd/%d", offers[0].pid, offers[0].descriptor);
        int descriptor = open(name, O_RDWR | O_CLOEXEC);
        FORK_CHECK(self, descriptor >= 0);
        STANDIN_OK(self, cu.cuMemImportFromShareableHandle(
                             &handle, (void *)(uintptr_t)descriptor,
                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
        (void)close(descriptor);
        descriptor = memfd_create("not the driver's", 0);
        CUmemGenericAllocationHandle none;
        STANDIN_RESULT(self,
                       cu.cuMemImportFromShareableHandle(
                           &none, (void *)(uintptr_t)descriptor,
                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                       CUDA_ERROR_INVALID_VALUE);
    }
    STANDIN_OK(self, cu.cuMemAddressReserve(&base, 2 * UNIT, 0, 0, 0));
    STANDIN_OK(self, cu.cuMemMap(base, 2 * UNIT, 0, handle, 0));
    STANDIN_OK(self, cu.cuMemSetAccess(base, 2 * UNIT, &access, 1));
    if (self->rank == 0) {
        standin_numbers_put(self, base, 1000, UNIT / 4);
    }
    fork_rank_barrier(self);
    standin_numbers_check(self, base, 1000, UNIT / 4);
    fork_rank_barrier(self);
    if (self->rank == 1) {
        int device;
        standin_numbers_put(self, base, 5, UNIT / 4);
        STANDIN_OK(self, cu.cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                                  base));
        FORK_CHECK(self, device == CU_DEVICE_INVALID);
    }
    fork_rank_barrier(self);
    standin_numbers_check(self, base, 5, UNIT / 4);
}

static void touch_vmm(struct fork_rank *self)
{
    standin_start(self, 0);
    volatile uint32_t *memory = (uint32_t *)(uintptr_t)standin_memory_make(self, 0, 1);
    standin_numbers_put(self, (uintptr_t)memory, 1, 16);
    (void)*memory;
}

static void touch_allocated(struct fork_rank *self)
{
    CUdeviceptr memory;
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuMemAlloc(&memory, 64));
    *(volatile uint32_t *)(uintptr_t)memory = 1;
}

static void touch_nothing(struct fork_rank *self)
{
    standin_start(self, 0);
}

/* A sanitizer makes an exit of the signal. */
static bool crashes(void (*body)(struct fork_rank *self), struct fork_rank *self)
{
    char said[4096];
    int status = standin_child(body, self, said);
    return (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) ||
           (status != 0 && strstr(said, "Sanitizer") != NULL);
}

static void test_program_cannot_touch_device_memory(struct fork_rank *self, void *context)
{
    (void)context;
    FORK_CHECK(self, !crashes(touch_nothing, self));
    FORK_CHECK(self, crashes(touch_vmm, self));
    FORK_CHECK(self, crashes(touch_allocated, self));
}

static void test_pinned_memory(struct fork_rank *self, void *context)
{
    void *pinned;
    CUdeviceptr address;
    unsigned type;
    static uint32_t ours[1024];
    (void)context;
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_PORTABLE));
    STANDIN_OK(self, cu.cuMemHostGetDevicePointer(&address, (char *)pinned + 8, 0));
    FORK_CHECK(self, address == (uintptr_t)pinned + 8);
    STANDIN_OK(self, cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
    FORK_CHECK(self, type == CU_MEMORYTYPE_HOST);
    STANDIN_RESULT(self,
                   cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                            (uintptr_t)ours),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemHostGetDevicePointer(&address, ours, 0), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemHostRegister(ours, sizeof ours, 0));
    STANDIN_OK(self, cu.cuMemHostGetDevicePointer(&address, ours, 0));
    STANDIN_RESULT(self, cu.cuMemHostRegister(ours + 1, 4, 0),
                   CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    STANDIN_OK(self, cu.cuMemHostUnregister(ours));
    STANDIN_RESULT(self, cu.cuMemHostUnregister(ours), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    STANDIN_RESULT(self, cu.cuMemFreeHost(ours), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemFreeHost(pinned));
}

UNIT_MAIN("test_standin_memory", 100,
    FORK_TEST(test_memory_rules, 1),
    FORK_TEST(test_memory_is_shared, 2),
    FORK_TEST(test_program_cannot_touch_device_memory, 1),
    FORK_TEST(test_pinned_memory, 1))
