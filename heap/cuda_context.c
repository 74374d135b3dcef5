/*
 * cuda_context.c - see cuda_context.h; and which devices there are, from cuda_device.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "heap/cuda_context.h"

struct device {
    CUdevice handle;
    bool syncs_memops;
    _Atomic(CUcontext) context; /* the primary one, retained for ever; NULL until first entered */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct device devices[SYMM_CUDA_DEVICES_MAX];
static _Atomic int local_rank;

void symm_cuda_configure_rank(int rank)
{
    atomic_store_explicit(&local_rank, rank, memory_order_relaxed);
}

/* ---- contexts -------------------------------------------------------------------------------- */

/* Flags can only be set all at once.  Whether the context that is current has the flag now. */
static bool sync_memops_set(const struct symm_cuda *cuda)
{
    unsigned flags = 0;
    if (cuda->cuCtxSetFlags == NULL || cuda->cuCtxGetFlags(&flags) != CUDA_SUCCESS) {
        return false;
    }
    return (flags & CU_CTX_SYNC_MEMOPS) != 0 ||
           cuda->cuCtxSetFlags(flags | CU_CTX_SYNC_MEMOPS) == CUDA_SUCCESS;
}

static enum symm_status context_retain(const struct symm_cuda *cuda, int number,
                                       struct device *device)
{
    CUcontext context;
    int count = 0;
    CUresult result = cuda->cuDeviceGetCount(&count);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuDeviceGetCount", result);
    }
    if (number >= count) {
        (void)symm_cuda_unusable("there are %d devices and no device %d", count, number);
        return SYMM_ERR_ARGUMENT;
    }
    result = cuda->cuDeviceGet(&device->handle, number);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuDeviceGet", result);
    }
    result = cuda->cuDevicePrimaryCtxRetain(&context, device->handle);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuDevicePrimaryCtxRetain", result);
    }
    result = cuda->cuCtxPushCurrent(context);
    if (result != CUDA_SUCCESS) {
        (void)cuda->cuDevicePrimaryCtxRelease(device->handle);
        return symm_cuda_failed("cuCtxPushCurrent", result);
    }
    device->syncs_memops = sync_memops_set(cuda);
    (void)cuda->cuCtxPopCurrent(&context);
    atomic_store_explicit(&device->context, context, memory_order_release);
    return SYMM_OK;
}

static enum symm_status context_get(const struct symm_cuda *cuda, int number, CUcontext *context)
{
    if (number < 0 || number >= SYMM_CUDA_DEVICES_MAX) {
        (void)symm_cuda_unusable("there is no device %d", number);
        return SYMM_ERR_ARGUMENT;
    }
    struct device *device = &devices[number];
    enum symm_status status = SYMM_OK;
    *context = atomic_load_explicit(&device->context, memory_order_acquire);
    if (*context != NULL) {
        return SYMM_OK;
    }
    (void)pthread_mutex_lock(&mutex);
    if (atomic_load_explicit(&device->context, memory_order_relaxed) == NULL) {
        status = context_retain(cuda, number, device);
    }
    *context = atomic_load_explicit(&device->context, memory_order_relaxed);
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

/* Within the relaxed mode: the context of a device, pushed. */
static enum symm_status context_push(const struct symm_cuda *cuda, int device)
{
    CUcontext context;
    enum symm_status status = context_get(cuda, device, &context);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = cuda->cuCtxPushCurrent(context);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuCtxPushCurrent", result);
}

enum symm_status symm_cuda_enter(int device, struct symm_cuda_scope *scope)
{
    enum symm_status status = symm_cuda_get(&scope->cuda);
    if (status != SYMM_OK) {
        return status;
    }
    scope->capture_mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUresult result = scope->cuda->cuThreadExchangeStreamCaptureMode(&scope->capture_mode);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuThreadExchangeStreamCaptureMode", result);
    }
    status = context_push(scope->cuda, device);
    if (status != SYMM_OK) {
        CUstreamCaptureMode mode = scope->capture_mode;
        (void)scope->cuda->cuThreadExchangeStreamCaptureMode(&mode);
        return status;
    }
    scope->device = devices[device].handle;
    return SYMM_OK;
}

void symm_cuda_leave(const struct symm_cuda_scope *scope)
{
    CUcontext context;
    CUstreamCaptureMode mode = scope->capture_mode;
    if (scope->cuda->cuCtxPopCurrent(&context) != CUDA_SUCCESS) { /* the program has another one */
        (void)scope->cuda->cuCtxPopCurrent(&context);
    }
    (void)scope->cuda->cuThreadExchangeStreamCaptureMode(&mode);
}

