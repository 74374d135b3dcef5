/*
 * device.c - the GPU of this rank, through the driver.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#if defined(HAVE_CONFIG_H)
#include "config.h"
#endif

#if defined(HAVE_CUDA)

#include "cuda.h"
#include "device.h"
#include "failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Results are read by copying them here, piece by piece. */
enum { SCRATCH_BYTES = 16 << 20 };

struct device {
    struct cuda cuda;
    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUdeviceptr scratch;
};

static void check(const struct device *device, const char *call, CUresult result)
{
    char text[FAILURE_LENGTH];
    if (result != CUDA_SUCCESS) {
        cuda_describe(&device->cuda, call, result, text);
        failure_stop("%s", text);
    }
}

/* Like check(), but goes on: while opening, other ranks may have succeeded. */
static bool tried(const struct device *device, const char *call, CUresult result, char *text)
{
    if (result == CUDA_SUCCESS) {
        return true;
    }
    cuda_describe(&device->cuda, call, result, text);
    return false;
}

static bool device_choose(struct device *device, int local_rank, char *text)
{
    const struct cuda *cuda = &device->cuda;
    int count = 0;
    if (!tried(device, "cuInit", cuda->cuInit(0), text) ||
        !tried(device, "cuDeviceGetCount", cuda->cuDeviceGetCount(&count), text)) {
        return false;
    }
    if (count == 0) {
        snprintf(text, FAILURE_LENGTH, "no GPU is visible (is CUDA_VISIBLE_DEVICES set?)");
        return false;
    }
    return tried(device, "cuDeviceGet", cuda->cuDeviceGet(&device->device, local_rank % count),
                 text);
}

static bool context_enter(struct device *device, char *text)
{
    const struct cuda *cuda = &device->cuda;
    if (!tried(device, "cuDevicePrimaryCtxRetain",
               cuda->cuDevicePrimaryCtxRetain(&device->context, device->device), text)) {
        return false;
    }
    if (!tried(device, "cuCtxPushCurrent", cuda->cuCtxPushCurrent(device->context), text)) {
        cuda->cuDevicePrimaryCtxRelease(device->device);
        return false;
    }
    return true;
}

static void context_leave(struct device *device)
{
    CUcontext left;
    device->cuda.cuCtxPopCurrent(&left);
    device->cuda.cuDevicePrimaryCtxRelease(device->device);
}

static bool stream_open(struct device *device, char *text)
{
    const struct cuda *cuda = &device->cuda;
    if (!tried(device, "cuStreamCreate",
               cuda->cuStreamCreate(&device->stream, CU_STREAM_NON_BLOCKING), text)) {
        return false;
    }
    if (!tried(device, "cuMemAlloc", cuda->cuMemAlloc(&device->scratch, SCRATCH_BYTES), text)) {
        cuda->cuStreamDestroy(device->stream);
        return false;
    }
    return true;
}

/* The library stays open: drivers do not support being unloaded. */
bool device_open(struct device **opened, int local_rank, char *text)
{
    struct device *device = calloc(1, sizeof(*device));
    if (device == NULL) {
        snprintf(text, FAILURE_LENGTH, "out of memory");
        return false;
    }
    if (!cuda_open(&device->cuda, text) || !device_choose(device, local_rank, text) ||
        !context_enter(device, text)) {
        free(device);
        return false;
    }
    if (!stream_open(device, text)) {
        context_leave(device);
        free(device);
        return false;
    }
    *opened = device;
    return true;
}

void device_close(struct device *device)
{
    check(device, "cuMemFree", device->cuda.cuMemFree(device->scratch));
    check(device, "cuStreamDestroy", device->cuda.cuStreamDestroy(device->stream));
    context_leave(device);
    free(device);
}

void device_name(const struct device *device, char name[DEVICE_NAME])
{
    check(device, "cuDeviceGetName",
          device->cuda.cuDeviceGetName(name, DEVICE_NAME, device->device));
}

void device_identity(const struct device *device, unsigned char identity[DEVICE_IDENTITY])
{
    CUuuid uuid;
    check(device, "cuDeviceGetUuid", device->cuda.cuDeviceGetUuid(&uuid, device->device));
    memcpy(identity, uuid.bytes, DEVICE_IDENTITY);
}

int device_driver_version(const struct device *device)
{
    int version = 0;
    check(device, "cuDriverGetVersion", device->cuda.cuDriverGetVersion(&version));
    return version;
}

static CUdeviceptr address(const void *memory)
{
    return (CUdeviceptr)(uintptr_t)memory;
}

int device_number(const struct device *device)
{
    return device->device;
}

bool device_allocate(const struct device *device, size_t bytes, void **memory, char *text)
{
    CUdeviceptr allocated;
    if (!tried(device, "cuMemAlloc", device->cuda.cuMemAlloc(&allocated, bytes), text)) {
        return false;
    }
    *memory = (void *)(uintptr_t)allocated;
    return true;
}

