/*
 * kind_cuda.c - memory of CUDA devices, in the driver's terms of virtual memory: an allocation is
 * created, goes to other processes as a file descriptor, and is mapped into reserved addresses.
 *
 * One kind per device.  Peers' memory can lie on devices that are not visible here; it is mapped by
 * one of ours, and whether that works is found out by trying.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "heap/gpu/cuda_handles.h"
#include "heap/gpu/cuda_mappings.h"
#include "heap/gpu/cuda_multicast.h"
#include "heap/headroom.h"

struct cuda_kind {
    struct symm_kind kind; /* first, so that a pointer to one is a pointer to the other */
    CUmemAllocationProp properties; /* but for the handle types, which may come to be fewer */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const struct cuda_kind *) kinds[SYMM_CUDA_DEVICES_MAX]; /* written under it, once */

static const struct cuda_kind *cuda_kind(const struct symm_kind *kind)
{
    return (const struct cuda_kind *)(const void *)kind;
}

static CUdeviceptr device_pointer(const void *address)
{
    return (CUdeviceptr)(uintptr_t)address;
}

/* ---- the table ------------------------------------------------------------------------------- */

static enum symm_status cuda_reserve(const struct symm_kind *kind, size_t size, void **base)
{
    struct symm_cuda_scope scope;
    CUdeviceptr address = 0;
    enum symm_status status = symm_cuda_enter(kind->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = scope.cuda->cuMemAddressReserve(&address, size, kind->granularity, 0, 0);
    symm_cuda_leave(&scope);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemAddressReserve", result);
    }
    *base = (void *)(uintptr_t)address;
    return SYMM_OK;
}

static void cuda_unreserve(const struct symm_kind *kind, void *base, size_t size)
{
    struct symm_cuda_scope scope;
    if (symm_cuda_enter_to_release(kind->device, &scope) == SYMM_OK) {
        (void)scope.cuda->cuMemAddressFree(device_pointer(base), size);
        symm_cuda_leave(&scope);
    }
}

static enum symm_status cuda_create(const struct symm_kind *kind, size_t size, symm_handle *handle)
{
    struct symm_cuda_scope scope;
    CUmemGenericAllocationHandle created = 0;
    symm_cuda_sync_memops(kind->device);
    enum symm_status status = symm_cuda_enter(kind->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUmemAllocationProp properties = cuda_kind(kind)->properties;
    CUresult result;
    do {
        properties.requestedHandleTypes = symm_cuda_handle_types(kind->device);
        result = scope.cuda->cuMemCreate(&created, size, &properties, 0);
    } while (symm_cuda_fabric_refused(kind->device, properties.requestedHandleTypes, result));
    symm_cuda_leave(&scope);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemCreate", result);
    }
    *handle = created;
    return SYMM_OK;
}

static enum symm_status cuda_export(const struct symm_kind *kind, symm_handle handle,
                                    int *descriptor)
{
    struct symm_cuda_scope scope;
    int exported = -1;
    enum symm_status status = symm_headroom_descriptor(SYMM_DESCRIPTOR_PASSING);
    if (status == SYMM_OK) {
        status = symm_cuda_enter(kind->device, &scope);
    }
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = scope.cuda->cuMemExportToShareableHandle(
        &exported, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    symm_cuda_leave(&scope);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemExportToShareableHandle", result);
    }
    /* Programs that this one executes are to inherit nothing. */
    (void)fcntl(exported, F_SETFD, FD_CLOEXEC);
    *descriptor = exported;
    return SYMM_OK;
}

static enum symm_status cuda_import(const struct symm_kind *kind, int descriptor, size_t size,
                                    symm_handle *handle)
{
    struct symm_cuda_scope scope;
    CUmemGenericAllocationHandle imported = 0;
    (void)size; /* the driver refuses to map more than there is */
    enum symm_status status = symm_cuda_enter(kind->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = scope.cuda->cuMemImportFromShareableHandle(
        &imported, (void *)(uintptr_t)descriptor, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    symm_cuda_leave(&scope);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemImportFromShareableHandle", result);
    }
    *handle = imported;
    return SYMM_OK;
}

static enum symm_status cuda_map(const struct symm_kind *kind, void *address, size_t size,
                                 symm_handle handle, int owned)
{
    struct symm_cuda_scope scope;
    enum symm_status status = symm_cuda_enter(kind->device, &scope);
    if (status == SYMM_OK) {
        status = symm_cuda_mappings_add(&scope, kind->device, address, size, handle,
                                        owned != 0);
        symm_cuda_leave(&scope);
    }
    return status;
}

static enum symm_status clear_here(const struct symm_cuda *cuda, CUstream stream, void *address,
                                   size_t size)
{
    CUresult result = cuda->cuMemsetD8Async(device_pointer(address), 0, size, stream);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemsetD8Async", result);
    }
    result = cuda->cuStreamSynchronize(stream);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuStreamSynchronize", result);
}

