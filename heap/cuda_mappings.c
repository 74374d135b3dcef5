/*
 * cuda_mappings.c - see cuda_mappings.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "heap/cuda_mappings.h"

struct mapping {
    CUdeviceptr address;
    size_t size;
    uint64_t devices; /* bit d: device number d has access */
    struct mapping *next;
};

_Static_assert(SYMM_CUDA_DEVICES_MAX <= 64, "devices fit in a set of bits");

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct mapping *mappings;
static CUdevice handles[SYMM_CUDA_DEVICES_MAX]; /* of the devices in use */
static uint64_t devices_in_use;

static uint64_t bit_of(int device)
{
    return UINT64_C(1) << device;
}

/* Access stays as it is for devices that are not named. */
static CUresult access_give(const struct symm_cuda *cuda, struct mapping *mapping, int device)
{
    const CUmemAccessDesc access = {
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = handles[device]},
        .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    CUresult result = cuda->cuMemSetAccess(mapping->address, mapping->size, &access, 1);
    if (result == CUDA_SUCCESS) {
        mapping->devices |= bit_of(device);
    }
    return result;
}

void symm_cuda_mappings_add_device(const struct symm_cuda_scope *scope, int device)
{
    (void)pthread_mutex_lock(&mutex);
    if ((devices_in_use & bit_of(device)) == 0) {
        devices_in_use |= bit_of(device);
        handles[device] = scope->device;
        for (struct mapping *mapping = mappings; mapping != NULL; mapping = mapping->next) {
            (void)access_give(scope->cuda, mapping, device);
        }
    }
    (void)pthread_mutex_unlock(&mutex);
}

static enum symm_status map_locked(const struct symm_cuda *cuda, int device,
                                   struct mapping *mapping, CUmemGenericAllocationHandle handle)
{
    CUresult result = cuda->cuMemMap(mapping->address, mapping->size, 0, handle, 0);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemMap", result);
    }
    result = access_give(cuda, mapping, device);
    if (result != CUDA_SUCCESS) {
        (void)cuda->cuMemUnmap(mapping->address, mapping->size);
        return symm_cuda_failed("cuMemSetAccess", result);
    }
    for (int other = 0; other < SYMM_CUDA_DEVICES_MAX; other++) {
        if (other != device && (devices_in_use & bit_of(other)) != 0) {
            (void)access_give(cuda, mapping, other);
        }
    }
    return SYMM_OK;
}

enum symm_status symm_cuda_mappings_add(const struct symm_cuda_scope *scope, int device,
                                        void *address, size_t size,
                                        CUmemGenericAllocationHandle handle)
{
    struct mapping *mapping = malloc(sizeof(*mapping));
    if (mapping == NULL) {
        (void)symm_cuda_unusable("the process has no memory left");
        return SYMM_ERR_NO_MEMORY;
    }
    *mapping = (struct mapping){.address = (CUdeviceptr)(uintptr_t)address, .size = size};
    (void)pthread_mutex_lock(&mutex);
    enum symm_status status = map_locked(scope->cuda, device, mapping, handle);
    if (status == SYMM_OK) {
        mapping->next = mappings;
        mappings = mapping;
    }
    (void)pthread_mutex_unlock(&mutex);
    if (status != SYMM_OK) {
        free(mapping);
    }
    return status;
}

void symm_cuda_mappings_remove(const struct symm_cuda_scope *scope, void *address, size_t size)
{
    CUdeviceptr start = (CUdeviceptr)(uintptr_t)address;
    (void)pthread_mutex_lock(&mutex);
    (void)scope->cuda->cuMemUnmap(start, size);
    struct mapping **link = &mappings;
    while (*link != NULL && (*link)->address != start) {
        link = &(*link)->next;
    }
    struct mapping *mapping = *link;
    if (mapping != NULL) {
        *link = mapping->next;
        free(mapping);
    }
    (void)pthread_mutex_unlock(&mutex);
}

bool symm_cuda_device_reaches(int device, const void *address)
{
    CUdeviceptr byte = (CUdeviceptr)(uintptr_t)address;
    bool reaches = false;
    (void)pthread_mutex_lock(&mutex);
    for (const struct mapping *mapping = mappings; mapping != NULL; mapping = mapping->next) {
        if (byte - mapping->address < mapping->size) {
            reaches = device >= 0 && device < SYMM_CUDA_DEVICES_MAX &&
                      (mapping->devices & bit_of(device)) != 0;
            break;
        }
    }
    (void)pthread_mutex_unlock(&mutex);
    return reaches;
}
