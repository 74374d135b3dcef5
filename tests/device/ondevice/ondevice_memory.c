/*
 * ondevice_memory.c - see ondevice_memory.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/device/ondevice/ondevice_memory.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUresult (*allocate)(CUdeviceptr *, size_t);
static CUresult (*release)(CUdeviceptr);
static CUresult (*allocate_pooled)(CUdeviceptr *, size_t, CUstream);
static CUresult (*release_pooled)(CUdeviceptr, CUstream);
static CUresult (*allocate_managed)(CUdeviceptr *, size_t, unsigned);
static CUresult (*current_device)(CUdevice *);
static CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
static CUresult (*unreserve)(CUdeviceptr, size_t);
static CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *,
                          unsigned long long);
static CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,
                       unsigned long long);
static CUresult (*unmap)(CUdeviceptr, size_t);
static CUresult (*drop)(CUmemGenericAllocationHandle);
static CUresult (*grant)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);

void ondevice_stop(const char *what, int error)
{
    fprintf(stderr, "ondevice: %s (%d)\n", what, error);
    PMPI_Abort(MPI_COMM_WORLD, 3);
    exit(3);
}

void *ondevice_find(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (function == NULL) {
        ondevice_stop(name, -1);
    }
    return function;
}

/* ISO C has no cast from what dlsym() returns to a function. */
#define FIND(function, name) (*(void **)&(function) = ondevice_find(library, name))

void ondevice_memory_find(void *library)
{
    FIND(allocate, "cuMemAlloc_v2");
    FIND(release, "cuMemFree_v2");
    FIND(allocate_pooled, "cuMemAllocAsync");
    FIND(release_pooled, "cuMemFreeAsync");
    FIND(allocate_managed, "cuMemAllocManaged");
    FIND(current_device, "cuCtxGetDevice");
    FIND(reserve, "cuMemAddressReserve");
    FIND(unreserve, "cuMemAddressFree");
    FIND(create, "cuMemCreate");
    FIND(map, "cuMemMap");
    FIND(unmap, "cuMemUnmap");
    FIND(drop, "cuMemRelease");
    FIND(grant, "cuMemSetAccess");
}

enum origin ondevice_memory_choose(const char *part)
{
    const char *memory = getenv("SYMM_TEST_DEVICE_MEMORY");
    if (memory == NULL) {
        return FROM_MPI;
    }
    int sorts = strcmp(memory, "any") == 0 ? ORIGINS : strcmp(memory, "mixed") == 0 ? 3 : 0;
    if (sorts > 0 && ondevice_calls % 4 == 3) {
        return (enum origin)(ondevice_calls / 4 % sorts);
    }
    if (sorts > 0) {
        return (enum origin)((ondevice_calls * 5 / 2 + ondevice_local_rank + (*part == 's')) %
                             sorts);
    }
    static const char *const names[ORIGINS] = {"mpi", "fresh", "kept", "pool", "managed", "mapped"};
    for (int origin = 0; origin < ORIGINS; origin++) {
        if (strcmp(memory, names[origin]) == 0) {
            return (enum origin)origin;
        }
    }
    ondevice_stop(memory, -1);
    return FRESH;
}

static void *memory_from_mpi(size_t bytes)
{
    MPI_Info info;
    void *block = NULL;
    PMPI_Info_create(&info);
    PMPI_Info_set(info, "mpool_hints", "mpool=symm,kind=cuda");
    PMPI_Alloc_mem((MPI_Aint)bytes, info, &block);
    PMPI_Info_free(&info);
    return block;
}

static void *memory_fresh(size_t bytes)
{
    CUdeviceptr block = 0;
    if (allocate(&block, bytes) != CUDA_SUCCESS) {
        ondevice_stop("no memory", (int)bytes);
    }
    return (void *)(uintptr_t)block;
}

static void *memory_pooled(size_t bytes)
{
    CUdeviceptr block = 0;
    if (allocate_pooled(&block, bytes, CU_STREAM_LEGACY) != CUDA_SUCCESS) {
        ondevice_stop("no memory in the pool", (int)bytes);
    }
    return (void *)(uintptr_t)block;
}

