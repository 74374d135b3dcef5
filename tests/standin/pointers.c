/*
 * pointers.c - what an address is: where it lies, what belongs to it, how work on a device gets
 * there; cuMemAlloc(), whose memory is a reservation, an allocation and a mapping in one.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <string.h>

/* The device in whose view memory is reached from work on `device`: copies reach the memory of
 * cuMemAlloc() from everywhere, all else must have been granted. */
static int view_for(const struct standin_mapping *mapping, int device, bool write)
{
    unsigned wanted = write ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_READ;
    if (mapping->reservation->internal) {
        return mapping->allocation->device;
    }
    if (mapping->allocation->multicast != NULL) {
        return -1; /* only kernels know what to do with it */
    }
    return (mapping->access[device] & wanted) == wanted ? device : -1;
}

CUresult standin_address_resolve(uint64_t address, size_t size, int device, bool write,
                                 enum standin_place *place, void **real)
{
    const struct standin_reservation *reservation = standin_reservation_at(address);
    if (reservation == NULL) {
        *place = standin_address_is_pinned(address, size) ? STANDIN_PINNED : STANDIN_PAGEABLE;
        *real = (void *)(uintptr_t)address;
        return address == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    }
    int view = -1;
    uint64_t at = address;
    do {
        const struct standin_mapping *mapping = standin_mapping_at(at);
        view = mapping == NULL || mapping->reservation != reservation
                   ? -1
                   : view_for(mapping, device, write);
        at = view < 0 ? at : mapping->address + mapping->size;
    } while (view >= 0 && at - address < size);
    if (view < 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *place = STANDIN_ON_DEVICE;
    *real = reservation->views[view] + (address - reservation->base);
    return CUDA_SUCCESS;
}

uint64_t standin_address_translate(uint64_t word, int device)
{
    const struct standin_reservation *reservation = standin_reservation_at(word);
    return reservation == NULL || reservation->views[device] == NULL
               ? word
               : (uintptr_t)reservation->views[device] + (word - reservation->base);
}

bool standin_address_syncs(uint64_t address, CUcontext context)
{
    const struct standin_mapping *mapping = standin_mapping_at(address);
    return (context->flags & CU_CTX_SYNC_MEMOPS) != 0 ||
           (mapping != NULL && mapping->sync_memops);
}

/* ---- cuMemAlloc ------------------------------------------------------------------------------ */

static CUresult allocate(CUdeviceptr *address, size_t size, CUcontext context)
{
    int device = context->device;
    struct standin_allocation *allocation;
    uint64_t base;
    size_t whole = (size + STANDIN_GRANULARITY - 1) / STANDIN_GRANULARITY * STANDIN_GRANULARITY;
    if (address == NULL || size == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (whole < size || standin_memory_reserve(whole, STANDIN_GRANULARITY, &base) != CUDA_SUCCESS) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = standin_memory_create(whole, device, false, &allocation);
    if (result == CUDA_SUCCESS) {
        result = standin_memory_map(base, whole, allocation);
        allocation->references = 0;
        standin_memory_drop(allocation);
    }
    if (result == CUDA_SUCCESS) {
        result = standin_memory_grant(base, whole, device, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        if (result != CUDA_SUCCESS) {
            (void)standin_memory_unmap(base, whole);
        }
    }
    if (result != CUDA_SUCCESS) {
        (void)standin_memory_free(base, whole);
        return result;
    }
    standin_reservation_at(base)->internal = true;
    standin_reservation_at(base)->asked = size;
    standin_reservation_at(base)->owner = context;
    *address = base;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t size)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(allocate(address, size, context));
    }
    return result;
}

static CUresult release(CUdeviceptr address)
{
    const struct standin_reservation *reservation = standin_reservation_at(address);
    if (reservation == NULL || !reservation->internal || reservation->base != address) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return standin_reservation_free(reservation);
}

CUresult cuMemFree(CUdeviceptr address)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        standin_streams_drain(NULL);
        result = standin_end(address == 0 || standin_managed_free(address) ? CUDA_SUCCESS
                                                                           : release(address));
    }
    return result;
}

/*
 * Of the device's default pool, at once, as a stream without work would do it.  Freed memory goes
 * when all work that has been given is done, which is later than a program may rely on.
 */
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream handle)
{
    CUcontext context;
    CUstream stream;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_stream_find(handle, context, &stream);
        if (result == CUDA_SUCCESS) {
            result = allocate(address, size, context);
        }
        if (result == CUDA_SUCCESS) {
            standin_reservation_at(*address)->pooled = true;
            standin_reservation_at(*address)->owner = NULL;
        }
        (void)standin_end(result);
    }
    return result;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle)
{
    CUcontext context;
    CUstream stream;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_stream_find(handle, context, &stream);
        if (result == CUDA_SUCCESS) {
            standin_streams_drain(NULL);
            result = release(address);
        }
        (void)standin_end(result);
    }
    return result;
}

