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

#include "heap/gpu/cuda_context.h"
#include "heap/gpu/cuda_sync_flag.h"

struct device {
    CUdevice handle;
    _Atomic(CUcontext) context; /* the primary one, retained for ever; NULL until first entered */
    _Atomic unsigned long long id; /* by which the driver knows this generation of it */
    _Atomic uint32_t generation;
    CUstream stream;               /* of symm_cuda_stream(), under its mutex */
    uint32_t stream_generation;          /* in which it was made */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct device devices[SYMM_CUDA_DEVICES_MAX];
static _Atomic uint32_t resets;
static _Atomic int local_rank;

void symm_cuda_configure_rank(int rank)
{
    atomic_store_explicit(&local_rank, rank, memory_order_relaxed);
}

/* ---- primary contexts ------------------------------------------------------------------------ */

static CUcontext context_of(const struct device *device)
{
    return atomic_load_explicit(&device->context, memory_order_acquire);
}

CUcontext symm_cuda_primary(int device)
{
    return context_of(&devices[device]);
}

uint32_t symm_cuda_device_generation(int device)
{
    return atomic_load_explicit(&devices[device].generation, memory_order_relaxed);
}

uint32_t symm_cuda_resets(void)
{
    return atomic_load_explicit(&resets, memory_order_relaxed);
}

/*
 * Whether the context that was entered before still lives; the handle may be that of a later one.
 */
static bool is_alive(const struct symm_cuda *cuda, const struct device *device, CUcontext context)
{
    unsigned long long id = 0;
    return context != NULL &&
           (cuda->cuCtxGetId == NULL ||
            (cuda->cuCtxGetId(context, &id) == CUDA_SUCCESS &&
             id == atomic_load_explicit(&device->id, memory_order_relaxed)));
}

static enum symm_status handle_get(const struct symm_cuda *cuda, int number, CUdevice *handle)
{
    int count = 0;
    CUresult result = cuda->cuDeviceGetCount(&count);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuDeviceGetCount", result);
    }
    if (number >= count) {
        (void)symm_cuda_unusable("there are %d devices and no device %d", count, number);
        return SYMM_ERR_ARGUMENT;
    }
    result = cuda->cuDeviceGet(handle, number);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuDeviceGet", result);
}

/* Under the mutex.  What has been retained stays so: resetting a context does not release it. */
static void generation_begin(struct device *device, int number, CUcontext context,
                             unsigned long long id)
{
    uint32_t generation = atomic_load_explicit(&device->generation, memory_order_relaxed);
    if (generation == 0) {
        symm_cuda_flag_entered(number);
    } else {
        atomic_fetch_add_explicit(&resets, 1, memory_order_relaxed);
    }
    atomic_store_explicit(&device->generation, generation + 1, memory_order_relaxed);
    atomic_store_explicit(&device->id, id, memory_order_relaxed);
    atomic_store_explicit(&device->context, context, memory_order_release);
}

static enum symm_status context_retain(const struct symm_cuda *cuda, int number,
                                       struct device *device)
{
    CUcontext context;
    unsigned long long id = 0;
    enum symm_status status = handle_get(cuda, number, &device->handle);
    if (status != SYMM_OK) {
        return status;
    }
    symm_cuda_flag_demand(cuda, number);
    CUresult result = cuda->cuDevicePrimaryCtxRetain(&context, device->handle);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuDevicePrimaryCtxRetain", result);
    }
    result = cuda->cuCtxGetId != NULL ? cuda->cuCtxGetId(context, &id) : CUDA_SUCCESS;
    bool is_new = context_of(device) != context ||
                  atomic_load_explicit(&device->id, memory_order_relaxed) != id;
    if (result != CUDA_SUCCESS || !is_new) {
        (void)cuda->cuDevicePrimaryCtxRelease(device->handle);
        return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuCtxGetId", result);
    }
    generation_begin(device, number, context, id);
    return SYMM_OK;
}

static enum symm_status context_get(const struct symm_cuda *cuda, int number, CUcontext *context)
{
    struct device *device = &devices[number];
    enum symm_status status = SYMM_OK;
    *context = context_of(device);
    if (is_alive(cuda, device, *context)) {
        return SYMM_OK;
    }
    (void)pthread_mutex_lock(&mutex);
    if (!is_alive(cuda, device, context_of(device))) {
        status = context_retain(cuda, number, device);
    }
    *context = context_of(device);
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

/* Within the relaxed mode.  Most programs use no other context, and then nothing is pushed. */
static enum symm_status context_push(struct symm_cuda_scope *scope, CUcontext context)
{
    CUcontext current = NULL;
    scope->pushed = NULL;
    if (scope->cuda->cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context) {
        return SYMM_OK;
    }
    CUresult result = scope->cuda->cuCtxPushCurrent(context);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuCtxPushCurrent", result);
    }
    scope->pushed = context;
    return SYMM_OK;
}

/*
 * Any function may return the error of earlier work although it has done its own work.  So after an
 * error we look whether our context is still current, lest the context of the program be popped
 * too.  Ours was not current before, so the context below it is another one.
 */
static void context_pop(const struct symm_cuda_scope *scope)
{
    CUcontext popped, current = NULL;
    if (scope->pushed != NULL && scope->cuda->cuCtxPopCurrent(&popped) != CUDA_SUCCESS) {
        (void)scope->cuda->cuCtxGetCurrent(&current);
        if (current == scope->pushed) {
            (void)scope->cuda->cuCtxPopCurrent(&popped);
        }
    }
}

