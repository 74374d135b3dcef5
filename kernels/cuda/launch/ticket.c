/*
 * ticket.c - asking whether work on a device is done, and waiting for it where it has gone wrong;
 * see device.h.
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

CUstream symm_launch_copy_stream(const struct symm_device *device, int stream)
{
    return atomic_load_explicit(&device->copies[stream], memory_order_acquire);
}

static CUstream kernel_stream(const struct symm_device *device, const struct symm_ticket *ticket)
{
    return ticket->beside ? atomic_load_explicit(&device->beside, memory_order_acquire)
                          : device->kernels;
}

static bool streams_wait(const struct symm_device *device, const struct symm_ticket *ticket)
{
    CUresult result = CUDA_SUCCESS;
    if (ticket->sequence != 0) {
        result = device->cuda->cuStreamSynchronize(kernel_stream(device, ticket));
    }
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS; i++) {
        if ((ticket->copies >> i & 1) != 0) {
            CUresult next = device->cuda->cuStreamSynchronize(symm_launch_copy_stream(device, i));
            result = result == CUDA_SUCCESS ? next : result;
        }
    }
    return result == CUDA_SUCCESS;
}

bool symm_launch_settle(const struct symm_device *device, const struct symm_ticket *ticket)
{
    bool settled = false;
    for (int attempt = 0; attempt < SETTLINGS_MOST && !settled; attempt++) {
        settled = streams_wait(device, ticket);
    }
    return settled;
}

/* ---- testing --------------------------------------------------------------------------------- */

/* Flags that are up stay so: the look that finds the last one up sees what all blocks stored. */
static bool kernel_is_done(const struct symm_device *device, const struct symm_ticket *ticket)
{
    const _Atomic uint32_t *words = device->flags[ticket->slot].words;
    for (uint32_t i = 0; i < ticket->flags; i++) {
        uint32_t flag = atomic_load_explicit(&words[i], memory_order_acquire);
        if ((flag & ~(uint32_t)SYMM_CUDA_LATE) != ticket->sequence) {
            return false;
        }
    }
    return true;
}

/* Whether a block of a kernel that is done has given up waiting. */
static bool kernel_is_late(const struct symm_device *device, const struct symm_ticket *ticket)
{
    const _Atomic uint32_t *words = device->flags[ticket->slot].words;
    for (uint32_t i = 0; i < ticket->flags; i++) {
        if ((atomic_load_explicit(&words[i], memory_order_relaxed) & SYMM_CUDA_LATE) != 0) {
            return true;
        }
    }
    return false;
}

/* Ask the driver.  If the stream is done, the flags are read again: they must then be up. */
static CUresult driver_ask(const struct symm_device *device, struct symm_ticket *ticket,
                           const char **call)
{
    CUresult result = CUDA_SUCCESS;
    *call = "cuEventQuery";
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS && result == CUDA_SUCCESS; i++) {
        if ((ticket->copies >> i & 1) != 0) {
            result = device->cuda->cuEventQuery(device->events[ticket->slot][i]);
            if (result == CUDA_SUCCESS) {
                ticket->copies &= ~(1u << i);
            }
        }
    }
    if (result == CUDA_SUCCESS && !kernel_is_done(device, ticket) &&
        ticket->polls % POLLS_PER_QUERY == 0) {
        *call = "cuStreamQuery";
        result = device->cuda->cuStreamQuery(kernel_stream(device, ticket));
        if (result == CUDA_SUCCESS && !kernel_is_done(device, ticket)) {
            *call = "a kernel's launch";
            result = CUDA_ERROR_LAUNCH_FAILED;
        }
    }
    return result;
}

static enum symm_status ticket_end(struct symm_device *device, struct symm_ticket *ticket)
{
    bool late = kernel_is_late(device, ticket);
    symm_cuda_own_work(-1);
    symm_launch_give(device, ticket);
    ticket->late = late;
    return SYMM_OK;
}

/*
 * A question to the driver has failed.  If the streams say that they are done all the same, the
 * work is done.  Otherwise the device is lost to this process, and the slot with it, because nobody
 * knows what its kernel may still store.
 */
static enum symm_status ticket_fail(struct symm_device *device, struct symm_ticket *ticket)
{
    if (symm_launch_settle(device, ticket) && kernel_is_done(device, ticket)) {
        return ticket_end(device, ticket);
    }
    symm_launch_lose(device, ticket);
    return SYMM_ERR_SYSTEM;
}

/* The work has ended with its context, so nothing of it touches the slot any more. */
static enum symm_status ticket_bury(struct symm_device *device, struct symm_ticket *ticket)
{
    (void)symm_cuda_unusable("the device has been reset during a call");
    (void)ticket_end(device, ticket);
    return SYMM_ERR_SYSTEM;
}

enum symm_status symm_device_ticket_test(struct symm_device *device, struct symm_ticket *ticket)
{
    struct symm_cuda_scope scope;
    const char *call;
    if (ticket->sequence == 0 && ticket->copies == 0) {
        return SYMM_OK;
    }
    if (ticket->copies == 0 && kernel_is_done(device, ticket)) {
        return ticket_end(device, ticket);
    }
    ticket->polls++;
    if (ticket->copies == 0 && ticket->polls % POLLS_PER_QUERY != 0) {
        return SYMM_PENDING;
    }
    enum symm_status status = symm_cuda_enter(device->number, &scope);
    if (status != SYMM_OK) { /* the work goes on: ask again, and give up late */
        if (++ticket->troubles < TROUBLES_MOST) {
            return SYMM_PENDING;
        }
        symm_launch_lose(device, ticket);
        return status;
    }
    if (scope.life != ticket->life) {
        symm_cuda_leave(&scope);
        return ticket_bury(device, ticket);
    }
    status = SYMM_PENDING;
    CUresult result = driver_ask(device, ticket, &call);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) {
        (void)symm_cuda_failed(call, result);
        status = ticket_fail(device, ticket);
    }
    symm_cuda_leave(&scope);
    if (status == SYMM_PENDING && ticket->copies == 0 && kernel_is_done(device, ticket)) {
        status = ticket_end(device, ticket);
    }
    return status;
}
