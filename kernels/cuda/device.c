/*
 * device.c - opening and closing devices: streams, kernels, flags in pinned memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/device_state.h"
#include "kernels/cuda/multimem.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct symm_device *devices[SYMM_CUDA_DEVICES_MAX];

/* ---- parts of a device; its context is current ------------------------------------------------- */

/* One that waits for no stream of the program's, and is waited for by none. */
static enum symm_status stream_make(const struct symm_cuda *cuda, CUstream *stream)
{
    CUresult result = cuda->cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuStreamCreate", result);
}

static enum symm_status streams_make(struct symm_device *device)
{
    enum symm_status status = stream_make(device->cuda, &device->kernels);
    if (status == SYMM_OK) {
        status = stream_make(device->cuda, &device->beside);
    }
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS && status == SYMM_OK; i++) {
        status = stream_make(device->cuda, &device->copies[i]);
    }
    return status;
}

static enum symm_status flags_make(struct symm_device *device)
{
    const struct symm_cuda *cuda = device->cuda;
    size_t size = SYMM_CUDA_SLOTS * sizeof(*device->flags);
    void *memory = NULL;
    CUresult result =
        cuda->cuMemHostAlloc(&memory, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemHostAlloc", result);
    }
    device->flags = memory;
    memset(memory, 0, size);
    result = cuda->cuMemHostGetDevicePointer(&device->device_flags, memory, 0);
    return result == CUDA_SUCCESS ? SYMM_OK
                                  : symm_cuda_failed("cuMemHostGetDevicePointer", result);
}

static void events_destroy(struct symm_device *device)
{
    for (int slot = 0; slot < SYMM_CUDA_SLOTS; slot++) {
        for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS; i++) {
            if (device->events[slot][i] != NULL) {
                (void)device->cuda->cuEventDestroy(device->events[slot][i]);
            }
        }
    }
}

/* Streams end their work before they go, so they are first. */
static void parts_destroy(struct symm_device *device)
{
    const struct symm_cuda *cuda = device->cuda;
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS; i++) {
        if (device->copies[i] != NULL) {
            (void)cuda->cuStreamDestroy(device->copies[i]);
        }
    }
    if (device->beside != NULL) {
        (void)cuda->cuStreamDestroy(device->beside);
    }
    if (device->kernels != NULL) {
        (void)cuda->cuStreamDestroy(device->kernels);
    }
    events_destroy(device);
    symm_multimem_unload(device);
    symm_functions_unload(cuda, &device->functions);
    if (device->flags != NULL) {
        (void)cuda->cuMemFreeHost(device->flags);
    }
}

static enum symm_status parts_make(struct symm_device *device)
{
    enum symm_status status = streams_make(device);
    if (status == SYMM_OK) {
        status = flags_make(device);
    }
    if (status == SYMM_OK) {
        status = symm_functions_load(device->cuda, &device->functions);
    }
    if (status != SYMM_OK) {
        parts_destroy(device);
    }
    return status;
}

/* ---- devices ----------------------------------------------------------------------------------- */

static enum symm_status device_open(int number, struct symm_device **opened)
{
    struct symm_cuda_scope scope;
    struct symm_device *device = calloc(1, sizeof(*device));
    if (device == NULL) {
        symm_cuda_forget_failure();
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = symm_cuda_enter(number, &scope);
    if (status == SYMM_OK) {
        device->number = number;
        device->cuda = scope.cuda;
        atomic_init(&device->free_slots, UINT64_MAX);
        status = parts_make(device);
        symm_cuda_leave(&scope);
    }
    if (status != SYMM_OK) {
        free(device);
        return status;
    }
    *opened = device;
    return SYMM_OK;
}

enum symm_status symm_device_get(int number, struct symm_device **device)
{
    enum symm_status status = SYMM_OK;
    *device = NULL;
    if (number < 0 || number >= SYMM_CUDA_DEVICES_MAX) {
        return SYMM_ERR_ARGUMENT;
    }
    (void)pthread_mutex_lock(&mutex);
    if (devices[number] == NULL) {
        status = device_open(number, &devices[number]);
    }
    *device = devices[number];
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

void symm_device_close_all(void)
{
    struct symm_cuda_scope scope;
    (void)pthread_mutex_lock(&mutex);
    for (int number = 0; number < SYMM_CUDA_DEVICES_MAX; number++) {
        if (devices[number] != NULL) {
            if (symm_cuda_enter(number, &scope) == SYMM_OK) {
                parts_destroy(devices[number]);
                symm_cuda_leave(&scope);
            }
            free(devices[number]);
            devices[number] = NULL;
        }
    }
    (void)pthread_mutex_unlock(&mutex);
}
