/*
 * test_standin_multicast.c - the stand-in driver's multicast objects keep the rules of the real
 * driver: what is done in the wrong order, twice, or at the wrong place, fails.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/standin_driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "kernels/cuda/device_code/arguments.h"

enum { UNIT = STANDIN_UNIT, SIZE = 2 * UNIT };

static CUmulticastObjectProp properties_of(unsigned devices)
{
    return (CUmulticastObjectProp){.numDevices = devices, .size = SIZE,
                                   .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR};
}

static CUmemGenericAllocationHandle memory_on(struct fork_rank *self, int device, size_t size)
{
    CUmemAllocationProp properties = standin_properties(device);
    CUmemGenericAllocationHandle handle;
    STANDIN_OK(self, cu.cuMemCreate(&handle, size, &properties, 0));
    return handle;
}

static CUdeviceptr mapped(struct fork_rank *self, CUmemGenericAllocationHandle handle, size_t size,
                          int device)
{
    CUmemAccessDesc access = {.location = standin_properties(device).location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr address;
    STANDIN_OK(self, cu.cuMemAddressReserve(&address, size, 0, 0, 0));
    STANDIN_OK(self, cu.cuMemMap(address, size, 0, handle, 0));
    STANDIN_OK(self, cu.cuMemSetAccess(address, size, &access, 1));
    return address;
}

/* One process with both devices. */
static void test_rules(struct fork_rank *self, void *context)
{
    CUmulticastObjectProp properties = properties_of(2);
    CUmemGenericAllocationHandle object, memories[2], large;
    CUdeviceptr address;
    size_t granularity;
    int able = 0;
    (void)context;
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuDeviceGetAttribute(&able, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 1));
    FORK_CHECK(self, able == 1);
    STANDIN_OK(self, cu.cuMulticastGetGranularity(&granularity, &properties,
                                                  CU_MULTICAST_GRANULARITY_MINIMUM));
    FORK_CHECK(self, granularity == UNIT);
    properties.size = UNIT + 4096;
    STANDIN_RESULT(self, cu.cuMulticastCreate(&object, &properties), CUDA_ERROR_INVALID_VALUE);
    properties = properties_of(0);
    STANDIN_RESULT(self, cu.cuMulticastCreate(&object, &properties), CUDA_ERROR_INVALID_VALUE);
    properties = properties_of(2);
    properties.handleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    STANDIN_RESULT(self, cu.cuMulticastCreate(&object, &properties), CUDA_ERROR_NOT_SUPPORTED);
    properties = properties_of(2);
    STANDIN_OK(self, cu.cuMulticastCreate(&object, &properties));
    memories[0] = memory_on(self, 0, SIZE);
    memories[1] = memory_on(self, 1, SIZE);
    large = memory_on(self, 1, SIZE + UNIT);

    STANDIN_OK(self, cu.cuMulticastAddDevice(object, 0));
    STANDIN_RESULT(self, cu.cuMulticastAddDevice(object, 0), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMulticastAddDevice(object, 7), CUDA_ERROR_INVALID_DEVICE);
    STANDIN_RESULT(self, cu.cuMulticastAddDevice(memories[0], 1), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMulticastBindMem(object, 0, memories[0], 0, SIZE, 0),
                   CUDA_ERROR_ILLEGAL_STATE); /* too early */
    STANDIN_OK(self, cu.cuMemAddressReserve(&address, SIZE, 0, 0, 0));
    STANDIN_RESULT(self, cu.cuMemMap(address, SIZE, 0, object, 0), CUDA_ERROR_ILLEGAL_STATE);
    STANDIN_OK(self, cu.cuMulticastAddDevice(object, 1));

    STANDIN_RESULT(self, cu.cuMulticastBindMem(object, 0, memories[0], 4096, UNIT, 0),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMulticastBindMem(object, UNIT, memories[0], 0, SIZE, 0),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMulticastBindMem(object, 0, object, 0, SIZE, 0),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMulticastBindMem(object, 0, memories[0], 0, SIZE, 0));
    STANDIN_RESULT(self, cu.cuMulticastBindMem(object, 0, memories[0], 0, SIZE, 0),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMulticastBindMem(object, 0, large, UNIT, SIZE, 0));
    STANDIN_OK(self, cu.cuMemMap(address, SIZE, 0, object, 0));
    STANDIN_RESULT(self, cu.cuMulticastUnbind(object, 0, 0, UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMulticastUnbind(object, 0, UNIT, SIZE), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMulticastUnbind(object, 0, 0, SIZE));
    STANDIN_RESULT(self, cu.cuMulticastUnbind(object, 0, 0, SIZE), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMulticastUnbind(object, 1, 0, SIZE));
    STANDIN_OK(self, cu.cuMemUnmap(address, SIZE));
    STANDIN_OK(self, cu.cuMemRelease(object));
    STANDIN_RESULT(self, cu.cuMulticastAddDevice(object, 0), CUDA_ERROR_INVALID_VALUE);
}

