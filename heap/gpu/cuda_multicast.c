/*
 * cuda_multicast.c - NVLink multicast of device memory; see cuda_multicast.h and multicast.h.
 *
 * Binding and mapping wait until all devices have been added, so nothing here is called before all
 * ranks have agreed that they are.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/gpu/cuda_handles.h"
#include "heap/gpu/cuda_multicast.h"
#include "heap/multicast.h"

static CUdeviceptr device_pointer(const void *address)
{
    return (CUdeviceptr)(uintptr_t)address;
}

static bool multicast_able(const struct symm_kind *kind)
{
    (void)kind; /* otherwise it has not got these functions */
    return true;
}

static enum symm_status multicast_create(const struct symm_kind *kind, int ranks, size_t size,
                                         symm_handle *object)
{
    struct symm_cuda_scope scope;
    CUmemGenericAllocationHandle created = 0;
    enum symm_status status = symm_cuda_enter(kind->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUmulticastObjectProp properties = {.numDevices = (unsigned)ranks, .size = size};
    CUmemAllocationHandleType types;
    CUresult result;
    do {
        types = symm_cuda_handle_types(kind->device);
        properties.handleTypes = types;
        result = scope.cuda->cuMulticastCreate(&created, &properties);
    } while (symm_cuda_fabric_refused(kind->device, types, result));
    symm_cuda_leave(&scope);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMulticastCreate", result);
    }
    *object = created;
    return SYMM_OK;
}

/* Objects are exported, imported and released as memory is. */
static enum symm_status multicast_export(const struct symm_kind *kind, symm_handle object,
                                         int *descriptor)
{
    return kind->export_handle(kind, object, descriptor);
}

static enum symm_status multicast_import(const struct symm_kind *kind, int descriptor,
                                         symm_handle *object)
{
    return kind->import_handle(kind, descriptor, 0, object);
}

static void multicast_release(const struct symm_kind *kind, symm_handle object)
{
    kind->release(kind, object, 0, 1);
}