static void *memory_managed(size_t bytes)
{
    CUdeviceptr block = 0;
    if (allocate_managed(&block, bytes, CU_MEM_ATTACH_GLOBAL) != CUDA_SUCCESS) {
        ondevice_stop("no managed memory", (int)bytes);
    }
    return (void *)(uintptr_t)block;
}

/* In whole granules: such memory cannot be had otherwise. */
static size_t granules(size_t bytes)
{
    const size_t granule = 2 << 20;
    return (bytes + granule - 1) / granule * granule;
}

static void *memory_mapped(size_t bytes)
{
    CUdeviceptr block = 0;
    CUdevice device = 0;
    CUmemGenericAllocationHandle handle;
    CUmemAllocationProp property = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
    };
    CUresult error = current_device(&device);
    property.location.id = device;
    CUmemAccessDesc access = {.location = property.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    if (error != CUDA_SUCCESS || reserve(&block, granules(bytes), 0, 0, 0) != CUDA_SUCCESS ||
        create(&handle, granules(bytes), &property, 0) != CUDA_SUCCESS ||
        map(block, granules(bytes), 0, handle, 0) != CUDA_SUCCESS ||
        drop(handle) != CUDA_SUCCESS || grant(block, granules(bytes), &access, 1) != CUDA_SUCCESS) {
        ondevice_stop("no memory to map", (int)bytes);
    }
    return (void *)(uintptr_t)block;
}

static CUresult mapped_release(CUdeviceptr block, size_t bytes)
{
    CUresult error = unmap(block, granules(bytes));
    return error == CUDA_SUCCESS ? unreserve(block, granules(bytes)) : error;
}

/* Blocks of the context that nobody has at the moment, the first that is large enough. */
static struct kept {
    CUcontext context;
    void *block;
    size_t bytes;
    bool taken;
} kept[32];
static pthread_mutex_t kept_mutex = PTHREAD_MUTEX_INITIALIZER;
enum { KEPT_COUNT = sizeof kept / sizeof kept[0] };

static void *memory_kept(size_t bytes, CUcontext context)
{
    void *block = NULL;
    pthread_mutex_lock(&kept_mutex);
    for (size_t i = 0; i < KEPT_COUNT && block == NULL; i++) {
        if (kept[i].block == NULL) {
            size_t size = bytes < 1 << 20 ? 1 << 20 : bytes;
            kept[i] = (struct kept){.context = context, .block = memory_fresh(size), .bytes = size};
        }
        if (!kept[i].taken && kept[i].context == context && kept[i].bytes >= bytes) {
            kept[i].taken = true;
            block = kept[i].block;
        }
    }
    pthread_mutex_unlock(&kept_mutex);
    return block;
}

static bool kept_return(const void *block)
{
    bool found = false;
    pthread_mutex_lock(&kept_mutex);
    for (size_t i = 0; i < KEPT_COUNT && !found; i++) {
        found = kept[i].block == block && kept[i].taken;
        kept[i].taken = kept[i].taken && !found;
    }
    pthread_mutex_unlock(&kept_mutex);
    return found;
}

void *ondevice_memory_get(size_t bytes, enum origin *origin, CUcontext context)
{
    void *block = *origin == KEPT ? memory_kept(bytes, context) : NULL;
    if (*origin == KEPT && block == NULL) {
        *origin = FRESH;
    }
    if (block != NULL) {
        return block;
    }
    switch (*origin) {
    case FROM_MPI: return memory_from_mpi(bytes);
    case POOLED: return memory_pooled(bytes);
    case MANAGED: return memory_managed(bytes);
    case MAPPED: return memory_mapped(bytes);
    default: return memory_fresh(bytes);
    }
}

static bool memory_release(void *block, size_t bytes, enum origin origin)
{
    CUdeviceptr address = (CUdeviceptr)(uintptr_t)block;
    switch (origin) {
    case FROM_MPI: return PMPI_Free_mem(block) == MPI_SUCCESS;
    case KEPT: return kept_return(block);
    case POOLED: return release_pooled(address, CU_STREAM_LEGACY) == CUDA_SUCCESS;
    case MAPPED: return mapped_release(address, bytes) == CUDA_SUCCESS;
    default: return release(address) == CUDA_SUCCESS;
    }
}

void ondevice_memory_end(void *block, size_t bytes, enum origin origin)
{
    if (!memory_release(block, bytes, origin)) {
        ondevice_stop("memory could not be freed", origin);
    }
}
