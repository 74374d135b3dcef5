/*
 * test_standin_machine.c - the stand-in driver's devices that lack something, and contexts that
 * programs make.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/standin_driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = STANDIN_UNIT };

static void set(struct fork_rank *self, const char *name, const char *value)
{
    FORK_CHECK(self, setenv(name, value, 1) == 0);
}

static int attribute(struct fork_rank *self, CUdevice_attribute attribute, int device)
{
    int value = -1;
    STANDIN_OK(self, cu.cuDeviceGetAttribute(&value, attribute, device));
    return value;
}

/* Memory of device 0, mapped; access is for the caller to give. */
static CUdeviceptr map_unit(struct fork_rank *self)
{
    CUmemAllocationProp properties = standin_properties(0);
    CUmemGenericAllocationHandle handle;
    CUdeviceptr base;
    STANDIN_OK(self, cu.cuMemCreate(&handle, UNIT, &properties, 0));
    STANDIN_OK(self, cu.cuMemAddressReserve(&base, UNIT, 0, 0, 0));
    STANDIN_OK(self, cu.cuMemMap(base, UNIT, 0, handle, 0));
    return base;
}

static CUresult give_access(CUdeviceptr base, int device)
{
    CUmemAllocationProp properties = standin_properties(device);
    CUmemAccessDesc access = {.location = properties.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return cu.cuMemSetAccess(base, UNIT, &access, 1);
}

static void test_without_links(struct fork_rank *self, void *context)
{
    (void)context;
    set(self, "SYMM_STANDIN_DEVICES", "4");
    set(self, "SYMM_STANDIN_NO_PEER", "3-1,2-3");
    set(self, "CUDA_VISIBLE_DEVICES", "3,0,1,2");
    standin_start(self, 0);
    CUdeviceptr base = map_unit(self);
    STANDIN_OK(self, give_access(base, 0));
    STANDIN_OK(self, give_access(base, 1));
    STANDIN_RESULT(self, give_access(base, 2), CUDA_ERROR_INVALID_DEVICE);
    STANDIN_RESULT(self, give_access(base, 3), CUDA_ERROR_INVALID_DEVICE);
}

static void test_without_functions(struct fork_rank *self, void *context)
{
    CUmemAllocationProp properties = standin_properties(1);
    CUmemGenericAllocationHandle handle;
    CUdeviceptr plain;
    (void)context;
    set(self, "SYMM_STANDIN_DEVICES", "3");
    set(self, "SYMM_STANDIN_NO_VMM", "1");
    set(self, "SYMM_STANDIN_NO_EXPORT", "2");
    standin_start(self, 1);
    for (int device = 0; device < 3; device++) {
        FORK_CHECK(self, attribute(self, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                   device) == (device != 1));
        FORK_CHECK(self,
                   attribute(self, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
                             device) == (device == 0));
    }
    STANDIN_RESULT(self, cu.cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
    STANDIN_OK(self, cu.cuMemAlloc(&plain, 1000));
    STANDIN_OK(self, cu.cuMemFree(plain));
    properties.location.id = 2;
    STANDIN_RESULT(self, cu.cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
    STANDIN_OK(self, cu.cuMemCreate(&handle, UNIT, &properties, 0));
}

static void test_slice(struct fork_rank *self, void *context)
{
    char name[64];
    int count;
    (void)context;
    set(self, "SYMM_STANDIN_MIG", "1");
    set(self, "CUDA_VISIBLE_DEVICES", "1,0");
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuDeviceGetCount(&count));
    FORK_CHECK(self, count == 1);
    STANDIN_OK(self, cu.cuDeviceGetName(name, sizeof name, 0));
    FORK_CHECK(self, strcmp(name, "Stand-in device 1 MIG 1g.10gb") == 0);
}

/* A context of its own beside the primary one: current when made, and gone with its streams. */
static void test_own_contexts(struct fork_rank *self, void *unused)
{
    CUcontext primary, own, found;
    CUstream stream;
    CUresult (*create)(CUcontext *context, unsigned flags, CUdevice device);
    CUresult (*destroy)(CUcontext context);
    void *address;
    CUdevice device;
    (void)unused;
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuCtxGetCurrent(&primary));
    STANDIN_OK(self, cu.find("cuCtxCreate", &address, 3020, 0, NULL));
    memcpy(&create, &address, sizeof address);
    STANDIN_OK(self, cu.find("cuCtxDestroy", &address, 4000, 0, NULL));
    memcpy(&destroy, &address, sizeof address);
    STANDIN_RESULT(self, create(&own, 0, 7), CUDA_ERROR_INVALID_DEVICE);
    STANDIN_OK(self, create(&own, 0, 1));
    STANDIN_OK(self, cu.cuCtxGetCurrent(&found));
    FORK_CHECK(self, found == own && own != primary);
    STANDIN_OK(self, cu.cuCtxGetDevice(&device));
    FORK_CHECK(self, device == 1);
    STANDIN_OK(self, cu.cuStreamCreate(&stream, 0));
    STANDIN_OK(self, destroy(own));
    STANDIN_OK(self, cu.cuCtxGetCurrent(&found));
    FORK_CHECK(self, found == primary);
    STANDIN_RESULT(self, cu.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    STANDIN_RESULT(self, cu.cuCtxPushCurrent(own), CUDA_ERROR_INVALID_CONTEXT);
    STANDIN_RESULT(self, destroy(own), CUDA_ERROR_INVALID_CONTEXT);
}

UNIT_MAIN("test_standin_machine", 60,
    FORK_TEST(test_without_links, 1),
    FORK_TEST(test_without_functions, 1),
    FORK_TEST(test_slice, 1),
    FORK_TEST(test_own_contexts, 1))