static enum symm_status multicast_add(const struct symm_kind *kind, symm_handle object, int rank)
{
    struct symm_cuda_scope scope;
    (void)rank; /* the driver tells devices apart, each of which is one rank's */
    enum symm_status status = symm_cuda_enter(kind->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = scope.cuda->cuMulticastAddDevice(object, scope.device);
    symm_cuda_leave(&scope);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuMulticastAddDevice", result);
}

static enum symm_status multicast_bind(const struct symm_kind *kind, symm_handle object, int rank,
                                       const struct symm_replica *replica)
{
    struct symm_cuda_scope scope;
    (void)rank;
    enum symm_status status = symm_cuda_enter(kind->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result =
        scope.cuda->cuMulticastBindMem(object, 0, replica->handle, 0, replica->size, 0);
    symm_cuda_leave(&scope);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuMulticastBindMem", result);
}

/* With the same place and size as it was bound with. */
static void multicast_unbind(const struct symm_kind *kind, symm_handle object, int rank,
                             const struct symm_replica *replica)
{
    struct symm_cuda_scope scope;
    (void)rank;
    if (symm_cuda_enter_to_release(kind->device, &scope) == SYMM_OK) {
        (void)scope.cuda->cuMulticastUnbind(object, scope.device, 0, replica->size);
        symm_cuda_leave(&scope);
    }
}

/*
 * Map what is reserved, for this device alone: other devices of this process are not in the object.
 */
static enum symm_status map_reserved(const struct symm_cuda_scope *scope, CUdeviceptr address,
                                     size_t size, symm_handle object, bool *stuck)
{
    const CUmemAccessDesc access = {
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = scope->device},
        .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    *stuck = false;
    CUresult result = scope->cuda->cuMemMap(address, size, 0, object, 0);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemMap", result);
    }
    result = scope->cuda->cuMemSetAccess(address, size, &access, 1);
    if (result != CUDA_SUCCESS) {
        *stuck = scope->cuda->cuMemUnmap(address, size) != CUDA_SUCCESS;
        return symm_cuda_failed("cuMemSetAccess", result);
    }
    return SYMM_OK;
}

static enum symm_status multicast_map(const struct symm_kind *kind, symm_handle object, size_t size,
                                      void **mapped)
{
    struct symm_cuda_scope scope;
    void *address;
    bool stuck;
    enum symm_status status = kind->reserve(kind, size, &address);
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_cuda_enter(kind->device, &scope);
    if (status != SYMM_OK) {
        kind->unreserve(kind, address, size);
        return status;
    }
    status = map_reserved(&scope, device_pointer(address), size, object, &stuck);
    symm_cuda_leave(&scope);
    if (status == SYMM_OK) {
        *mapped = address;
    } else if (!stuck) {
        kind->unreserve(kind, address, size);
    }
    return status;
}

/* If the driver does not unmap the object, its addresses are of no use to anybody any more. */
static void multicast_unmap(const struct symm_kind *kind, void *address, size_t size)
{
    struct symm_cuda_scope scope;
    CUresult result = CUDA_ERROR_UNKNOWN;
    if (symm_cuda_enter_to_release(kind->device, &scope) == SYMM_OK) {
        result = scope.cuda->cuMemUnmap(device_pointer(address), size);
        symm_cuda_leave(&scope);
    }
    if (result == CUDA_SUCCESS) {
        kind->unreserve(kind, address, size);
    }
}

static const struct symm_multicast_kind functions = {
    .able = multicast_able,
    .create = multicast_create,
    .export_object = multicast_export,
    .import_object = multicast_import,
    .add = multicast_add,
    .bind = multicast_bind,
    .unbind = multicast_unbind,
    .map = multicast_map,
    .unmap = multicast_unmap,
    .release = multicast_release,
};

static bool driver_has_functions(const struct symm_cuda *cuda)
{
    return cuda->cuMulticastCreate != NULL && cuda->cuMulticastAddDevice != NULL &&
           cuda->cuMulticastBindMem != NULL && cuda->cuMulticastUnbind != NULL &&
           cuda->cuMulticastGetGranularity != NULL;
}

static bool device_is_able(const struct symm_cuda_scope *scope)
{
    int able = 0;
    return scope->cuda->cuDeviceGetAttribute(&able, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED,
                                             scope->device) == CUDA_SUCCESS &&
           able != 0;
}

static bool granularity_get(const struct symm_cuda_scope *scope, const struct symm_kind *kind,
                            CUmulticastGranularity_flags which, size_t *granularity)
{
    /* The smallest object there can be; larger ones have the same granularity. */
    const CUmulticastObjectProp properties = {
        .numDevices = 2,
        .size = kind->granularity,
        .handleTypes = symm_cuda_handle_types(kind->device),
    };
    return scope->cuda->cuMulticastGetGranularity(granularity, &properties, which) ==
           CUDA_SUCCESS;
}

/*
 * Segments are rounded to the granularity so that any of them can be bound.  The recommended one
 * has the switch do with fewer entries, but is not worth segments larger than usual.
 */
void symm_cuda_multicast_prepare(const struct symm_cuda_scope *scope, struct symm_kind *kind)
{
    size_t least, wanted;
    if (symm_multicast_opted_out(NULL) || !driver_has_functions(scope->cuda) ||
        !device_is_able(scope) ||
        !granularity_get(scope, kind, CU_MULTICAST_GRANULARITY_MINIMUM, &least)) {
        return;
    }
    if (granularity_get(scope, kind, CU_MULTICAST_GRANULARITY_RECOMMENDED, &wanted) &&
        wanted <= symm_segment_size_usual && wanted > least) {
        least = wanted;
    }
    kind->granularity = least > kind->granularity ? least : kind->granularity;
    kind->multicast = &functions;
}
