/*
 * vmm.c - the driver's functions for virtual memory management: cuMemCreate, cuMemMap, ...
 *
 * As with the real driver an allocation is mapped from its beginning and as a whole, mappings are
 * unmapped as a whole, and changing either waits for all that is queued.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <fcntl.h>
#include <string.h>

static bool is_multiple(uint64_t value)
{
    return value % STANDIN_GRANULARITY == 0;
}

/* Made by these functions, and not by cuMemAlloc() or cuIpcOpenMemHandle(). */
static bool is_users(const struct standin_reservation *reservation)
{
    return reservation != NULL && !reservation->internal && reservation->opener == NULL;
}

static bool is_users_at(uint64_t address)
{
    return is_users(standin_reservation_at(address));
}

struct standin_allocation *standin_handle_find(CUmemGenericAllocationHandle handle)
{
    struct standin_allocation *allocation = standin_allocations;
    while (allocation != NULL && (handle == 0 || allocation->handle != handle)) {
        allocation = allocation->next;
    }
    return allocation != NULL && allocation->references > 0 ? allocation : NULL;
}

void standin_handle_give(struct standin_allocation *allocation,
                         CUmemGenericAllocationHandle *handle)
{
    static CUmemGenericAllocationHandle last = 0x5d0000000000;
    allocation->handle = ++last;
    *handle = allocation->handle;
}

static CUresult check_properties(const CUmemAllocationProp *properties)
{
    if (properties == NULL || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        properties->win32HandleMetaData != NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!standin_device_is(properties->location.id)) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    int physical = standin_devices[properties->location.id].physical;
    if (!standin_machine_has_vmm(physical) ||
        (properties->requestedHandleTypes != 0 && !standin_machine_can_export(physical))) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (properties->allocFlags.gpuDirectRDMACapable) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return standin_machine_grants(properties->requestedHandleTypes);
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = check_properties(properties);
        if (granularity == NULL || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
            result = CUDA_ERROR_INVALID_VALUE;
        }
        if (result == CUDA_SUCCESS) {
            *granularity = STANDIN_GRANULARITY;
        }
        (void)standin_end(result);
    }
    return result;
}

static CUresult create(CUmemGenericAllocationHandle *handle, size_t size,
                       const CUmemAllocationProp *properties, unsigned long long flags)
{
    if (handle == NULL || size == 0 || !is_multiple(size) || flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult result = check_properties(properties);
    struct standin_allocation *allocation;
    if (result == CUDA_SUCCESS) {
        result = standin_memory_create(size, properties->location.id,
                                       properties->requestedHandleTypes != 0, &allocation);
    }
    if (result == CUDA_SUCCESS) {
        allocation->handle_types = properties->requestedHandleTypes;
        standin_handle_give(allocation, handle);
    }
    return result;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                     const CUmemAllocationProp *properties, unsigned long long flags)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(create(handle, size, properties, flags));
    }
    return result;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        struct standin_allocation *allocation = standin_handle_find(handle);
        if (allocation == NULL) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            allocation->references--;
            standin_memory_drop(allocation);
        }
        (void)standin_end(result);
    }
    return result;
}

static CUresult export_handle(void *exported, CUmemGenericAllocationHandle handle,
                              CUmemAllocationHandleType type, unsigned long long flags)
{
    const struct standin_allocation *allocation = standin_handle_find(handle);
    if (allocation == NULL || exported == NULL || flags != 0 ||
        type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !allocation->exportable) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    int copy = fcntl(allocation->descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    memcpy(exported, &copy, sizeof copy);
    return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *exported, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(export_handle(exported, handle, type, flags));
    }
    return result;
}

