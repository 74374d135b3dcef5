/*
 * ipc.c - memory of cuMemAlloc() in other processes: cuIpcGetMemHandle, cuIpcOpenMemHandle, ...
 *
 * A handle names a process, its descriptor of the memory file and the memory's serial number;
 * whoever opens it looks in /proc.  Memory stays until the last process has closed it, as a file
 * does.  Where the real driver's releases differ, this one is strict: a handle is opened once per
 * context, is closed in that context, and is not made for an address within an allocation.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct handle {
    char magic[16];
    uint64_t serial;
    int64_t process;
    int64_t descriptor;
};

_Static_assert(sizeof(struct handle) <= CU_IPC_HANDLE_SIZE, "it is what a CUipcMemHandle holds");

static const char magic[16] = "symm stand-in i";

/* ---- exporting ------------------------------------------------------------------------------- */

static CUresult export_memory(CUipcMemHandle *exported, CUdeviceptr address)
{
    const struct standin_mapping *mapping = standin_mapping_at(address);
    if (mapping == NULL || !mapping->reservation->internal ||
        mapping->reservation->pooled || mapping->address != address) {
        /* host memory, VMM memory, and what is another process's */
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct handle handle = {.serial = mapping->allocation->serial,
                            .process = getpid(),
                            .descriptor = mapping->allocation->descriptor};
    memcpy(handle.magic, magic, sizeof handle.magic);
    memset(exported, 0, sizeof *exported);
    memcpy(exported->reserved, &handle, sizeof handle);
    return CUDA_SUCCESS;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address)
{
    CUcontext context;
    CUresult result = handle == NULL ? CUDA_ERROR_INVALID_VALUE
                                     : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(export_memory(handle, address));
    }
    return result;
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool is_open(uint64_t serial, CUcontext context)
{
    for (const struct standin_mapping *mapping = standin_mappings; mapping;
         mapping = mapping->next) {
        if (mapping->reservation->opener == context && mapping->allocation->serial == serial) {
            return true;
        }
    }
    return false;
}

/* The memory file that a handle names; -1: its owner has freed the memory, or has ended. */
static int file_open(const struct handle *handle)
{
    char name[64];
    struct standin_label label;
    (void)snprintf(name, sizeof name, "/proc/%lld/fd/%lld", (long long)handle->process,
                   (long long)handle->descriptor);
    int descriptor = open(name, O_RDWR | O_CLOEXEC);
    if (descriptor >= 0 && (standin_memfile_read(descriptor, &label) != CUDA_SUCCESS ||
                            label.serial != handle->serial)) {
        (void)close(descriptor);
        descriptor = -1;
    }
    return descriptor;
}

/* Memory that has been imported, at an address that only `context` can use. */
static CUresult attach(CUdeviceptr *address, struct standin_allocation *allocation,
                       CUcontext context)
{
    uint64_t base;
    size_t size = allocation->size;
    CUresult result = standin_memory_reserve(size, STANDIN_GRANULARITY, &base);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    result = standin_memory_map(base, size, allocation);
    if (result == CUDA_SUCCESS) {
        result = standin_memory_grant(base, size, context->device,
                                      CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        if (result != CUDA_SUCCESS) {
            (void)standin_memory_unmap(base, size);
        }
    }
    if (result != CUDA_SUCCESS) {
        (void)standin_memory_free(base, size);
        return result;
    }
    standin_reservation_at(base)->opener = context;
    *address = base;
    return CUDA_SUCCESS;
}

static CUresult import_memory(CUdeviceptr *address, int descriptor, CUcontext context)
{
    struct standin_allocation *allocation;
    CUresult result = standin_memory_import(descriptor, &allocation);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    if (standin_machine_are_linked(standin_devices[context->device].physical,
                                   allocation->physical)) {
        result = attach(address, allocation, context);
    } else {
        result = CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    }
    allocation->references = 0; /* the mapping holds it, if there is one */
    standin_memory_drop(allocation);
    return result;
}

static CUresult open_memory(CUdeviceptr *address, const CUipcMemHandle *exported, unsigned flags,
                            CUcontext context)
{
    struct handle handle;
    memcpy(&handle, exported->reserved, sizeof handle);
    if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS ||
        memcmp(handle.magic, magic, sizeof magic) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (handle.process == getpid()) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (is_open(handle.serial, context)) {
        return CUDA_ERROR_ALREADY_MAPPED;
    }
    int descriptor = file_open(&handle);
    if (descriptor < 0) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    CUresult result = import_memory(address, descriptor, context);
    (void)close(descriptor);
    return result;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags)
{
    CUcontext context;
    CUresult result = address == NULL ? CUDA_ERROR_INVALID_VALUE
                                      : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(open_memory(address, &handle, flags, context));
    }
    return result;
}

/* ---- closing --------------------------------------------------------------------------------- */

static CUresult close_memory(CUdeviceptr address, CUcontext context)
{
    const struct standin_reservation *reservation = standin_reservation_at(address);
    if (reservation == NULL || reservation->opener != context || reservation->base != address) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return standin_reservation_free(reservation);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        standin_streams_drain(NULL);
        result = standin_end(close_memory(address, context));
    }
    return result;
}