/* What the program believes that it has. */
static size_t range_size(const struct standin_reservation *reservation, size_t size)
{
    return reservation != NULL && reservation->asked != 0 ? reservation->asked : size;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        const struct standin_mapping *mapping = standin_mapping_at(address);
        if (mapping == NULL) {
            result = CUDA_ERROR_NOT_FOUND;
        } else {
            if (base != NULL) {
                *base = mapping->address;
            }
            if (size != NULL) {
                *size = range_size(standin_reservation_at(address), mapping->size);
            }
        }
        (void)standin_end(result);
    }
    return result;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Attributes have types of their own; the caller's variable is as large as `size`. */
static CUresult put(void *data, const void *value, size_t size)
{
    memcpy(data, value, size);
    return CUDA_SUCCESS;
}

#define PUT(type, value) put(data, &(type){value}, sizeof(type))

static CUresult host_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
    bool managed = standin_address_is_managed(address);
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return PUT(unsigned, managed ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return PUT(CUdeviceptr, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: return PUT(void *, (void *)(uintptr_t)address);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return PUT(unsigned, managed);
    case CU_POINTER_ATTRIBUTE_MAPPED: return PUT(unsigned, 1);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return PUT(int, 0);
    case CU_POINTER_ATTRIBUTE_CONTEXT: return PUT(CUcontext, standin_devices[0].primary);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult mapped_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr address,
                                 const struct standin_mapping *mapping)
{
    const struct standin_allocation *allocation = mapping->allocation;
    bool internal = mapping->reservation->internal;
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: /* VMM memory belongs to none */
        return PUT(CUcontext, internal ? mapping->reservation->owner
                                       : mapping->reservation->opener);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return PUT(unsigned, CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return PUT(CUdeviceptr, address);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return PUT(unsigned, mapping->sync_memops);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return PUT(unsigned long long, allocation->id);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: return PUT(unsigned long long, allocation->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return PUT(unsigned, 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return PUT(int, allocation->device < 0 ? CU_DEVICE_INVALID : allocation->device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        return PUT(unsigned, internal && !mapping->reservation->pooled);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return standin_context_current() == NULL
                   ? CUDA_ERROR_INVALID_VALUE
                   : PUT(unsigned, mapping->access[standin_context_current()->device]);
    case CU_POINTER_ATTRIBUTE_MAPPED: return PUT(unsigned, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return PUT(unsigned long long,
                   allocation->exportable ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : 0);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: return PUT(size_t, mapping->size);
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: return PUT(CUdeviceptr, mapping->address);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult attribute_of(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
    const struct standin_reservation *reservation = standin_reservation_at(address);
    const struct standin_mapping *mapping = standin_mapping_at(address);
    if (reservation == NULL) {
        return standin_address_is_pinned(address, 1) ? host_attribute(data, attribute, address)
                                                     : CUDA_ERROR_INVALID_VALUE;
    }
    switch ((int)attribute) { /* these are about the reservation, also for VMM memory */
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return PUT(CUdeviceptr, reservation->base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return PUT(size_t, range_size(reservation, reservation->size));
    default: break;
    }
    if (mapping == NULL) {
        return attribute == CU_POINTER_ATTRIBUTE_MAPPED ? PUT(unsigned, 0)
                                                        : CUDA_ERROR_INVALID_VALUE;
    }
    return mapped_attribute(data, attribute, address, mapping);
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
    CUresult result = data == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(attribute_of(data, attribute, address));
    }
    return result;
}

static size_t attribute_size(CUpointer_attribute attribute)
{
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_MAPPED: return sizeof(unsigned);
    default: return sizeof(unsigned long long);
    }
}

/* Unlike the function for one attribute, this one takes unknown addresses and answers 0. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr address)
{
    CUresult result = attributes == NULL || data == NULL ? CUDA_ERROR_INVALID_VALUE
                                                         : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        for (unsigned i = 0; i < count; i++) {
            if (attribute_of(data[i], attributes[i], address) != CUDA_SUCCESS) {
                memset(data[i], 0, attribute_size(attributes[i]));
            }
        }
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

/* Only SYNC_MEMOPS can be set, and VMM memory refuses it. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                               CUdeviceptr address)
{
    CUresult result = value == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        struct standin_mapping *mapping = standin_mapping_at(address);
        if (mapping == NULL || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else if (!mapping->reservation->internal) {
            result = CUDA_ERROR_NOT_SUPPORTED;
        } else {
            unsigned on;
            memcpy(&on, value, sizeof on);
            mapping->sync_memops = on != 0;
        }
        (void)standin_end(result);
    }
    return result;
}
