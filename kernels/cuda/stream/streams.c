/*
 * streams.c - see streams.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/stream/streams.h"

/* ---- devices --------------------------------------------------------------------------------- */

static enum symm_status context_get(const struct symm_cuda *cuda, CUstream stream,
                                    CUcontext *context, int *device)
{
    CUdevice number;
    CUcontext popped;
    CUresult result = cuda->cuStreamGetCtx(stream, context);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuStreamGetCtx", result);
    }
    result = cuda->cuCtxPushCurrent(*context);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuCtxPushCurrent", result);
    }
    result = cuda->cuCtxGetDevice(&number);
    (void)cuda->cuCtxPopCurrent(&popped);
    *device = number;
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuCtxGetDevice", result);
}

enum symm_status symm_stream_device(void *stream, int *device)
{
    const struct symm_cuda *cuda;
    struct symm_cuda_scope scope;
    CUcontext context = NULL, primary = NULL;
    enum symm_status status = symm_cuda_get(&cuda);
    if (status == SYMM_OK && (cuda->cuStreamGetCtx == NULL || cuda->cuStreamWaitEvent == NULL ||
                              cuda->cuStreamGetCaptureInfo == NULL ||
                              cuda->cuGraphRetainUserObject == NULL)) {
        return symm_cuda_unusable("the driver is older than CUDA 11.3");
    }
    if (status == SYMM_OK) {
        status = context_get(cuda, stream, &context, device);
    }
    if (status == SYMM_OK) {
        status = symm_cuda_enter(*device, &scope);
    }
    if (status == SYMM_OK) {
        CUresult result = cuda->cuCtxGetCurrent(&primary);
        symm_cuda_leave(&scope);
        if (result != CUDA_SUCCESS) {
            status = symm_cuda_failed("cuCtxGetCurrent", result);
        } else if (context != primary) {
            status = symm_cuda_unusable("the stream is not of the primary context of device %d, "
                                        "which the CUDA runtime uses", *device);
        }
    }
    return status;
}

enum symm_status symm_stream_is_on(void *stream, int device)
{
    int found;
    enum symm_status status = symm_stream_device(stream, &found);
    if (status == SYMM_OK && found != device) {
        (void)symm_cuda_unusable("the stream is on device %d, and the communicator's on device %d",
                                 found, device);
        return SYMM_ERR_ARGUMENT;
    }
    return status;
}

static bool reaches_pages(int device)
{
    const struct symm_cuda *cuda;
    CUdevice handle;
    int answer = 0;
    return symm_cuda_get(&cuda) == SYMM_OK && cuda->cuDeviceGet(&handle, device) == CUDA_SUCCESS &&
           cuda->cuDeviceGetAttribute(&answer, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,
                                      handle) == CUDA_SUCCESS && answer != 0;
}

bool symm_stream_reaches(int device, const void *address)
{
    struct symm_memory memory;
    if (!symm_cuda_memory_describe(address, &memory)) {
        return false;
    }
    switch (memory.kind) {
    case SYMM_MEMORY_HOST:
        return reaches_pages(device);
    case SYMM_MEMORY_PINNED:
        return true;
    case SYMM_MEMORY_MANAGED:
        return symm_cuda_memory_is_usable(&memory, address);
    case SYMM_MEMORY_DEVICE:
        return memory.device == device && symm_cuda_memory_is_usable(&memory, address);
    }
    return false;
}

/* Kernels of streams are compiled so that a multiprocessor holds two blocks (stream.cuh). */
enum symm_status symm_stream_device_blocks(int device, uint32_t *blocks)
{
    const struct symm_cuda *cuda;
    CUdevice handle;
    int multiprocessors = 0;
    enum symm_status status = symm_cuda_get(&cuda);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = cuda->cuDeviceGet(&handle, device);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuDeviceGet", result);
    }
    result = cuda->cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                        handle);
    *blocks = 2 * (uint32_t)multiprocessors;
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuDeviceGetAttribute", result);
}

/* ---- copies ---------------------------------------------------------------------------------- */