static void test_without_multicast(struct fork_rank *self, void *context)
{
    CUmulticastObjectProp properties = properties_of(2);
    CUmemGenericAllocationHandle object;
    int able = 1;
    FORK_CHECK(self, setenv(context, strcmp(context, "SYMM_STANDIN_CAPABILITY") == 0 ? "8" : "0",
                            1) == 0);
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuDeviceGetAttribute(&able, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0));
    FORK_CHECK(self, able == 0);
    STANDIN_RESULT(self, cu.cuMulticastCreate(&object, &properties), CUDA_ERROR_NOT_SUPPORTED);
}

/* ---- launches -------------------------------------------------------------------------------- */

static uint32_t *flag; /* pinned: which a kernel raises at its end */

/* A copy of no bytes, so that nothing but the addresses matters. */
static CUresult launch(CUfunction kernel, CUdeviceptr output, const CUdeviceptr *replicas,
                       int count)
{
    struct symm_cuda_multimem_copy copy = {.output = (void *)(uintptr_t)output};
    void *parameters[] = {&copy};
    copy.unicast.output_count = count;
    for (int i = 0; i < count; i++) {
        copy.unicast.outputs[i] = (void *)(uintptr_t)replicas[i];
    }
    copy.finish.flags = flag;
    copy.finish.sequence = *flag + 1;
    return cu.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL);
}

static void test_launches(struct fork_rank *self, void *context)
{
    const CUresult bad = CUDA_ERROR_INVALID_VALUE;
    CUmulticastObjectProp properties = properties_of(2);
    CUmemGenericAllocationHandle object, memories[2], other;
    CUdeviceptr replicas[2], wrong[2];
    CUmodule module;
    CUfunction kernel;
    (void)context;
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuMemHostAlloc((void **)&flag, sizeof(*flag), 0));
    *flag = 0;
    STANDIN_OK(self, cu.cuModuleLoadData(&module, ".version 8.0\n"));
    STANDIN_OK(self, cu.cuModuleGetFunction(&kernel, module, "symm_multimem_copy"));
    STANDIN_OK(self, cu.cuMulticastCreate(&object, &properties));
    for (int device = 0; device < 2; device++) {
        STANDIN_OK(self, cu.cuMulticastAddDevice(object, device));
        memories[device] = memory_on(self, device, SIZE);
        replicas[device] = mapped(self, memories[device], SIZE, 0);
    }
    other = memory_on(self, 1, SIZE);
    CUdeviceptr address = mapped(self, object, SIZE, 0);
    STANDIN_RESULT(self, cu.cuMemcpyDtoH(&properties, address, 4), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMulticastBindMem(object, 0, memories[0], 0, SIZE, 0));
    STANDIN_RESULT(self, launch(kernel, address, replicas, 2), bad); /* one is missing */
    STANDIN_OK(self, cu.cuMulticastBindMem(object, 0, memories[1], 0, SIZE, 0));
    STANDIN_OK(self, launch(kernel, address, replicas, 2));
    STANDIN_OK(self, cu.cuCtxSynchronize());
    FORK_CHECK(self, *flag == 1);
    wrong[0] = replicas[0];
    wrong[1] = replicas[1] + 16;
    STANDIN_RESULT(self, launch(kernel, address, wrong, 2), bad);
    wrong[1] = mapped(self, other, SIZE, 0);
    STANDIN_RESULT(self, launch(kernel, address, wrong, 2), bad);
    wrong[1] = replicas[0];
    STANDIN_RESULT(self, launch(kernel, address, wrong, 2), bad);
    STANDIN_RESULT(self, launch(kernel, address, replicas, 1), bad);
    STANDIN_RESULT(self, launch(kernel, replicas[0], replicas, 2), bad);
    STANDIN_RESULT(self, launch(kernel, address + 16, replicas, 2), bad);
    STANDIN_OK(self, cu.cuMulticastUnbind(object, 1, 0, SIZE));
    STANDIN_RESULT(self, launch(kernel, address, replicas, 2), bad);
    STANDIN_OK(self, cu.cuMulticastBindMem(object, 0, other, 0, SIZE, 0));
    STANDIN_RESULT(self, launch(kernel, address, replicas, 2), bad);
    STANDIN_OK(self, cu.cuMulticastUnbind(object, 1, 0, SIZE));
    STANDIN_OK(self, cu.cuMulticastUnbind(object, 0, 0, SIZE));
}

