/*
 * completion.c - asking whether work on a device is done, and waiting for it where it has gone
 * wrong; see device.h.
 *
 * The stream is asked only now and then, since a kernel that has failed raises no flag.  Events
 * tell when copies are done.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/device_state.h"

enum {
    POLLS_PER_QUERY = 1024,  /* looks at a flag between two questions to the driver */
    TROUBLES_MOST = 100,     /* attempts to ask the driver */
    SETTLINGS_MOST = 10,     /* attempts to wait for streams */
};

/* ---- waiting --------------------------------------------------------------------------------- */

CUstream symm_device_copy_stream(const struct symm_device *device, int stream)
{
    return atomic_load_explicit(&device->copies[stream], memory_order_acquire);
}

static CUstream kernel_stream(const struct symm_device *device,
                              const struct symm_completion *completion)
{
    return completion->beside ? atomic_load_explicit(&device->beside, memory_order_acquire)
                          : device->kernels;
}

static bool streams_wait(const struct symm_device *device, const struct symm_completion *completion)
{
    CUresult result = CUDA_SUCCESS;
    if (completion->sequence != 0) {
        result = device->cuda->cuStreamSynchronize(kernel_stream(device, completion));
    }
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS; i++) {
        if ((completion->copies >> i & 1) != 0) {
            CUresult next = device->cuda->cuStreamSynchronize(symm_device_copy_stream(device, i));
            result = result == CUDA_SUCCESS ? next : result;
        }
    }
    return result == CUDA_SUCCESS;
}

bool symm_completion_settle(const struct symm_device *device,
                            const struct symm_completion *completion)
{
    bool settled = false;
    for (int attempt = 0; attempt < SETTLINGS_MOST && !settled; attempt++) {
        settled = streams_wait(device, completion);
    }
    return settled;
}

/* ---- testing --------------------------------------------------------------------------------- */

/* Flags that are up stay so: the look that finds the last one up sees what all blocks stored. */
static bool kernel_is_done(const struct symm_device *device,
                           const struct symm_completion *completion)
{
    const _Atomic uint32_t *words = device->flags[completion->slot].words;
    for (uint32_t i = 0; i < completion->flags; i++) {
        uint32_t flag = atomic_load_explicit(&words[i], memory_order_acquire);
        if ((flag & ~(uint32_t)SYMM_CUDA_LATE) != completion->sequence) {
            return false;
        }
    }
    return true;
}

/* Whether a block of a kernel that is done has given up waiting. */
static bool kernel_is_late(const struct symm_device *device,
                           const struct symm_completion *completion)
{
    const _Atomic uint32_t *words = device->flags[completion->slot].words;
    for (uint32_t i = 0; i < completion->flags; i++) {
        if ((atomic_load_explicit(&words[i], memory_order_relaxed) & SYMM_CUDA_LATE) != 0) {
            return true;
        }
    }
    return false;
}

/* Ask the driver.  If the stream is done, the flags are read again: they must then be up. */
static CUresult driver_ask(const struct symm_device *device, struct symm_completion *completion,
                           const char **call)
{
    CUresult result = CUDA_SUCCESS;
    *call = "cuEventQuery";
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS && result == CUDA_SUCCESS; i++) {
        if ((completion->copies >> i & 1) != 0) {
            result = device->cuda->cuEventQuery(device->events[completion->slot][i]);
            if (result == CUDA_SUCCESS) {
                completion->copies &= ~(1u << i);
            }
        }
    }
    if (result == CUDA_SUCCESS && !kernel_is_done(device, completion) &&
        completion->polls % POLLS_PER_QUERY == 0) {
        *call = "cuStreamQuery";
        result = device->cuda->cuStreamQuery(kernel_stream(device, completion));
        if (result == CUDA_SUCCESS && !kernel_is_done(device, completion)) {
            *call = "a kernel's launch";
            result = CUDA_ERROR_LAUNCH_FAILED;
        }
    }
    return result;
}

static enum symm_status completion_end(struct symm_device *device,
                                       struct symm_completion *completion)
{
    bool late = kernel_is_late(device, completion);
    symm_cuda_own_work(-1);
    symm_completion_give(device, completion);
    completion->late = late;
    return SYMM_OK;
}

/*
 * A question to the driver has failed.  If the streams say that they are done all the same, the
 * work is done.  Otherwise the device is lost to this process, and the slot with it, because nobody
 * knows what its kernel may still store.
 */
static enum symm_status completion_fail(struct symm_device *device,
                                        struct symm_completion *completion)
{
    if (symm_completion_settle(device, completion) && kernel_is_done(device, completion)) {
        return completion_end(device, completion);
    }
    symm_completion_lose(device, completion);
    return SYMM_ERR_SYSTEM;
}

/* The work has ended with its context, so nothing of it touches the slot any more. */
static enum symm_status completion_bury(struct symm_device *device,
                                        struct symm_completion *completion)
{
    (void)symm_cuda_unusable("the device has been reset during a call");
    (void)completion_end(device, completion);
    return SYMM_ERR_SYSTEM;
}

enum symm_status symm_completion_test(struct symm_device *device,
                                      struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    const char *call;
    if (completion->sequence == 0 && completion->copies == 0) {
        return SYMM_OK;
    }
    if (completion->copies == 0 && kernel_is_done(device, completion)) {
        return completion_end(device, completion);
    }
    completion->polls++;
    if (completion->copies == 0 && completion->polls % POLLS_PER_QUERY != 0) {
        return SYMM_PENDING;
    }
    enum symm_status status = symm_cuda_enter(device->number, &scope);
    if (status != SYMM_OK) { /* the work goes on: ask again, and give up late */
        if (++completion->troubles < TROUBLES_MOST) {
            return SYMM_PENDING;
        }
        symm_completion_lose(device, completion);
        return status;
    }
    if (scope.generation != completion->generation) {
        symm_cuda_leave(&scope);
        return completion_bury(device, completion);
    }
    status = SYMM_PENDING;
    CUresult result = driver_ask(device, completion, &call);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) {
        (void)symm_cuda_failed(call, result);
        status = completion_fail(device, completion);
    }
    symm_cuda_leave(&scope);
    if (status == SYMM_PENDING && completion->copies == 0 && kernel_is_done(device, completion)) {
        status = completion_end(device, completion);
    }
    return status;
}