static enum symm_status enter(struct symm_cuda_scope *scope, int number, bool releases)
{
    const struct symm_cuda *cuda = scope->cuda;
    const struct device *device = &devices[number];
    CUcontext context = context_of(device);
    enum symm_status status = SYMM_OK;
    scope->generation = 0;
    scope->pushed = NULL;
    if (!releases) {
        status = context_get(cuda, number, &context);
    } else if (!is_alive(cuda, device, context)) {
        context = NULL;
    }
    if (status == SYMM_OK && context != NULL) {
        status = context_push(scope, context);
        scope->generation = symm_cuda_device_generation(number);
    }
    scope->device = device->handle;
    return status;
}

static enum symm_status enter_relaxed(int device, bool releases, struct symm_cuda_scope *scope)
{
    enum symm_status status = symm_cuda_get(&scope->cuda);
    if (status != SYMM_OK) {
        return status;
    }
    if (device < 0 || device >= SYMM_CUDA_DEVICES_MAX) {
        (void)symm_cuda_unusable("there is no device %d", device);
        return SYMM_ERR_ARGUMENT;
    }
    scope->capture_mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUresult result = scope->cuda->cuThreadExchangeStreamCaptureMode(&scope->capture_mode);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuThreadExchangeStreamCaptureMode", result);
    }
    status = enter(scope, device, releases);
    if (status != SYMM_OK) {
        CUstreamCaptureMode mode = scope->capture_mode;
        (void)scope->cuda->cuThreadExchangeStreamCaptureMode(&mode);
    }
    return status;
}

enum symm_status symm_cuda_enter(int device, struct symm_cuda_scope *scope)
{
    return enter_relaxed(device, false, scope);
}

enum symm_status symm_cuda_enter_to_release(int device, struct symm_cuda_scope *scope)
{
    return enter_relaxed(device, true, scope);
}

void symm_cuda_leave(const struct symm_cuda_scope *scope)
{
    CUstreamCaptureMode mode = scope->capture_mode;
    context_pop(scope);
    (void)scope->cuda->cuThreadExchangeStreamCaptureMode(&mode);
}

void symm_cuda_notice_reset(const struct symm_cuda *cuda, int device)
{
    struct symm_cuda_scope scope;
    CUcontext context = context_of(&devices[device]);
    if (context != NULL && !is_alive(cuda, &devices[device], context) &&
        symm_cuda_enter(device, &scope) == SYMM_OK) {
        symm_cuda_leave(&scope);
    }
}

enum symm_status symm_cuda_stream(const struct symm_cuda_scope *scope, int device, CUstream *stream)
{
    static pthread_mutex_t stream_mutex = PTHREAD_MUTEX_INITIALIZER;
    struct device *of = &devices[device];
    CUresult result = CUDA_SUCCESS;
    (void)pthread_mutex_lock(&stream_mutex);
    if (of->stream_generation != scope->generation) {
        result = scope->cuda->cuStreamCreate(&of->stream, CU_STREAM_NON_BLOCKING);
        of->stream_generation = result == CUDA_SUCCESS ? scope->generation : 0;
    }
    *stream = of->stream;
    (void)pthread_mutex_unlock(&stream_mutex);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuStreamCreate", result);
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

bool symm_cuda_has_current(void)
{
    const struct symm_cuda *cuda;
    CUcontext context = NULL;
    return symm_cuda_get_loaded(&cuda) == SYMM_OK &&
           cuda->cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != NULL;
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

/*
 * As nvidia-smi writes it; slices of a GPU have identities of their own, and are known by their
 * names.
 */
static void uuid_format(const CUuuid *uuid, const char *name, char text[48])
{
    int length = snprintf(text, 48, "%s", strstr(name, " MIG ") != NULL ? "MIG-" : "GPU-");
    for (int i = 0; i < 16; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        length += snprintf(text + length, (size_t)(48 - length), "%s%02x", dash ? "-" : "",
                           (unsigned char)uuid->bytes[i]);
    }
}

enum symm_status symm_cuda_device_wait(int device)
{
    struct symm_cuda_scope scope;
    enum symm_status status = symm_cuda_enter_to_release(device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = CUDA_SUCCESS;
    if (scope.generation != 0) {
        result = scope.cuda->cuCtxSynchronize != NULL ? scope.cuda->cuCtxSynchronize()
                                                      : CUDA_ERROR_NOT_FOUND;
    }
    symm_cuda_leave(&scope);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuCtxSynchronize", result);
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

static bool is_done(const char *call, CUresult result)
{
    if (result != CUDA_SUCCESS) {
        (void)symm_cuda_failed(call, result);
    }
    return result == CUDA_SUCCESS;
}

uint64_t symm_cuda_device_identity(int device)
{
    const uint64_t factor = UINT64_C(0x100000001b3);
    const struct symm_cuda *cuda;
    uint64_t identity = UINT64_C(0xcbf29ce484222325); /* a checksum (FNV-1a) of the UUID */
    char name[96] = "";
    int has_server = 0;
    CUdevice handle;
    CUuuid uuid;
    if (symm_cuda_get(&cuda) != SYMM_OK ||
        !is_done("cuDeviceGet", cuda->cuDeviceGet(&handle, device)) ||
        !is_done("cuDeviceGetName", cuda->cuDeviceGetName(name, sizeof(name), handle)) ||
        !is_done("cuDeviceGetUuid", cuda->cuDeviceGetUuid(&uuid, handle)) ||
        strstr(name, " MIG ") != NULL) {
        return 0;
    }
    /* Drivers that do not know the question have been asked in vain: they have no answer of 1. */
    (void)cuda->cuDeviceGetAttribute(&has_server, CU_DEVICE_ATTRIBUTE_MPS_ENABLED, handle);
    for (size_t i = 0; i < sizeof(uuid.bytes); i++) {
        identity = (identity ^ (unsigned char)uuid.bytes[i]) * factor;
    }
    return has_server != 0 ? 0 : identity;
}
