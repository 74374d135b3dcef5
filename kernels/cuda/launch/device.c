/*
 * device.c - opening and closing devices: streams, kernels, flags in host memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/launch/device_state.h"
#include "kernels/cuda/launch/host_memory.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct symm_device *devices[SYMM_CUDA_DEVICES_MAX];

static const size_t flags_size = SYMM_CUDA_SLOTS * sizeof(struct symm_device_flags);

/* ---- parts of a device; its context is current ----------------------------------------------- */

/*
 * Make a stream that waits for no stream of the program's.  No stream of the program's waits for
 * it.
 */
static enum symm_status stream_make(const struct symm_cuda *cuda, CUstream *stream)
{
    CUresult result = cuda->cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuStreamCreate", result);
}

enum symm_status symm_device_stream(struct symm_device *device, _Atomic(CUstream) *place,
                                    CUstream *stream)
{
    enum symm_status status = SYMM_OK;
    *stream = atomic_load_explicit(place, memory_order_acquire);
    if (*stream != NULL) {
        return SYMM_OK;
    }
    (void)pthread_mutex_lock(&mutex);
    *stream = atomic_load_explicit(place, memory_order_relaxed);
    if (*stream == NULL) {
        status = stream_make(device->cuda, stream);
        if (status == SYMM_OK) {
            atomic_store_explicit(place, *stream, memory_order_release);
        }
    }
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

static enum symm_status flags_register(struct symm_device *device)
{
    const struct symm_cuda *cuda = device->cuda;
    CUresult result = cuda->cuMemHostRegister(device->flags, flags_size,
                                              CU_MEMHOSTREGISTER_PORTABLE |
                                                  CU_MEMHOSTREGISTER_DEVICEMAP);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemHostRegister", result);
    }
    result = cuda->cuMemHostGetDevicePointer(&device->device_flags, device->flags, 0);
    if (result != CUDA_SUCCESS) {
        (void)cuda->cuMemHostUnregister(device->flags);
        device->device_flags = 0;
        return symm_cuda_failed("cuMemHostGetDevicePointer", result);
    }
    return SYMM_OK;
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

/*
 * Forget what was made in a context that has ended.  There is nothing to give back to the device.
 * (What graphs take of the host's memory is lost: nobody says that they outlive a context.)
 */
static void parts_forget(struct symm_device *device)
{
    device->kernels = NULL;
    atomic_store_explicit(&device->beside, NULL, memory_order_relaxed);
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS; i++) {
        atomic_store_explicit(&device->copies[i], NULL, memory_order_relaxed);
    }
    memset(device->events, 0, sizeof(device->events));
    symm_queue_forget_graphs(&device->queue);
    memset(device->functions, 0, sizeof(device->functions));
    device->device_flags = 0;
}

static void stream_destroy(const struct symm_cuda *cuda, CUstream stream)
{
    if (stream != NULL) {
        (void)cuda->cuStreamDestroy(stream);
    }
}

/* Streams are destroyed first, because they end their work before they go. */
static void parts_destroy(struct symm_device *device)
{
    const struct symm_cuda *cuda = device->cuda;
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS; i++) {
        stream_destroy(cuda, atomic_load_explicit(&device->copies[i], memory_order_relaxed));
    }
    stream_destroy(cuda, atomic_load_explicit(&device->beside, memory_order_relaxed));
    stream_destroy(cuda, device->kernels);
    events_destroy(device);
    symm_queue_destroy_graphs(&device->queue);
    symm_functions_unload(cuda, &symm_device_functions, device->modules, device->functions);
    if (device->device_flags != 0) {
        (void)cuda->cuMemHostUnregister(device->flags);
    }
    parts_forget(device);
}

static enum symm_status parts_make(struct symm_device *device, uint32_t generation)
{
    enum symm_status status = stream_make(device->cuda, &device->kernels);
    if (status == SYMM_OK) {
        status = flags_register(device);
    }
    if (status == SYMM_OK) {
        status = symm_functions_load(device->cuda, &symm_device_functions, device->modules,
                                     device->functions);
    }
    if (status == SYMM_OK) {
        symm_queue_make_graphs(&device->queue, SYMM_QUEUE_GRAPHS, generation,
                               SYMM_FUNCTION_SMALL_PUSH, device->kernels);
    }
    if (status != SYMM_OK) {
        parts_destroy(device);
    }
    return status;
}

/*
 * A program must not reset a device while calls are under way on it.  If it does, these calls get
 * errors here.  (If a flag has never been raised, the driver's answer for the stream shows it, or
 * the generation does.)
 */
static enum symm_status renew_locked(struct symm_device *device,
                                     const struct symm_cuda_scope *scope)
{
    parts_forget(device);
    enum symm_status status = parts_make(device, scope->generation);
    if (status == SYMM_OK) {
        status = symm_multimem_renew(device);
        if (status != SYMM_OK) {
            parts_destroy(device); /* the next call makes them once more */
        }
    }
    if (status == SYMM_OK) {
        atomic_store_explicit(&device->generation, scope->generation, memory_order_release);
    }
    return status;
}

enum symm_status symm_device_renew(struct symm_device *device, const struct symm_cuda_scope *scope)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&mutex);
    if (atomic_load_explicit(&device->generation, memory_order_relaxed) != scope->generation) {
        status = renew_locked(device, scope);
    }
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

/* ---- devices --------------------------------------------------------------------------------- */

static void device_free(struct symm_device *device)
{
    symm_host_pages_unmap(device->flags, flags_size);
    free(device);
}

static enum symm_status device_open(int number, struct symm_device **opened)
{
    struct symm_cuda_scope scope;
    struct symm_device *device = calloc(1, sizeof(*device));
    if (device == NULL) {
        symm_cuda_forget_failure();
        return SYMM_ERR_NO_MEMORY;
    }
    device->flags = symm_host_pages_map(flags_size);
    if (device->flags == NULL) {
        symm_cuda_forget_failure();
        free(device);
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = symm_cuda_enter(number, &scope);
    if (status == SYMM_OK) {
        device->number = number;
        device->cuda = device->queue.cuda = scope.cuda;
        device->queue.functions = device->functions;
        atomic_init(&device->free_slots, UINT64_MAX);
        atomic_init(&device->generation, scope.generation);
        status = parts_make(device, scope.generation);
        symm_cuda_leave(&scope);
    }
    if (status != SYMM_OK) {
        device_free(device);
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

static void device_close(struct symm_device *device)
{
    struct symm_cuda_scope scope;
    if (symm_cuda_enter_to_release(device->number, &scope) == SYMM_OK) {
        bool lives =
            scope.generation == atomic_load_explicit(&device->generation, memory_order_relaxed);
        if (lives) {
            symm_multimem_unload(device);
            parts_destroy(device);
        }
        symm_cuda_leave(&scope);
    }
    device_free(device);
}

void symm_device_close_all(void)
{
    (void)pthread_mutex_lock(&mutex);
    for (int number = 0; number < SYMM_CUDA_DEVICES_MAX; number++) {
        if (devices[number] != NULL) {
            device_close(devices[number]);
            devices[number] = NULL;
        }
    }
    (void)pthread_mutex_unlock(&mutex);
}
