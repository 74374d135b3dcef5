/*
 * cuda_memops.c - memory that the program has written by cudaMemset() or by a copy between device
 * buffers just before it calls; symm_cuda_notice(), symm_cuda_sync_memops() and
 * symm_cuda_memory_settle() of cuda_device.h.
 *
 * Such functions return before their work is done, and our streams wait for nobody.  A context with
 * the flag CU_CTX_SYNC_MEMOPS, which came with CUDA 12.1, lets them return afterwards.  So primary
 * contexts are given that flag as soon as the driver is seen in the process, best before they
 * exist: then nothing has to be waited for, ever.  Waiting means waiting for the legacy stream
 * (stream 0), and that encompasses all *blocking* streams of its context: with a kernel on one of
 * them that waits for another process, as those of NCCL do, two ranks can wait for each other for
 * ever.  While a blocking stream is captured, even a question about the legacy stream ends the
 * capture, in whichever thread and mode.
 *
 * So there is a wait only for a *lapse*: a time at which an active context has been found without
 * the flag, because it existed before the driver was first seen, or because cudaSetDeviceFlags()
 * has overwritten what was set; and in each call with a driver that does not know the flag.  It is
 * not made while a capture goes on, but in a later call: what is captured is not being done, and
 * nothing can be put into the legacy stream meanwhile.  And it ends after some seconds: what keeps a
 * legacy stream busy for so long is waiting itself, while memory that the program set before has
 * been set by then.
 *
 * The streams that per-thread default streams stand for are blocking ones, so they are waited for
 * as well.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "heap/cuda_context.h"

enum {
    SECONDS_MOST = 5,
    YIELDS = 1000, /* looks at the stream before the thread sleeps between them */
    NAP = 50000,   /* ns */
};

static struct {
    _Atomic uint32_t lapses;  /* so far */
    _Atomic uint32_t settled; /* the last one after which has been waited */
    _Atomic uint32_t entered; /* the last one before memory of ours can have been there */
    _Atomic bool given_up;    /* the last wait: then there is none until the stream has been idle */
} primaries[SYMM_CUDA_DEVICES_MAX];

static uint32_t load(const _Atomic uint32_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

static bool is_on(unsigned flags)
{
    return (flags & CU_CTX_SYNC_MEMOPS) != 0;
}

/* cuCtxSetFlags() came with the flag. */
static bool is_known(const struct symm_cuda *cuda)
{
    return cuda->cuCtxSetFlags != NULL;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void pause_after(unsigned looks)
{
    if (looks < YIELDS) {
        (void)sched_yield();
    } else {
        const struct timespec nap = {.tv_nsec = NAP};
        (void)nanosleep(&nap, NULL);
    }
}

/* One look at the legacy stream of the context that is current, unless that would end a capture. */
static CUresult legacy_ask(const struct symm_cuda *cuda)
{
    CUstreamCaptureStatus status;
    CUresult result = cuda->cuStreamIsCapturing(CU_STREAM_LEGACY, &status);
    return result == CUDA_SUCCESS ? cuda->cuStreamQuery(CU_STREAM_LEGACY) : result;
}

/* Wait in the context that is current.  NOT_READY: given up; other errors: it could not be asked. */
static CUresult legacy_wait(const struct symm_cuda *cuda)
{
    CUresult result = legacy_ask(cuda);
    if (result == CUDA_ERROR_NOT_READY) {
        double end = now() + SECONDS_MOST;
        for (unsigned looks = 0; result == CUDA_ERROR_NOT_READY && now() < end; looks++) {
            pause_after(looks);
            result = legacy_ask(cuda);
        }
    }
    return result;
}

/* ---- the flag of primary contexts ------------------------------------------------------------ */

/* The manual does not list CU_CTX_MAP_HOST, which all contexts have, among what can be set. */
static void primary_set(const struct symm_cuda *cuda, CUdevice handle, unsigned flags)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (cuda->cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS) {
        if (cuda->cuDevicePrimaryCtxSetFlags(handle, flags) != CUDA_SUCCESS) {
            (void)cuda->cuDevicePrimaryCtxSetFlags(handle, flags & ~(unsigned)CU_CTX_MAP_HOST);
        }
        (void)cuda->cuThreadExchangeStreamCaptureMode(&mode);
    }
}

/* Whether nothing is known to go on in a primary context, which is active. */
static bool primary_is_idle(const struct symm_cuda *cuda, CUdevice handle)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUcontext primary;
    bool idle = false;
    if (cuda->cuThreadExchangeStreamCaptureMode(&mode) != CUDA_SUCCESS) {
        return false;
    }
    if (cuda->cuDevicePrimaryCtxRetain(&primary, handle) == CUDA_SUCCESS) {
        if (cuda->cuCtxPushCurrent(primary) == CUDA_SUCCESS) {
            idle = legacy_ask(cuda) == CUDA_SUCCESS;
            (void)cuda->cuCtxPopCurrent(&primary);
        }
        (void)cuda->cuDevicePrimaryCtxRelease(handle);
    }
    (void)cuda->cuThreadExchangeStreamCaptureMode(&mode);
    return idle;
}

/*
 * A lapse is noted before the flag is set: whoever sees the flag sees that as well.  To set it in an
 * active context waits for all that goes on there, in non-blocking streams too (H100, driver 580:
 * bench/results/gpu-driver-waits.txt).  So that is done where the legacy stream is idle, and
 * otherwise after the wait for it.  Nobody can ask whether non-blocking streams are.
 */
