/*
 * primary.c - primary contexts: when they begin and end, their flags, and the end that
 * cudaDeviceReset() brings.
 *
 * A context begins when it is first retained, with the flags that have been set until then.  A
 * reset ends it, whoever has retained it, and its flags become the default ones; it begins anew
 * when it is next retained.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <stdlib.h>

/* The context of a device, alive or not; NULL: no memory. */
static CUcontext primary_of(int device)
{
    struct standin_device *of = &standin_devices[device];
    if (of->primary == NULL) {
        of->primary = calloc(1, sizeof *of->primary);
        if (of->primary != NULL) {
            of->primary->device = device;
        }
    }
    return of->primary;
}

/* The start that these functions have in common. */
static CUresult begin_with_primary(const char *function, const void *wanted, CUdevice device,
                                   CUcontext *context)
{
    CUresult result = standin_begin(function);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    if (wanted == NULL) {
        return standin_end(CUDA_ERROR_INVALID_VALUE);
    }
    if (!standin_device_is(device)) {
        return standin_end(CUDA_ERROR_INVALID_DEVICE);
    }
    *context = primary_of(device);
    return *context != NULL ? CUDA_SUCCESS : standin_end(CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CUcontext primary;
    CUresult result = begin_with_primary(__func__, context, device, &primary);
    if (result == CUDA_SUCCESS) {
        result = primary->alive ? CUDA_SUCCESS : standin_context_begin(primary);
        if (result == CUDA_SUCCESS) {
            primary->retained++;
            *context = primary;
        }
        (void)standin_end(result);
    }
    return result;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    CUcontext primary;
    CUresult result = begin_with_primary(__func__, &device, device, &primary);
    if (result == CUDA_SUCCESS) {
        if (primary->retained == 0) {
            result = CUDA_ERROR_INVALID_CONTEXT;
        } else if (--primary->retained == 0 && primary->alive) {
            standin_context_end(primary);
        }
        (void)standin_end(result);
    }
    return result;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    CUcontext primary;
    CUresult result = begin_with_primary(__func__, &device, device, &primary);
    if (result == CUDA_SUCCESS) {
        if (primary->alive) {
            standin_context_end(primary);
        }
        primary->flags = 0;
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    CUcontext primary;
    const void *wanted = flags == NULL || active == NULL ? NULL : flags;
    CUresult result = begin_with_primary(__func__, wanted, device, &primary);
    if (result == CUDA_SUCCESS) {
        *flags = primary->flags;
        *active = primary->alive;
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

/* CU_CTX_SYNC_MEMOPS came with CUDA 12.1. */
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    CUcontext primary;
    CUresult result = begin_with_primary(__func__, &device, device, &primary);
    if (result == CUDA_SUCCESS) {
        bool is_new = (flags & CU_CTX_SYNC_MEMOPS) != 0 && standin_driver_version() < 12010;
        if (is_new || (flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            standin_context_set_flags(primary, flags);
        }
        (void)standin_end(result);
    }
    return result;
}