void device_free(const struct device *device, void *memory)
{
    check(device, "cuMemFree", device->cuda.cuMemFree(address(memory)));
}

void *device_pinned_allocate(const struct device *device, size_t bytes)
{
    void *memory = NULL;
    check(device, "cuMemAllocHost", device->cuda.cuMemAllocHost(&memory, bytes));
    return memory;
}

void device_pinned_free(const struct device *device, void *memory)
{
    check(device, "cuMemFreeHost", device->cuda.cuMemFreeHost(memory));
}

/* The driver answers with an error for memory that it does not know. */
bool device_owns(const struct device *device, const void *memory)
{
    CUmemorytype type = CU_MEMORYTYPE_HOST;
    CUresult result = device->cuda.cuPointerGetAttribute(
        &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(memory));
    return result == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE;
}

void device_store(const struct device *device, void *to, const void *from_host, size_t bytes)
{
    check(device, "cuMemcpyHtoDAsync",
          device->cuda.cuMemcpyHtoDAsync(address(to), from_host, bytes, device->stream));
    device_wait(device);
}

void device_load(const struct device *device, void *to_host, const void *from, size_t bytes)
{
    check(device, "cuMemcpyDtoHAsync",
          device->cuda.cuMemcpyDtoHAsync(to_host, address(from), bytes, device->stream));
    device_wait(device);
}

void device_fill(const struct device *device, void *to, int byte, size_t bytes)
{
    check(device, "cuMemsetD8Async",
          device->cuda.cuMemsetD8Async(address(to), (unsigned char)byte, bytes, device->stream));
    device_wait(device);
}

void device_read(const struct device *device, const void *from, size_t bytes)
{
    for (size_t offset = 0; offset < bytes; offset += SCRATCH_BYTES) {
        size_t piece = bytes - offset < SCRATCH_BYTES ? bytes - offset : SCRATCH_BYTES;
        check(device, "cuMemcpyDtoDAsync",
              device->cuda.cuMemcpyDtoDAsync(device->scratch, address(from) + offset, piece,
                                             device->stream));
    }
    device_wait(device);
}

void *device_stream(const struct device *device)
{
    return device->stream;
}

void device_wait(const struct device *device)
{
    check(device, "cuStreamSynchronize", device->cuda.cuStreamSynchronize(device->stream));
}

void *device_stream_open(const struct device *device)
{
    CUstream stream;
    check(device, "cuStreamCreate", device->cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

void device_stream_close(const struct device *device, void *stream)
{
    check(device, "cuStreamDestroy", device->cuda.cuStreamDestroy(stream));
}

bool device_stream_is_done(const struct device *device, void *stream)
{
    CUresult result = device->cuda.cuStreamQuery(stream);
    if (result != CUDA_ERROR_NOT_READY) {
        check(device, "cuStreamQuery", result);
    }
    return result == CUDA_SUCCESS;
}

void *device_event_open(const struct device *device)
{
    CUevent event;
    check(device, "cuEventCreate", device->cuda.cuEventCreate(&event, CU_EVENT_DEFAULT));
    return event;
}

void device_event_close(const struct device *device, void *event)
{
    check(device, "cuEventDestroy", device->cuda.cuEventDestroy(event));
}

void device_event_record(const struct device *device, void *event, void *stream)
{
    check(device, "cuEventRecord", device->cuda.cuEventRecord(event, stream));
}

void device_event_wait(const struct device *device, void *event)
{
    check(device, "cuEventSynchronize", device->cuda.cuEventSynchronize(event));
}

double device_event_us(const struct device *device, void *from, void *to)
{
    float milliseconds;
    check(device, "cuEventElapsedTime",
          device->cuda.cuEventElapsedTime(&milliseconds, from, to));
    return 1e3 * (double)milliseconds;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

void device_capture_begin(const struct device *device, void *stream)
{
    check(device, "cuStreamBeginCapture",
          device->cuda.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

void *device_capture_end(const struct device *device, void *stream)
{
    CUgraph graph;
    CUgraphExec exec;
    check(device, "cuStreamEndCapture", device->cuda.cuStreamEndCapture(stream, &graph));
    check(device, "cuGraphInstantiateWithFlags",
          device->cuda.cuGraphInstantiateWithFlags(&exec, graph, 0));
    check(device, "cuGraphDestroy", device->cuda.cuGraphDestroy(graph));
    return exec;
}

void device_graph_launch(const struct device *device, void *graph, void *stream)
{
    check(device, "cuGraphLaunch", device->cuda.cuGraphLaunch(graph, stream));
}

void device_graph_close(const struct device *device, void *graph)
{
    check(device, "cuGraphExecDestroy", device->cuda.cuGraphExecDestroy(graph));
}

#else

/* A C file must not be empty. */
typedef int device_is_not_there;

#endif