static void demand(const struct symm_cuda *cuda, int device, CUdevice handle)
{
    unsigned flags = 0;
    int active = 0;
    if (cuda->cuDevicePrimaryCtxGetState(handle, &flags, &active) != CUDA_SUCCESS || is_on(flags)) {
        return;
    }
    if (active != 0) {
        atomic_fetch_add(&primaries[device].lapses, 1);
    }
    if (is_known(cuda) && (active == 0 || primary_is_idle(cuda, handle))) {
        primary_set(cuda, handle, flags | CU_CTX_SYNC_MEMOPS);
    }
}

void symm_cuda_memops_demand(const struct symm_cuda *cuda, int device)
{
    CUdevice handle;
    if (cuda->cuDeviceGet(&handle, device) == CUDA_SUCCESS) {
        demand(cuda, device, handle);
    }
}

void symm_cuda_memops_entered(int device)
{
    atomic_store_explicit(&primaries[device].entered, load(&primaries[device].lapses),
                          memory_order_relaxed);
}

/* Devices that the program does not use lose nothing: a flag makes no context. */
void symm_cuda_memops_notice(const struct symm_cuda *cuda)
{
    static _Atomic bool noticed;
    int count = 0;
    if (atomic_load_explicit(&noticed, memory_order_relaxed) ||
        cuda->cuDeviceGetCount(&count) != CUDA_SUCCESS) { /* nobody has initialised it yet */
        return;
    }
    for (int device = 0; device < count && device < SYMM_CUDA_DEVICES_MAX; device++) {
        symm_cuda_memops_demand(cuda, device);
    }
    atomic_store_explicit(&noticed, true, memory_order_relaxed);
}

void symm_cuda_notice(void)
{
    const struct symm_cuda *cuda;
    if (symm_cuda_get_loaded(&cuda) == SYMM_OK) {
        symm_cuda_memops_notice(cuda);
    }
}

/* ---- settling -------------------------------------------------------------------------------- */

/* Where the function for primary contexts has not done it: that for the current one. */
static void current_set(const struct symm_cuda *cuda)
{
    unsigned flags = 0;
    if (is_known(cuda) && cuda->cuCtxGetFlags(&flags) == CUDA_SUCCESS && !is_on(flags)) {
        (void)cuda->cuCtxSetFlags(flags | CU_CTX_SYNC_MEMOPS);
    }
}

static void primary_settle(int device)
{
    struct symm_cuda_scope scope;
    uint32_t lapses = load(&primaries[device].lapses);
    if (symm_cuda_enter(device, &scope) == SYMM_OK) {
        CUresult result = atomic_load_explicit(&primaries[device].given_up, memory_order_relaxed)
                              ? legacy_ask(scope.cuda) : legacy_wait(scope.cuda);
        atomic_store_explicit(&primaries[device].given_up, result == CUDA_ERROR_NOT_READY,
                              memory_order_relaxed);
        if (result == CUDA_SUCCESS) {
            current_set(scope.cuda);
        }
        if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) {
            atomic_store_explicit(&primaries[device].settled, lapses, memory_order_relaxed);
        }
        symm_cuda_leave(&scope);
    }
}

/*
 * In a context of the program's own, which is current.  It gets the flag once what went before is over.
 * The context whose wait was given up last is not waited for again until it has been idle.
 */
static void own_settle(const struct symm_cuda *cuda, CUcontext current)
{
    static _Atomic(CUcontext) given_up;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (cuda->cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS) {
        CUresult result = atomic_load(&given_up) == current ? legacy_ask(cuda) : legacy_wait(cuda);
        atomic_store(&given_up, result == CUDA_ERROR_NOT_READY ? current : NULL);
        if (result == CUDA_SUCCESS) {
            current_set(cuda);
        }
        (void)cuda->cuThreadExchangeStreamCaptureMode(&mode);
    }
}

/* ---- before a call --------------------------------------------------------------------------- */

static bool current_is_on(const struct symm_cuda *cuda)
{
    unsigned flags = 0;
    return cuda->cuCtxGetFlags(&flags) == CUDA_SUCCESS && is_on(flags);
}

/*
 * The flags are asked for in each call, of the context that is current by the quicker function.
 * The device's own context may not have been current in any thread yet, or in this one.
 */
static void settle(int device, bool is_foreign)
{
    const struct symm_cuda *cuda;
    CUcontext current = NULL;
    if (device < 0 || device >= SYMM_CUDA_DEVICES_MAX || symm_cuda_get(&cuda) != SYMM_OK) {
        return;
    }
    (void)cuda->cuCtxGetCurrent(&current);
    bool on = current != NULL && current_is_on(cuda);
    if (!on || current != symm_cuda_primary(device)) {
        symm_cuda_memops_demand(cuda, device);
    }
    symm_cuda_notice_reset(cuda, device);
    uint32_t lapses = load(&primaries[device].lapses);
    if (lapses != load(&primaries[device].settled) &&
        (is_foreign || lapses != load(&primaries[device].entered))) {
        primary_settle(device);
    }
    if (!on && current != NULL && current != symm_cuda_primary(device) && !current_is_on(cuda)) {
        own_settle(cuda, current);
    }
}

void symm_cuda_sync_memops(int device)
{
    settle(device, false);
}

void symm_cuda_memory_settle(int device)
{
    settle(device, true);
}