/* A stream of our own, because the program's may be captured, or wait for something. */
static enum symm_status cuda_clear(const struct symm_kind *kind, void *address, size_t size)
{
    struct symm_cuda_scope scope;
    CUstream stream;
    enum symm_status status = symm_cuda_enter(kind->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_cuda_stream(&scope, kind->device, &stream);
    if (status == SYMM_OK) {
        status = clear_here(scope.cuda, stream, address, size);
    }
    symm_cuda_leave(&scope);
    return status;
}

static enum symm_status cuda_unmap(const struct symm_kind *kind, void *address, size_t size)
{
    struct symm_cuda_scope scope;
    (void)size; /* mappings come and go as a whole */
    enum symm_status status = symm_cuda_enter_to_release(kind->device, &scope);
    if (status == SYMM_OK) {
        status = symm_cuda_mappings_remove(&scope, address);
        symm_cuda_leave(&scope);
    }
    return status;
}

/* The memory itself goes when nobody has it mapped any more: peers unmap it when they next meet. */
static void cuda_release(const struct symm_kind *kind, symm_handle handle, size_t size, int owned)
{
    struct symm_cuda_scope scope;
    (void)size;
    (void)owned;
    if (symm_cuda_enter_to_release(kind->device, &scope) == SYMM_OK) {
        (void)scope.cuda->cuMemRelease(handle);
        symm_cuda_leave(&scope);
    }
}

static void cuda_describe(const struct symm_kind *kind, char *text, size_t size)
{
    symm_cuda_device_describe(kind->device, text, size);
}

/* ---- one kind per device --------------------------------------------------------------------- */

static const struct symm_kind functions = {
    .name = "cuda",
    .reserve = cuda_reserve,
    .unreserve = cuda_unreserve,
    .create = cuda_create,
    .export_handle = cuda_export,
    .import_handle = cuda_import,
    .map = cuda_map,
    .clear = cuda_clear,
    .unmap = cuda_unmap,
    .release = cuda_release,
    .describe = cuda_describe,
};

static enum symm_status attribute_get(const struct symm_cuda_scope *scope,
                                      CUdevice_attribute attribute, bool *yes)
{
    int value = 0;
    CUresult result = scope->cuda->cuDeviceGetAttribute(&value, attribute, scope->device);
    *yes = value != 0;
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuDeviceGetAttribute", result);
}

/* The properties of all allocations of the kind, and whether the device has such allocations. */
static enum symm_status properties_get(const struct symm_cuda_scope *scope, struct cuda_kind *kind)
{
    bool mappable = false, exportable = false, network = false, fabric = false;
    enum symm_status status = attribute_get(
        scope, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, &mappable);
    if (status == SYMM_OK) {
        status = attribute_get(
            scope, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, &exportable);
    }
    if (status == SYMM_OK) {
        status = attribute_get(
            scope, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, &network);
    }
    if (status == SYMM_OK) {
        status = attribute_get(scope, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, &fabric);
    }
    if (status == SYMM_OK && (!mappable || !exportable)) {
        status = symm_cuda_unusable(mappable ? "the device cannot export memory to other processes"
                                             : "the device has no virtual memory management");
    }
    symm_cuda_fabric_allow(kind->kind.device, fabric);
    kind->properties = (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = scope->device},
        .allocFlags = {.gpuDirectRDMACapable = network},
    };
    return status;
}

static enum symm_status granularity_get(const struct symm_cuda_scope *scope,
                                        struct cuda_kind *kind)
{
    CUmemAllocationProp properties = kind->properties;
    CUresult result;
    do {
        properties.requestedHandleTypes = symm_cuda_handle_types(kind->kind.device);
        result = scope->cuda->cuMemGetAllocationGranularity(&kind->kind.granularity, &properties,
                                                            CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    } while (symm_cuda_fabric_refused(kind->kind.device, properties.requestedHandleTypes, result));
    return result == CUDA_SUCCESS ? SYMM_OK
                                  : symm_cuda_failed("cuMemGetAllocationGranularity", result);
}

static enum symm_status kind_fill(const struct symm_cuda_scope *scope, int device,
                                  struct cuda_kind *kind)
{
    kind->kind = functions;
    kind->kind.device = device;
    enum symm_status status = properties_get(scope, kind);
    if (status == SYMM_OK) {
        status = granularity_get(scope, kind);
    }
    if (status == SYMM_OK) {
        symm_cuda_multicast_prepare(scope, &kind->kind);
    }
    return status;
}

static enum symm_status kind_create(int device)
{
    struct symm_cuda_scope scope;
    struct cuda_kind *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        (void)symm_cuda_unusable("the process has no memory left");
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = symm_cuda_enter(device, &scope);
    if (status == SYMM_OK) {
        status = kind_fill(&scope, device, created);
        if (status == SYMM_OK) {
            symm_cuda_mappings_add_device(&scope, device);
        }
        symm_cuda_leave(&scope);
    }
    if (status != SYMM_OK) {
        free(created);
        return status;
    }
    atomic_store_explicit(&kinds[device], created, memory_order_release);
    return SYMM_OK;
}

enum symm_status symm_kind_of_device(int device, const struct symm_kind **kind)
{
    if (device < 0 || device >= SYMM_CUDA_DEVICES_MAX) {
        (void)symm_cuda_unusable("there is no device %d", device);
        return SYMM_ERR_ARGUMENT;
    }
    enum symm_status status = SYMM_OK;
    const struct cuda_kind *found = atomic_load_explicit(&kinds[device], memory_order_acquire);
    if (found == NULL) {
        (void)pthread_mutex_lock(&mutex);
        if (atomic_load_explicit(&kinds[device], memory_order_relaxed) == NULL) {
            status = kind_create(device);
        }
        found = atomic_load_explicit(&kinds[device], memory_order_relaxed);
        (void)pthread_mutex_unlock(&mutex);
    }
    if (status == SYMM_OK) {
        *kind = &found->kind;
    }
    return status;
}