/* The descriptor stays the caller's. */
static CUresult import_handle(CUmemGenericAllocationHandle *handle, const void *exported,
                              CUmemAllocationHandleType type)
{
    struct standin_label label;
    struct standin_allocation *allocation;
    int descriptor = (int)(intptr_t)exported;
    if (handle == NULL || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    bool is_object = standin_multicast_is(descriptor);
    CUresult result = is_object ? CUDA_SUCCESS : standin_memfile_read(descriptor, &label);
    if (result == CUDA_SUCCESS && !is_object && standin_machine_is_sliced() &&
        standin_device_of_uuid(&label.uuid) < 0) {
        result = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (result == CUDA_SUCCESS) {
        result = is_object ? standin_multicast_import(descriptor, &allocation)
                           : standin_memory_import(descriptor, &allocation);
    }
    if (result == CUDA_SUCCESS && !is_object) {
        result = standin_memory_hold(allocation);
        if (result != CUDA_SUCCESS) {
            allocation->references = 0;
            standin_memory_drop(allocation);
        }
    }
    if (result == CUDA_SUCCESS) {
        allocation->exportable = true;
        allocation->handle_types = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        standin_handle_give(allocation, handle);
    }
    return result;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *exported,
                                        CUmemAllocationHandleType type)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(import_handle(handle, exported, type));
    }
    return result;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                CUmemGenericAllocationHandle handle)
{
    CUresult result = properties == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        const struct standin_allocation *allocation = standin_handle_find(handle);
        if (allocation == NULL || allocation->multicast != NULL) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            memset(properties, 0, sizeof *properties);
            properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
            properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
            properties->location.id = allocation->device;
            properties->requestedHandleTypes =
                (CUmemAllocationHandleType)allocation->handle_types;
        }
        (void)standin_end(result);
    }
    return result;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    CUresult result = handle == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        const struct standin_mapping *mapping = standin_mapping_at((uintptr_t)address);
        if (mapping == NULL || mapping->allocation->handle == 0 ||
            mapping->allocation->multicast != NULL) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            mapping->allocation->references++;
            *handle = mapping->allocation->handle;
        }
        (void)standin_end(result);
    }
    return result;
}

static CUresult reserve(CUdeviceptr *address, size_t size, size_t alignment,
                        unsigned long long flags)
{
    alignment = alignment < STANDIN_GRANULARITY ? STANDIN_GRANULARITY : alignment;
    if (address == NULL || size == 0 || !is_multiple(size) || flags != 0 ||
        (alignment & (alignment - 1)) != 0 || size > SIZE_MAX - alignment) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    uint64_t base;
    CUresult result = standin_memory_reserve(size, alignment, &base);
    if (result == CUDA_SUCCESS) {
        *address = base;
    }
    return result;
}

/* The address wished for is a wish only. */
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags)
{
    (void)wish;
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(reserve(address, size, alignment, flags));
    }
    return result;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        const struct standin_reservation *reservation = standin_reservation_at(address);
        result = standin_end(is_users(reservation) ? standin_memory_free(address, size)
                                                   : CUDA_ERROR_INVALID_VALUE);
    }
    return result;
}

static CUresult map(CUdeviceptr address, size_t size, size_t offset,
                    CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    struct standin_allocation *allocation = standin_handle_find(handle);
    if (allocation == NULL || offset != 0 || flags != 0 || size != allocation->size ||
        !is_multiple(address) || !is_users_at(address)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (allocation->multicast != NULL && !standin_multicast_is_complete(allocation, "cuMemMap")) {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    return standin_memory_map(address, size, allocation);
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(map(address, size, offset, handle, flags));
    }
    return result;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        standin_streams_drain(NULL);
        result = standin_end(is_users_at(address)
                                 ? standin_memory_unmap(address, size)
                                 : CUDA_ERROR_INVALID_VALUE);
    }
    return result;
}

/* Of an object that is a device which takes part. */
static bool device_reaches(int physical, const struct standin_allocation *allocation)
{
    return allocation->multicast != NULL
               ? standin_multicast_has(allocation, physical)
               : standin_machine_are_linked(physical, allocation->physical);
}

/* Whether a device reaches all memory that is mapped in a range. */
static bool is_linked(int device, CUdeviceptr address, size_t size)
{
    int physical = standin_devices[device].physical;
    for (const struct standin_mapping *mapping = standin_mappings; mapping;
         mapping = mapping->next) {
        if (mapping->address - address < size &&
            !device_reaches(physical, mapping->allocation)) {
            return false;
        }
    }
    return true;
}

static CUresult set_access(CUdeviceptr address, size_t size, const CUmemAccessDesc *access,
                           size_t count)
{
    if (access == NULL || count == 0 || !is_users_at(address)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            (access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
             access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
             access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        if (!standin_device_is(access[i].location.id) ||
            !is_linked(access[i].location.id, address, size)) {
            return CUDA_ERROR_INVALID_DEVICE;
        }
    }
    standin_streams_drain(NULL);
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = standin_memory_grant(address, size, access[i].location.id, access[i].flags);
    }
    return result;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *access,
                        size_t count)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(set_access(address, size, access, count));
    }
    return result;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                        CUdeviceptr address)
{
    CUresult result = flags == NULL || location == NULL ? CUDA_ERROR_INVALID_VALUE
                                                        : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        const struct standin_mapping *mapping = standin_mapping_at(address);
        if (mapping == NULL || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
            !standin_device_is(location->id)) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            *flags = mapping->access[location->id];
        }
        (void)standin_end(result);
    }
    return result;
}
