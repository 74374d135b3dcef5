/*
 * multicast.c - the driver's functions for multicast objects: cuMulticastCreate,
 * cuMulticastBindMem, ...
 *
 * The rules are those of the real driver, and stricter where a program could not tell: a device
 * binds memory of its own, made in the same process, one range at a time; unbinding names exactly
 * that range.  What waits in the real driver until all devices have been added fails here: in a
 * test nobody may come.
 *
 * SYMM_STANDIN_MULTICAST=0  no device has it; otherwise those have from compute capability 9.0 on.
 * SYMM_STANDIN_MULTICAST_LEAST=BYTES, SYMM_STANDIN_MULTICAST_RECOMMENDED=BYTES  the granularities
 *     (defaults: 2 MiB, 512 MiB).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/multicast.h"

#include <stdlib.h>

bool standin_machine_has_multicast(void)
{
    return standin_setting("SYMM_STANDIN_MULTICAST", 1) != 0 &&
           standin_setting("SYMM_STANDIN_CAPABILITY", 9) >= 9 && !standin_machine_is_sliced();
}

static size_t granularity_least(void)
{
    return (size_t)standin_setting("SYMM_STANDIN_MULTICAST_LEAST", STANDIN_GRANULARITY);
}

static size_t granularity_recommended(void)
{
    return (size_t)standin_setting("SYMM_STANDIN_MULTICAST_RECOMMENDED", 512LL << 20);
}

static CUresult check_properties(const CUmulticastObjectProp *properties)
{
    if (properties == NULL || properties->numDevices < 1 || properties->size == 0 ||
        properties->flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!standin_machine_has_multicast() || properties->numDevices > STANDIN_DEVICES_MAX) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return standin_machine_grants(properties->handleTypes);
}

CUresult cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *properties,
                                   CUmulticastGranularity_flags option)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = granularity == NULL || option > CU_MULTICAST_GRANULARITY_RECOMMENDED
                     ? CUDA_ERROR_INVALID_VALUE
                     : check_properties(properties);
        if (result == CUDA_SUCCESS) {
            *granularity = option == CU_MULTICAST_GRANULARITY_MINIMUM ? granularity_least()
                                                                      : granularity_recommended();
        }
        (void)standin_end(result);
    }
    return result;
}

static CUresult create(CUmemGenericAllocationHandle *handle,
                       const CUmulticastObjectProp *properties)
{
    CUresult result = handle == NULL ? CUDA_ERROR_INVALID_VALUE : check_properties(properties);
    struct standin_allocation *object;
    if (result == CUDA_SUCCESS && properties->size % granularity_least() != 0) {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    if (result == CUDA_SUCCESS) {
        result = standin_multicast_make(properties, &object);
    }
    if (result == CUDA_SUCCESS) {
        standin_handle_give(object, handle);
    }
    return result;
}

CUresult cuMulticastCreate(CUmemGenericAllocationHandle *handle,
                           const CUmulticastObjectProp *properties)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(create(handle, properties));
    }
    return result;
}

static struct standin_allocation *object_find(CUmemGenericAllocationHandle handle)
{
    struct standin_allocation *object = standin_handle_find(handle);
    return object != NULL && object->multicast != NULL ? object : NULL;
}

static CUresult add_locked(struct standin_allocation *object, int physical)
{
    struct standin_multicast *shared = object->multicast;
    if (standin_multicast_member(object, physical) != NULL || shared->added == shared->wanted) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    shared->members[shared->added++] = (struct standin_member){.physical = physical};
    return CUDA_SUCCESS;
}

static CUresult add_device(CUmemGenericAllocationHandle handle, CUdevice device)
{
    struct standin_allocation *object = object_find(handle);
    if (object == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!standin_device_is(device)) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    standin_multicast_lock(object);
    CUresult result = add_locked(object, standin_devices[device].physical);
    standin_multicast_unlock(object);
    return result;
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle, CUdevice device)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(add_device(handle, device));
    }
    return result;
}

static bool is_in(uint64_t offset, uint64_t size, uint64_t whole)
{
    return size > 0 && offset <= whole && size <= whole - offset;
}

static CUresult bind_locked(const struct standin_allocation *object,
                            const struct standin_allocation *memory,
                            const struct standin_member *range)
{
    struct standin_member *member = standin_multicast_member(object, memory->physical);
    if (member == NULL || member->bound) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!standin_multicast_is_complete(object, "cuMulticastBindMem")) {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    *member = *range;
    return CUDA_SUCCESS;
}

static CUresult bind_memory(CUmemGenericAllocationHandle object_handle, size_t offset,
                            CUmemGenericAllocationHandle memory_handle, size_t memory_offset,
                            size_t size, unsigned long long flags)
{
    size_t unit = granularity_least();
    const struct standin_allocation *object = object_find(object_handle);
    const struct standin_allocation *memory = standin_handle_find(memory_handle);
    if (object == NULL || memory == NULL || memory->multicast != NULL || memory->imported ||
        flags != 0 || offset % unit != 0 || memory_offset % unit != 0 || size % unit != 0 ||
        !is_in(offset, size, object->size) || !is_in(memory_offset, size, memory->size)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct standin_bound *bound = calloc(1, sizeof *bound);
    if (bound == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const struct standin_member range = {
        .physical = memory->physical, .bound = true, .serial = memory->serial,
        .memory_offset = memory_offset, .offset = offset, .size = size,
    };
    standin_multicast_lock(object);
    CUresult result = bind_locked(object, memory, &range);
    standin_multicast_unlock(object);
    if (result != CUDA_SUCCESS) {
        free(bound);
        return result;
    }
    *bound = (struct standin_bound){.next = standin_bounds, .object = object, .memory = memory,
                                    .physical = memory->physical};
    standin_bounds = bound;
    return CUDA_SUCCESS;
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle object, size_t offset,
                            CUmemGenericAllocationHandle memory, size_t memory_offset, size_t size,
                            unsigned long long flags)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(bind_memory(object, offset, memory, memory_offset, size, flags));
    }
    return result;
}

static CUresult unbind_locked(const struct standin_allocation *object, int physical, size_t offset,
                              size_t size)
{
    struct standin_member *member = standin_multicast_member(object, physical);
    if (member == NULL || !member->bound || member->offset != offset || member->size != size) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    member->bound = false;
    return CUDA_SUCCESS;
}

static CUresult unbind(CUmemGenericAllocationHandle handle, CUdevice device, size_t offset,
                       size_t size)
{
    const struct standin_allocation *object = object_find(handle);
    if (object == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!standin_device_is(device)) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    int physical = standin_devices[device].physical;
    struct standin_bound **link = &standin_bounds;
    while (*link != NULL && ((*link)->object != object || (*link)->physical != physical)) {
        link = &(*link)->next;
    }
    struct standin_bound *bound = *link;
    if (bound == NULL) {
        return CUDA_ERROR_INVALID_VALUE; /* another process has bound it, or nobody */
    }
    standin_streams_drain(NULL);
    standin_multicast_lock(object);
    CUresult result = unbind_locked(object, physical, offset, size);
    standin_multicast_unlock(object);
    if (result == CUDA_SUCCESS) {
        *link = bound->next;
        free(bound);
    }
    return result;
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle object, CUdevice device, size_t offset,
                           size_t size)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(unbind(object, device, offset, size));
    }
    return result;
}
