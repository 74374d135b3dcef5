/*
 * test_cuda_memory.c - what is known of memory that a program has from the driver
 * (heap/gpu/cuda_memory.c), and whether kernels of this library can use it, on the stand-in driver.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <string.h>

enum { SIZE = 2 << 20 };

/* Functions that the library has no use for itself. */
static struct {
    CUresult (*cuCtxCreate)(CUcontext *, unsigned, CUdevice);
    CUresult (*cuCtxDestroy)(CUcontext);
    CUresult (*cuMemAllocManaged)(CUdeviceptr *, size_t, unsigned);
    CUresult (*cuMemAllocAsync)(CUdeviceptr *, size_t, CUstream);
    CUresult (*cuMemFreeAsync)(CUdeviceptr, CUstream);
} program;

static void program_open(struct fork_rank *self)
{
    device_driver_symbol(self, "cuCtxCreate_v2", &program.cuCtxCreate);
    device_driver_symbol(self, "cuCtxDestroy_v2", &program.cuCtxDestroy);
    device_driver_symbol(self, "cuMemAllocManaged", &program.cuMemAllocManaged);
    device_driver_symbol(self, "cuMemAllocAsync", &program.cuMemAllocAsync);
    device_driver_symbol(self, "cuMemFreeAsync", &program.cuMemFreeAsync);
}

/* What the driver says of an address, and whether kernels on its device can use it: twice. */
static bool is_usable(struct fork_rank *self, CUdeviceptr address, enum symm_memory_kind kind,
                      bool ipc)
{
    struct symm_memory memory;
    const void *at = (const void *)(uintptr_t)(address + 100);
    FORK_CHECK(self, symm_cuda_memory_describe(at, &memory));
    FORK_CHECK(self, memory.kind == kind && memory.ipc == ipc);
    bool usable = symm_cuda_memory_is_usable(&memory, at);
    FORK_CHECK(self, symm_cuda_memory_is_usable(&memory, at) == usable);
    return usable;
}

static void test_driver_memory(struct fork_rank *self, void *context)
{
    struct symm_cuda_scope scope;
    CUdeviceptr memory;
    CUcontext own, popped;
    (void)context;
    device_driver_use();
    program_open(self);
    FORK_STATUS(self, symm_cuda_enter(0, &scope), SYMM_OK);
    FORK_CHECK(self, scope.cuda->cuMemAlloc(&memory, SIZE) == CUDA_SUCCESS);
    FORK_CHECK(self, is_usable(self, memory, SYMM_MEMORY_DEVICE, true));
    FORK_CHECK(self, scope.cuda->cuMemFree(memory) == CUDA_SUCCESS);
    FORK_CHECK(self, program.cuMemAllocAsync(&memory, SIZE, NULL) == CUDA_SUCCESS);
    FORK_CHECK(self, is_usable(self, memory, SYMM_MEMORY_DEVICE, false));
    FORK_CHECK(self, program.cuMemFreeAsync(memory, NULL) == CUDA_SUCCESS);
    FORK_CHECK(self, program.cuMemAllocManaged(&memory, SIZE, CU_MEM_ATTACH_GLOBAL) ==
                         CUDA_SUCCESS);
    FORK_CHECK(self, is_usable(self, memory, SYMM_MEMORY_MANAGED, false));
    FORK_CHECK(self, scope.cuda->cuMemFree(memory) == CUDA_SUCCESS);
    /* Kernels of another context do not reach it. */
    FORK_CHECK(self, program.cuCtxCreate(&own, 0, 0) == CUDA_SUCCESS);
    FORK_CHECK(self, scope.cuda->cuMemAlloc(&memory, SIZE) == CUDA_SUCCESS);
    FORK_CHECK(self, !is_usable(self, memory, SYMM_MEMORY_DEVICE, true));
    FORK_CHECK(self, scope.cuda->cuMemFree(memory) == CUDA_SUCCESS);
    FORK_CHECK(self, scope.cuda->cuCtxPopCurrent(&popped) == CUDA_SUCCESS);
    FORK_CHECK(self, program.cuCtxDestroy(own) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
}

/* Memory on device 0 that the program has mapped for some devices only. */
static void test_mapped_memory(struct fork_rank *self, void *context)
{
    struct symm_cuda_scope scope;
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    (void)context;
    device_driver_use();
    FORK_STATUS(self, symm_cuda_enter(0, &scope), SYMM_OK);
    for (int device = 0; device < 2; device++) {
        for (unsigned flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
             flags <= CU_MEM_ACCESS_FLAGS_PROT_READWRITE; flags += 2) {
            const CUmemAccessDesc access = {
                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}, .flags = flags};
            CUmemGenericAllocationHandle handle;
            CUdeviceptr memory;
            FORK_CHECK(self, scope.cuda->cuMemAddressReserve(&memory, SIZE, 0, 0, 0) ==
                                 CUDA_SUCCESS);
            FORK_CHECK(self, scope.cuda->cuMemCreate(&handle, SIZE, &properties, 0) ==
                                 CUDA_SUCCESS);
            FORK_CHECK(self, scope.cuda->cuMemMap(memory, SIZE, 0, handle, 0) == CUDA_SUCCESS);
            FORK_CHECK(self, scope.cuda->cuMemRelease(handle) == CUDA_SUCCESS);
            FORK_CHECK(self, scope.cuda->cuMemSetAccess(memory, SIZE, &access, 1) == CUDA_SUCCESS);
            FORK_CHECK(self, is_usable(self, memory, SYMM_MEMORY_DEVICE, false) ==
                                 (device == 0 && flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
            FORK_CHECK(self, scope.cuda->cuMemUnmap(memory, SIZE) == CUDA_SUCCESS);
            FORK_CHECK(self, scope.cuda->cuMemAddressFree(memory, SIZE) == CUDA_SUCCESS);
        }
    }
    symm_cuda_leave(&scope);
}

UNIT_MAIN("test_cuda_memory", 30,
    FORK_TEST(test_driver_memory, 1),
    FORK_TEST(test_mapped_memory, 1))