enum symm_status symm_stream_copy(int device, void *to, const void *from, size_t bytes,
                                  void *stream)
{
    struct symm_cuda_scope scope;
    enum symm_status status = symm_cuda_enter(device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = scope.cuda->cuMemcpyAsync((CUdeviceptr)(uintptr_t)to,
                                                (CUdeviceptr)(uintptr_t)from, bytes, stream);
    symm_cuda_leave(&scope);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuMemcpyAsync", result);
}

/* ---- captures -------------------------------------------------------------------------------- */

enum symm_status symm_stream_capture_get(const struct symm_cuda *cuda, CUstream stream,
                                         struct symm_stream_capture *capture)
{
    CUstreamCaptureStatus state = CU_STREAM_CAPTURE_STATUS_NONE;
    *capture = (struct symm_stream_capture){.graph = NULL};
#if CUDA_VERSION >= 13000
    CUresult result = cuda->cuStreamGetCaptureInfo(stream, &state, &capture->id, &capture->graph,
                                                   NULL, NULL, NULL);
#else
    CUresult result = cuda->cuStreamGetCaptureInfo(stream, &state, &capture->id, &capture->graph,
                                                   NULL, NULL);
#endif
    if (result == CUDA_SUCCESS && state == CU_STREAM_CAPTURE_STATUS_INVALIDATED) {
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuStreamGetCaptureInfo", result);
    }
    if (state == CU_STREAM_CAPTURE_STATUS_NONE) {
        capture->graph = NULL;
    }
    return SYMM_OK;
}

/* In a thread of the driver's, which may not call the driver. */
static void let_go(void *data)
{
    struct symm_stream_holders *holders = data;
    (void)atomic_fetch_sub_explicit(&holders->count, 1, memory_order_release);
}

void symm_stream_holders_add(const struct symm_cuda *cuda, struct symm_stream_holders *holders,
                             const struct symm_stream_capture *capture)
{
    CUuserObject object;
    if (atomic_exchange_explicit(&holders->capture, capture->id, memory_order_relaxed) ==
        capture->id) {
        return;
    }
    (void)atomic_fetch_add_explicit(&holders->count, 1, memory_order_relaxed);
    CUresult result = cuda->cuUserObjectCreate(&object, holders, let_go, 1,
                                               CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    if (result == CUDA_SUCCESS) {
        result = cuda->cuGraphRetainUserObject(capture->graph, object, 1,
                                               CU_GRAPH_USER_OBJECT_MOVE);
        if (result != CUDA_SUCCESS) {
            (void)atomic_fetch_add_explicit(&holders->count, 1, memory_order_relaxed);
            (void)cuda->cuUserObjectRelease(object, 1);
        }
    }
}

bool symm_stream_are_held(const struct symm_stream_holders *holders)
{
    return atomic_load_explicit(&holders->count, memory_order_acquire) != 0;
}

/* ---- order ----------------------------------------------------------------------------------- */

static bool is_same_capture(const struct symm_stream_capture *a,
                            const struct symm_stream_capture *b)
{
    return a->graph == NULL ? b->graph == NULL : b->graph != NULL && a->id == b->id;
}

static CUresult event_pass(const struct symm_cuda *cuda, CUstream first, CUstream then,
                           const char **call)
{
    CUevent event;
    *call = "cuEventCreate";
    CUresult result = cuda->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    *call = "cuEventRecord";
    result = cuda->cuEventRecord(event, first);
    if (result == CUDA_SUCCESS) {
        *call = "cuStreamWaitEvent";
        result = cuda->cuStreamWaitEvent(then, event, 0);
    }
    (void)cuda->cuEventDestroy(event);
    return result;
}

enum symm_status symm_stream_order(const struct symm_cuda *cuda, CUstream first, CUstream then)
{
    struct symm_stream_capture captures[2];
    const char *call;
    enum symm_status status = symm_stream_capture_get(cuda, first, &captures[0]);
    if (status == SYMM_OK) {
        status = symm_stream_capture_get(cuda, then, &captures[1]);
    }
    if (status != SYMM_OK || !is_same_capture(&captures[0], &captures[1])) {
        return status;
    }
    CUresult result = event_pass(cuda, first, then, &call);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed(call, result);
}
