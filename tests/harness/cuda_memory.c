/*
 * cuda_memory.c - see cuda_memory.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/cuda_memory.h"

#include <cuda.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cuda_memory_names[CUDA_MEMORY_KINDS] = {"cuMemAlloc", "managed", "pinned",
                                                          "registered", "MPI_Alloc_mem"};

/* Under the names that the library exports. */
static struct {
    CUresult (*cuInit)(unsigned);
    CUresult (*cuDeviceGetCount)(int *);
    CUresult (*cuDeviceGet)(CUdevice *, int);
    CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *, CUdevice);
    CUresult (*cuCtxSetCurrent)(CUcontext);
    CUresult (*cuMemAlloc_v2)(CUdeviceptr *, size_t);
    CUresult (*cuMemAllocManaged)(CUdeviceptr *, size_t, unsigned);
    CUresult (*cuMemHostAlloc)(void **, size_t, unsigned);
    CUresult (*cuMemFree_v2)(CUdeviceptr);
    CUresult (*cuMemFreeHost)(void *);
    CUresult (*cuMemHostRegister_v2)(void *, size_t, unsigned);
    CUresult (*cuMemHostUnregister)(void *);
    CUresult (*cuMemcpy)(CUdeviceptr, CUdeviceptr, size_t);
} cuda;

static int devices;

static void stop(const char *what, CUresult result)
{
    fprintf(stderr, "cuda_memory: %s (%d)\n", what, (int)result);
    MPI_Abort(MPI_COMM_WORLD, 3);
    exit(3);
}

static void check(const char *what, CUresult result)
{
    if (result != CUDA_SUCCESS) {
        stop(what, result);
    }
}

/* ISO C has no cast from what dlsym() returns to a function. */
static void find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    if (address == NULL) {
        stop(name, CUDA_ERROR_NOT_FOUND);
    }
    memcpy(function, &address, sizeof(address));
}

void cuda_memory_open(int local_rank)
{
    const char *path = getenv("SYMM_TEST_CUDA_LIBRARY");
    void *library = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        stop(dlerror(), CUDA_ERROR_NOT_FOUND);
        return;
    }
    find(library, "cuInit", &cuda.cuInit);
    find(library, "cuDeviceGetCount", &cuda.cuDeviceGetCount);
    find(library, "cuDeviceGet", &cuda.cuDeviceGet);
    find(library, "cuDevicePrimaryCtxRetain", &cuda.cuDevicePrimaryCtxRetain);
    find(library, "cuCtxSetCurrent", &cuda.cuCtxSetCurrent);
    find(library, "cuMemAlloc_v2", &cuda.cuMemAlloc_v2);
    find(library, "cuMemAllocManaged", &cuda.cuMemAllocManaged);
    find(library, "cuMemHostAlloc", &cuda.cuMemHostAlloc);
    find(library, "cuMemFree_v2", &cuda.cuMemFree_v2);
    find(library, "cuMemFreeHost", &cuda.cuMemFreeHost);
    find(library, "cuMemHostRegister_v2", &cuda.cuMemHostRegister_v2);
    find(library, "cuMemHostUnregister", &cuda.cuMemHostUnregister);
    find(library, "cuMemcpy", &cuda.cuMemcpy);
    check("cuInit", cuda.cuInit(0));
    check("cuDeviceGetCount", cuda.cuDeviceGetCount(&devices));
    if (devices == 0) {
        stop("there is no device", CUDA_ERROR_NO_DEVICE);
        return;
    }
    cuda_memory_use(local_rank);
}

int cuda_memory_devices(void)
{
    return devices;
}

void cuda_memory_use(int number)
{
    CUdevice device;
    CUcontext context;
    check("cuDeviceGet", cuda.cuDeviceGet(&device, number % devices));
    check("cuDevicePrimaryCtxRetain", cuda.cuDevicePrimaryCtxRetain(&context, device));
    check("cuCtxSetCurrent", cuda.cuCtxSetCurrent(context));
}

static void *mpi_get(size_t bytes)
{
    MPI_Info info;
    void *memory = NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpool_hints", "mpool=symm,kind=cuda");
    MPI_Alloc_mem((MPI_Aint)bytes, info, &memory);
    MPI_Info_free(&info);
    return memory;
}

void *cuda_memory_get(enum cuda_memory kind, size_t bytes)
{
    CUdeviceptr address = 0;
    void *memory = NULL;
    switch (kind) {
    case CUDA_MEMORY_ALLOC:
        check("cuMemAlloc", cuda.cuMemAlloc_v2(&address, bytes));
        break;
    case CUDA_MEMORY_MANAGED:
        check("cuMemAllocManaged",
              cuda.cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL));
        break;
    case CUDA_MEMORY_PINNED:
        check("cuMemHostAlloc", cuda.cuMemHostAlloc(&memory, bytes, 0));
        return memory;
    case CUDA_MEMORY_REGISTERED:
        memory = malloc(bytes);
        if (memory == NULL) {
            stop("malloc", CUDA_ERROR_OUT_OF_MEMORY);
        }
        check("cuMemHostRegister", cuda.cuMemHostRegister_v2(memory, bytes, 0));
        return memory;
    default:
        return mpi_get(bytes);
    }
    return (void *)(uintptr_t)address;
}

void cuda_memory_put(enum cuda_memory kind, void *memory)
{
    if (kind == CUDA_MEMORY_MPI) {
        MPI_Free_mem(memory);
    } else if (kind == CUDA_MEMORY_PINNED) {
        check("cuMemFreeHost", cuda.cuMemFreeHost(memory));
    } else if (kind == CUDA_MEMORY_REGISTERED) {
        check("cuMemHostUnregister", cuda.cuMemHostUnregister(memory));
        free(memory);
    } else {
        check("cuMemFree", cuda.cuMemFree_v2((CUdeviceptr)(uintptr_t)memory));
    }
}

void cuda_memory_write(void *memory, const void *from, size_t bytes)
{
    check("cuMemcpy", cuda.cuMemcpy((CUdeviceptr)(uintptr_t)memory,
                                    (CUdeviceptr)(uintptr_t)from, bytes));
}

void cuda_memory_read(void *to, const void *memory, size_t bytes)
{
    check("cuMemcpy", cuda.cuMemcpy((CUdeviceptr)(uintptr_t)to,
                                    (CUdeviceptr)(uintptr_t)memory, bytes));
}
