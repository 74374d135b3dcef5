/*
 * cuda_sync_flag.c - see cuda_sync_flag.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdatomic.h>

#include "heap/gpu/cuda_sync_flag.h"

static struct {
    _Atomic uint32_t lapses;  /* so far */
    _Atomic uint32_t entered; /* the last one before memory of ours can have been there */
} primaries[SYMM_CUDA_DEVICES_MAX];

static bool is_on(unsigned flags)
{
    return (flags & CU_CTX_SYNC_MEMOPS) != 0;
}

/* cuCtxSetFlags() came with the flag. */
static bool is_known(const struct symm_cuda *cuda)
{
    return cuda->cuCtxSetFlags != NULL;
}

/* ---- the current context --------------------------------------------------------------------- */

CUresult symm_cuda_legacy_ask(const struct symm_cuda *cuda)
{
    CUstreamCaptureStatus status;
    CUresult result = cuda->cuStreamIsCapturing(CU_STREAM_LEGACY, &status);
    return result == CUDA_SUCCESS ? cuda->cuStreamQuery(CU_STREAM_LEGACY) : result;
}

bool symm_cuda_flag_is_current(const struct symm_cuda *cuda)
{
    unsigned flags = 0;
    return cuda->cuCtxGetFlags(&flags) == CUDA_SUCCESS && is_on(flags);
}

void symm_cuda_flag_set_current(const struct symm_cuda *cuda)
{
    unsigned flags = 0;
    if (is_known(cuda) && cuda->cuCtxGetFlags(&flags) == CUDA_SUCCESS && !is_on(flags)) {
        (void)cuda->cuCtxSetFlags(flags | CU_CTX_SYNC_MEMOPS);
    }
}

/* ---- primary contexts ------------------------------------------------------------------------ */

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
            idle = symm_cuda_legacy_ask(cuda) == CUDA_SUCCESS;
            (void)cuda->cuCtxPopCurrent(&primary);
        }
        (void)cuda->cuDevicePrimaryCtxRelease(handle);
    }
    (void)cuda->cuThreadExchangeStreamCaptureMode(&mode);
    return idle;
}

/*
 * A lapse is noted before the flag is set: whoever sees the flag sees that as well.  To set it in
 * an active context waits for all that goes on there, in non-blocking streams too (H100, driver
 * 580: bench/results/gpu-driver-waits.txt).  So that is done where the legacy stream is idle, and
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

void symm_cuda_flag_demand(const struct symm_cuda *cuda, int device)
{
    CUdevice handle;
    if (cuda->cuDeviceGet(&handle, device) == CUDA_SUCCESS) {
        demand(cuda, device, handle);
    }
}

uint32_t symm_cuda_flag_lapses(int device)
{
    return atomic_load_explicit(&primaries[device].lapses, memory_order_relaxed);
}

uint32_t symm_cuda_flag_lapses_entered(int device)
{
    return atomic_load_explicit(&primaries[device].entered, memory_order_relaxed);
}

void symm_cuda_flag_entered(int device)
{
    atomic_store_explicit(&primaries[device].entered, symm_cuda_flag_lapses(device),
                          memory_order_relaxed);
}

/* Devices that the program does not use lose nothing: a flag makes no context. */
void symm_cuda_flag_notice(const struct symm_cuda *cuda)
{
    static _Atomic bool noticed;
    int count = 0;
    if (atomic_load_explicit(&noticed, memory_order_relaxed) ||
        cuda->cuDeviceGetCount(&count) != CUDA_SUCCESS) { /* nobody has initialised it yet */
        return;
    }
    for (int device = 0; device < count && device < SYMM_CUDA_DEVICES_MAX; device++) {
        symm_cuda_flag_demand(cuda, device);
    }
    atomic_store_explicit(&noticed, true, memory_order_relaxed);
}
