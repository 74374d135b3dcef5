/*
 * cuda_mappings.c - see cuda_mappings.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "heap/gpu/cuda_mappings.h"

struct mapping {
    CUdeviceptr address;
    size_t size;
    uint64_t devices; /* bit d: device number d has access */
    bool stuck;       /* nobody uses it, but the driver would not unmap it */
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

/* ---- access ---------------------------------------------------------------------------------- */

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

/* As symm_cuda_mappings_add() has it; the mapping has just been made. */
static enum symm_status access_open(const struct symm_cuda *cuda, int device,
                                    struct mapping *mapping, bool owned)
{
    CUresult result = access_give(cuda, mapping, device);
    if (result != CUDA_SUCCESS && owned) {
        return symm_cuda_failed("cuMemSetAccess", result);
    }
    for (int other = 0; other < SYMM_CUDA_DEVICES_MAX; other++) {
        if (other != device && (devices_in_use & bit_of(other)) != 0) {
            (void)access_give(cuda, mapping, other);
        }
    }
    return mapping->devices != 0 ? SYMM_OK : symm_cuda_failed("cuMemSetAccess", result);
}

static void add_device_locked(const struct symm_cuda_scope *scope, int device)
{
    if ((devices_in_use & bit_of(device)) != 0) {
        return;
    }
    devices_in_use |= bit_of(device);
    handles[device] = scope->device;
    for (struct mapping *mapping = mappings; mapping != NULL; mapping = mapping->next) {
        if (!mapping->stuck) {
            (void)access_give(scope->cuda, mapping, device);
        }
    }
}

void symm_cuda_mappings_add_device(const struct symm_cuda_scope *scope, int device)
{
    (void)pthread_mutex_lock(&mutex);
    add_device_locked(scope, device);
    (void)pthread_mutex_unlock(&mutex);
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* Memory in the way of a new mapping could not be unmapped when it should have been: try again. */
static enum symm_status range_clear(const struct symm_cuda *cuda, CUdeviceptr address, size_t size)
{
    struct mapping **link = &mappings;
    while (*link != NULL) {
        struct mapping *mapping = *link;
        if (address >= mapping->address + mapping->size || mapping->address >= address + size) {
            link = &mapping->next;
            continue;
        }
        CUresult result = cuda->cuMemUnmap(mapping->address, mapping->size);
        if (result != CUDA_SUCCESS) {
            return symm_cuda_failed("cuMemUnmap", result);
        }
        *link = mapping->next;
        free(mapping);
    }
    return SYMM_OK;
}

/* *keep: the mapping exists in the driver, even if it is of no use. */
static enum symm_status map_locked(const struct symm_cuda *cuda, int device,
                                   struct mapping *mapping, CUmemGenericAllocationHandle handle,
                                   bool owned, bool *keep)
{
    *keep = false;
    enum symm_status status = range_clear(cuda, mapping->address, mapping->size);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = cuda->cuMemMap(mapping->address, mapping->size, 0, handle, 0);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemMap", result);
    }
    status = access_open(cuda, device, mapping, owned);
    mapping->stuck = status != SYMM_OK &&
                     cuda->cuMemUnmap(mapping->address, mapping->size) != CUDA_SUCCESS;
    *keep = status == SYMM_OK || mapping->stuck;
    return status;
}

enum symm_status symm_cuda_mappings_add(const struct symm_cuda_scope *scope, int device,
                                        void *address, size_t size,
                                        CUmemGenericAllocationHandle handle, bool owned)
{
    bool keep;
    struct mapping *mapping = malloc(sizeof(*mapping));
    if (mapping == NULL) {
        (void)symm_cuda_unusable("the process has no memory left");
        return SYMM_ERR_NO_MEMORY;
    }
    *mapping = (struct mapping){.address = (CUdeviceptr)(uintptr_t)address, .size = size};
    (void)pthread_mutex_lock(&mutex);
    enum symm_status status = map_locked(scope->cuda, device, mapping, handle, owned, &keep);
    if (keep) {
        mapping->next = mappings;
        mappings = mapping;
    }
    (void)pthread_mutex_unlock(&mutex);
    if (!keep) {
        free(mapping);
    }
    return status;
}

static enum symm_status remove_locked(const struct symm_cuda *cuda, CUdeviceptr address)
{
    struct mapping **link = &mappings;
    while (*link != NULL && (*link)->address != address) {
        link = &(*link)->next;
    }
    struct mapping *mapping = *link;
    if (mapping == NULL) {
        return SYMM_OK;
    }
    CUresult result = cuda->cuMemUnmap(mapping->address, mapping->size);
    if (result != CUDA_SUCCESS) {
        mapping->stuck = true;
        mapping->devices = 0;
        return symm_cuda_failed("cuMemUnmap", result);
    }
    *link = mapping->next;
    free(mapping);
    return SYMM_OK;
}

enum symm_status symm_cuda_mappings_remove(const struct symm_cuda_scope *scope, void *address)
{
    (void)pthread_mutex_lock(&mutex);
    enum symm_status status = remove_locked(scope->cuda, (CUdeviceptr)(uintptr_t)address);
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

/* ---- who reaches what ------------------------------------------------------------------------ */

static struct mapping *mapping_at(const void *address)
{
    CUdeviceptr byte = (CUdeviceptr)(uintptr_t)address;
    struct mapping *mapping = mappings;
    while (mapping != NULL && (mapping->stuck || byte - mapping->address >= mapping->size)) {
        mapping = mapping->next;
    }
    return mapping;
}

static bool reaches(const struct mapping *mapping, int device)
{
    return mapping != NULL && device >= 0 && device < SYMM_CUDA_DEVICES_MAX &&
           (mapping->devices & bit_of(device)) != 0;
}

bool symm_cuda_device_reaches(int device, const void *address)
{
    (void)pthread_mutex_lock(&mutex);
    bool answer = reaches(mapping_at(address), device);
    (void)pthread_mutex_unlock(&mutex);
    return answer;
}

static enum symm_status reach_locked(const struct symm_cuda_scope *scope, int device,
                                     const void *address)
{
    add_device_locked(scope, device);
    struct mapping *mapping = mapping_at(address);
    if (mapping == NULL) {
        return symm_cuda_unusable("no device memory is mapped at %p", address);
    }
    if (reaches(mapping, device)) {
        return SYMM_OK;
    }
    CUresult result = access_give(scope->cuda, mapping, device);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuMemSetAccess", result);
}

enum symm_status symm_cuda_device_reach(int device, const void *address)
{
    struct symm_cuda_scope scope;
    if (symm_cuda_device_reaches(device, address)) {
        return SYMM_OK;
    }
    enum symm_status status = symm_cuda_enter(device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    (void)pthread_mutex_lock(&mutex);
    status = reach_locked(&scope, device, address);
    (void)pthread_mutex_unlock(&mutex);
    symm_cuda_leave(&scope);
    return status;
}