bool symm_cuda_device_syncs_memops(int device)
{
    return device >= 0 && device < SYMM_CUDA_DEVICES_MAX &&
           atomic_load_explicit(&devices[device].context, memory_order_acquire) != NULL &&
           devices[device].syncs_memops;
}

/* Such functions work on the default stream, of which there are two sorts. */
static void memops_wait(const struct symm_cuda *cuda)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (cuda->cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS) {
        (void)sync_memops_set(cuda);
        (void)cuda->cuStreamSynchronize(CU_STREAM_LEGACY);
        (void)cuda->cuStreamSynchronize(CU_STREAM_PER_THREAD);
        (void)cuda->cuThreadExchangeStreamCaptureMode(&mode);
    }
}

void symm_cuda_sync_memops(int device)
{
    const struct symm_cuda *cuda;
    CUcontext current = NULL;
    unsigned flags = 0;
    if (symm_cuda_get(&cuda) != SYMM_OK || cuda->cuCtxGetCurrent(&current) != CUDA_SUCCESS ||
        current == NULL ||
        (symm_cuda_device_syncs_memops(device) &&
         current == atomic_load_explicit(&devices[device].context, memory_order_relaxed)) ||
        (cuda->cuCtxGetFlags(&flags) == CUDA_SUCCESS && (flags & CU_CTX_SYNC_MEMOPS) != 0)) {
        return;
    }
    memops_wait(cuda);
}

/* ---- devices --------------------------------------------------------------------------------- */

/* The number of the device that the driver calls `handle`. */
static enum symm_status device_find(const struct symm_cuda *cuda, int count, CUdevice handle,
                                    int *device)
{
    for (int number = 0; number < count; number++) {
        CUdevice other;
        CUresult result = cuda->cuDeviceGet(&other, number);
        if (result != CUDA_SUCCESS) {
            return symm_cuda_failed("cuDeviceGet", result);
        }
        if (other == handle) {
            *device = number;
            return SYMM_OK;
        }
    }
    return symm_cuda_unusable("the current context is of no device that the driver lists");
}

enum symm_status symm_cuda_device_current(int *device)
{
    const struct symm_cuda *cuda;
    CUcontext context = NULL;
    CUdevice handle;
    int count = 0;
    enum symm_status status = symm_cuda_get(&cuda);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = cuda->cuDeviceGetCount(&count);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuDeviceGetCount", result);
    }
    if (count == 0) {
        return symm_cuda_unusable("there is no device (is CUDA_VISIBLE_DEVICES set and empty?)");
    }
    result = cuda->cuCtxGetCurrent(&context);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuCtxGetCurrent", result);
    }
    if (context == NULL) {
        *device = atomic_load_explicit(&local_rank, memory_order_relaxed) % count;
        return SYMM_OK;
    }
    result = cuda->cuCtxGetDevice(&handle);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuCtxGetDevice", result);
    }
    return device_find(cuda, count, handle, device);
}

/* As nvidia-smi writes it; slices of a GPU have identities of their own, and are known by their names. */
static void uuid_format(const CUuuid *uuid, const char *name, char text[48])
{
    int length = snprintf(text, 48, "%s", strstr(name, " MIG ") != NULL ? "MIG-" : "GPU-");
    for (int i = 0; i < 16; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        length += snprintf(text + length, (size_t)(48 - length), "%s%02x", dash ? "-" : "",
                           (unsigned char)uuid->bytes[i]);
    }
}

void symm_cuda_device_describe(int device, char *text, size_t size)
{
    const struct symm_cuda *cuda;
    char name[96] = "", id[48] = "";
    CUdevice handle;
    CUuuid uuid;
    if (symm_cuda_get(&cuda) != SYMM_OK || cuda->cuDeviceGet(&handle, device) != CUDA_SUCCESS ||
        cuda->cuDeviceGetName(name, sizeof(name), handle) != CUDA_SUCCESS ||
        cuda->cuDeviceGetUuid(&uuid, handle) != CUDA_SUCCESS) {
        (void)snprintf(text, size, "device %d", device);
        return;
    }
    uuid_format(&uuid, name, id);
    (void)snprintf(text, size, "device %d (%s, %s)", device, name, id);
}