/* ---- what is left ---------------------------------------------------------------------------- */

static void end_child(struct fork_rank *self, CUmemGenericAllocationHandle object)
{
    STANDIN_OK(self, cu.cuMemRelease(object));
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRelease(0));
}

static CUmemGenericAllocationHandle bound_object(struct fork_rank *self,
                                                 CUmemGenericAllocationHandle *memory)
{
    CUmulticastObjectProp properties = properties_of(1);
    CUmemGenericAllocationHandle object;
    FORK_CHECK(self, setenv("SYMM_STANDIN_STRICT", "1", 1) == 0);
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuMulticastCreate(&object, &properties));
    STANDIN_OK(self, cu.cuMulticastAddDevice(object, 0));
    *memory = memory_on(self, 0, SIZE);
    STANDIN_OK(self, cu.cuMulticastBindMem(object, 0, *memory, 0, SIZE, 0));
    return object;
}

static void end_well(struct fork_rank *self)
{
    CUmemGenericAllocationHandle memory, object = bound_object(self, &memory);
    STANDIN_OK(self, cu.cuMulticastUnbind(object, 0, 0, SIZE));
    STANDIN_OK(self, cu.cuMemRelease(memory));
    end_child(self, object);
}

static void free_bound_memory(struct fork_rank *self)
{
    CUmemGenericAllocationHandle memory, object = bound_object(self, &memory);
    STANDIN_OK(self, cu.cuMemRelease(memory));
    end_child(self, object);
}

static void free_object_in_use(struct fork_rank *self)
{
    CUmemGenericAllocationHandle memory, object = bound_object(self, &memory);
    STANDIN_OK(self, cu.cuMemRelease(object));
    STANDIN_OK(self, cu.cuMemRelease(memory));
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRelease(0));
}

static void keep_object(struct fork_rank *self)
{
    CUmemGenericAllocationHandle memory, object = bound_object(self, &memory);
    STANDIN_OK(self, cu.cuMulticastUnbind(object, 0, 0, SIZE));
    STANDIN_OK(self, cu.cuMemRelease(memory));
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRelease(0));
}

static void test_ends(struct fork_rank *self, void *context)
{
    enum { LEFT = 86 };
    char output[4096];
    (void)context;
    int status = standin_child(end_well, self, output);
    FORK_CHECK(self, WIFEXITED(status) && WEXITSTATUS(status) == 0);
    status = standin_child(free_bound_memory, self, output);
    FORK_CHECK(self, WIFEXITED(status) && WEXITSTATUS(status) == LEFT);
    FORK_CHECK(self, strstr(output, "device memory is given back while") != NULL);
    status = standin_child(free_object_in_use, self, output);
    FORK_CHECK(self, WIFEXITED(status) && WEXITSTATUS(status) == LEFT);
    FORK_CHECK(self, strstr(output, "a multicast object is given back while") != NULL);
    status = standin_child(keep_object, self, output);
    FORK_CHECK(self, WIFEXITED(status) && WEXITSTATUS(status) == LEFT);
    FORK_CHECK(self, strstr(output, "1 of these are left: handle") != NULL);
}

UNIT_MAIN("test_standin_multicast", 60,
    FORK_TEST(test_rules, 1),
    FORK_TEST_WITH(test_without_multicast, 1, (char[]){"SYMM_STANDIN_MULTICAST"}),
    FORK_TEST_WITH(test_without_multicast, 1, (char[]){"SYMM_STANDIN_CAPABILITY"}),
    FORK_TEST(test_launches, 1),
    FORK_TEST(test_ends, 1))
