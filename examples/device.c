/*
 * The few functions of the CUDA driver that the examples call, declared here because cuda.h need
 * not be on the machine that builds it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "device.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* As in cuda.h, where the first and the two constants are enumerations. */
typedef int CUresult;
typedef int CUdevice;
typedef void *CUcontext;
typedef unsigned long long CUdeviceptr;
enum { CUDA_SUCCESS = 0, CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2, CU_MEMORYTYPE_DEVICE = 2 };

static struct {
    CUresult (*init)(unsigned flags);
    CUresult (*count)(int *count);
    CUresult (*get)(CUdevice *device, int number);
    CUresult (*retain)(CUcontext *context, CUdevice device);
    CUresult (*release)(CUdevice device);
    CUresult (*use)(CUcontext context);
    CUresult (*attribute)(void *value, int attribute, CUdeviceptr address);
    CUresult (*host_allocate)(void **memory, size_t bytes);
    CUresult (*host_free)(void *memory);
    CUresult (*upload)(CUdeviceptr to, const void *from, size_t bytes);
    CUresult (*download)(void *to, CUdeviceptr from, size_t bytes);
} cuda;

static const struct {
    const char *name;
    void *member;
} functions[] = {
    {"cuInit", &cuda.init},
    {"cuDeviceGetCount", &cuda.count},
    {"cuDeviceGet", &cuda.get},
    {"cuDevicePrimaryCtxRetain", &cuda.retain},
    {"cuDevicePrimaryCtxRelease_v2", &cuda.release},
    {"cuCtxSetCurrent", &cuda.use},
    {"cuPointerGetAttribute", &cuda.attribute},
    {"cuMemAllocHost_v2", &cuda.host_allocate},
    {"cuMemFreeHost", &cuda.host_free},
    {"cuMemcpyHtoD_v2", &cuda.upload},
    {"cuMemcpyDtoH_v2", &cuda.download},
};

static CUdevice device;

static CUdeviceptr address_of(const void *memory)
{
    return (CUdeviceptr)(uintptr_t)memory;
}

/* The library stays open: a driver does not like to be unloaded. */
static bool open_driver(char *reason, size_t reason_size)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) {
        snprintf(reason, reason_size, "there is no CUDA driver: %s", dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);

        if (function == NULL) {
            snprintf(reason, reason_size, "the CUDA driver has no %s", functions[i].name);
            return false;
        }
        memcpy(functions[i].member, &function, sizeof function);
    }
    return true;
}

bool device_open(int local_rank, char *reason, size_t reason_size)
{
    CUcontext context;
    int count = 0;

    if (!open_driver(reason, reason_size)) {
        return false;
    }
    if (cuda.init(0) != CUDA_SUCCESS || cuda.count(&count) != CUDA_SUCCESS || count == 0) {
        snprintf(reason, reason_size, "the CUDA driver shows no device");
        return false;
    }
    if (cuda.get(&device, local_rank % count) != CUDA_SUCCESS
        || cuda.retain(&context, device) != CUDA_SUCCESS) {
        snprintf(reason, reason_size, "device %d cannot be used", local_rank % count);
        return false;
    }
    if (cuda.use(context) != CUDA_SUCCESS) {
        snprintf(reason, reason_size, "device %d cannot be made current", local_rank % count);
        cuda.release(device);
        return false;
    }
    return true;
}

void device_close(void)
{
    cuda.use(NULL);
    cuda.release(device);
}

/* The driver answers with an error for memory that it has never heard of. */
bool device_has(const void *memory)
{
    int type = 0;

    return cuda.attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address_of(memory))
           == CUDA_SUCCESS
           && type == CU_MEMORYTYPE_DEVICE;
}

void *device_host_allocate(size_t bytes)
{
    void *memory = NULL;

    return cuda.host_allocate(&memory, bytes) == CUDA_SUCCESS ? memory : NULL;
}

bool device_host_free(void *memory)
{
    return cuda.host_free(memory) == CUDA_SUCCESS;
}

bool device_upload(void *to_device, const void *from_host, size_t bytes)
{
    return cuda.upload(address_of(to_device), from_host, bytes) == CUDA_SUCCESS;
}

bool device_download(void *to_host, const void *from_device, size_t bytes)
{
    return cuda.download(to_host, address_of(from_device), bytes) == CUDA_SUCCESS;
}
