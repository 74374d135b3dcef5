/*
 * cuda_memops.c - see cuda_memops.h: waiting for memory that the program has written by
 * cudaMemset() or by a copy between device buffers just before it calls.
 *
 * Where a context has the flag of cuda_sync_flag.h, there is nothing to wait for.  Otherwise
 * waiting means waiting for the legacy stream (stream 0), and the legacy stream encompasses all
 * *blocking* streams of its context: with a kernel on one of them that waits for another process,
 * as those of NCCL do, two ranks can wait for each other for ever.  While a blocking stream is
 * captured, even a question about the legacy stream ends the capture, in whichever thread and mode.
 *
 * So there is one wait for each lapse, and a wait in each call with a driver that does not know the
 * flag.  No wait is made while a capture goes on, but in a later call: what is captured is not
 * being done, and nothing can be put into the legacy stream meanwhile.  A wait ends after some
 * seconds: what keeps a legacy stream busy for so long is waiting itself, while memory that the
 * program set before has been set by then.
 *
 * Per-thread default streams stand for blocking streams, so they are waited for as well.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "heap/gpu/cuda_context.h"
#include "heap/gpu/cuda_sync_flag.h"

enum {
    SECONDS_MOST = 5,
    YIELDS = 1000, /* looks at the stream before the thread sleeps between them */
    NAP = 50000,   /* ns */
};

static struct {
    _Atomic uint32_t settled;     /* the last lapse after which has been waited */
    _Atomic(CUcontext) given_up;  /* as in context_settle() */
} primaries[SYMM_CUDA_DEVICES_MAX];

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

/*
 * Wait in the context that is current.  NOT_READY: given up; other errors: it could not be asked.
 */
static CUresult legacy_wait(const struct symm_cuda *cuda)
{
    CUresult result = symm_cuda_legacy_ask(cuda);
    if (result == CUDA_ERROR_NOT_READY) {
        double end = now() + SECONDS_MOST;
        for (unsigned looks = 0; result == CUDA_ERROR_NOT_READY && now() < end; looks++) {
            pause_after(looks);
            result = symm_cuda_legacy_ask(cuda);
        }
    }
    return result;
}

/* ---- settling -------------------------------------------------------------------------------- */

/*
 * In the context that is current.  It gets the flag once what went before is over.  *given_up: the
 * context whose wait was given up last; it is not waited for again until its stream has been idle.
 */
static CUresult context_settle(const struct symm_cuda *cuda, CUcontext context,
                               _Atomic(CUcontext) *given_up)
{
    CUresult result =
        atomic_load(given_up) == context ? symm_cuda_legacy_ask(cuda) : legacy_wait(cuda);
    atomic_store(given_up, result == CUDA_ERROR_NOT_READY ? context : NULL);
    if (result == CUDA_SUCCESS) {
        symm_cuda_flag_set_current(cuda);
    }
    return result;
}

static void primary_settle(int device)
{
    struct symm_cuda_scope scope;
    uint32_t lapses = symm_cuda_flag_lapses(device);
    if (symm_cuda_enter(device, &scope) == SYMM_OK) {
        CUresult result =
            context_settle(scope.cuda, symm_cuda_primary(device), &primaries[device].given_up);
        if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) {
            atomic_store_explicit(&primaries[device].settled, lapses, memory_order_relaxed);
        }
        symm_cuda_leave(&scope);
    }
}

/* In a context of the program's own, which is current. */
static void own_settle(const struct symm_cuda *cuda, CUcontext current)
{
    static _Atomic(CUcontext) given_up;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (cuda->cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS) {
        (void)context_settle(cuda, current, &given_up);
        (void)cuda->cuThreadExchangeStreamCaptureMode(&mode);
    }
}

/* ---- before a call --------------------------------------------------------------------------- */

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
    bool on = current != NULL && symm_cuda_flag_is_current(cuda);
    if (!on || current != symm_cuda_primary(device)) {
        symm_cuda_flag_demand(cuda, device);
    }
    symm_cuda_notice_reset(cuda, device);
    uint32_t lapses = symm_cuda_flag_lapses(device);
    if (lapses != atomic_load_explicit(&primaries[device].settled, memory_order_relaxed) &&
        (is_foreign || lapses != symm_cuda_flag_lapses_entered(device))) {
        primary_settle(device);
    }
    if (!on && current != NULL && current != symm_cuda_primary(device) &&
        !symm_cuda_flag_is_current(cuda)) {
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

void symm_cuda_notice(void)
{
    const struct symm_cuda *cuda;
    if (symm_cuda_get_loaded(&cuda) == SYMM_OK) {
        symm_cuda_flag_notice(cuda);
    }
}
