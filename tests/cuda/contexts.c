/*
 * contexts.c - primary contexts and programs' own, each thread's stack of them, and its capture mode.
 *
 * The order of locking and of things: a context ends with everything that was made in it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/cuda/standin.h"

#include <stdlib.h>

static _Thread_local CUcontext stack[STANDIN_CONTEXT_DEPTH];
static _Thread_local int depth;
static struct CUctx_st *made; /* by cuCtxCreate() */
static _Thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

CUcontext standin_context_current(void)
{
    return depth > 0 ? stack[depth - 1] : NULL;
}

/* Contexts are never freed; one that nobody retains any more is as good as gone. */
bool standin_context_is(CUcontext context)
{
    for (int i = 0; i < standin_device_count; i++) {
        if (standin_devices[i].primary == context) {
            return context != NULL && context->retained > 0;
        }
    }
    CUcontext own = made;
    while (own != NULL && own != context) {
        own = own->next;
    }
    return own != NULL && own->retained > 0;
}

size_t standin_contexts_made(void)
{
    size_t count = 0;
    for (CUcontext own = made; own != NULL; own = own->next) {
        count += own->retained > 0;
    }
    return count;
}

static CUresult retain(int device, CUcontext *context)
{
    struct standin_device *of = &standin_devices[device];
    if (of->primary == NULL) {
        of->primary = calloc(1, sizeof *of->primary);
        if (of->primary == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        of->primary->device = device;
    }
    if (of->primary->retained == 0) {
        of->primary->legacy = standin_stream_create(of->primary, CU_STREAM_DEFAULT);
        if (of->primary->legacy == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        of->primary->broken = CUDA_SUCCESS;
    }
    of->primary->retained++;
    *context = of->primary;
    return CUDA_SUCCESS;
}

static CUresult release(CUcontext context)
{
    if (context == NULL || context->retained == 0) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (context->retained == 1) {
        standin_streams_drain(context);
        standin_events_destroy(context);
        standin_modules_destroy(context);
        standin_streams_destroy(context);
        context->legacy = NULL;
    }
    context->retained--;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CUresult result = context == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(standin_device_is(device) ? retain(device, context)
                                                       : CUDA_ERROR_INVALID_DEVICE);
    }
    return result;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(standin_device_is(device) ? release(standin_devices[device].primary)
                                                       : CUDA_ERROR_INVALID_DEVICE);
    }
    return result;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    CUresult result = flags == NULL || active == NULL ? CUDA_ERROR_INVALID_VALUE
                                                      : standin_begin(__func__);
    if (result == CUDA_SUCCESS && !standin_device_is(device)) {
        result = standin_end(CUDA_ERROR_INVALID_DEVICE);
    } else if (result == CUDA_SUCCESS) {
        CUcontext context = standin_devices[device].primary;
        *flags = context == NULL ? 0 : context->flags;
        *active = context != NULL && context->retained > 0;
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        CUcontext context = standin_device_is(device) ? standin_devices[device].primary : NULL;
        if (!standin_device_is(device)) {
            result = CUDA_ERROR_INVALID_DEVICE;
        } else if ((flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else if (context != NULL) {
            context->flags = flags;
        }
        (void)standin_end(result);
    }
    return result;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    CUresult result = context == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        *context = standin_context_current();
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

static CUresult push(CUcontext context)
{
    if (!standin_context_is(context)) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (depth == STANDIN_CONTEXT_DEPTH) {
        standin_say("%d contexts have been pushed and not popped", depth);
        abort();
    }
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

/* Contexts are never freed, so that a stale handle is found out. */
static CUresult create(CUcontext *context, unsigned flags, CUdevice device)
{
    CUcontext created = calloc(1, sizeof *created);
    if (created == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    created->device = device;
    created->flags = flags;
    created->legacy = standin_stream_create(created, CU_STREAM_DEFAULT);
    if (created->legacy == NULL) {
        free(created);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    created->retained = 1;
    created->next = made;
    made = created;
    *context = created;
    return push(created);
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    CUresult result = context == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(standin_device_is(device) ? create(context, flags, device)
                                                       : CUDA_ERROR_INVALID_DEVICE);
    }
    return result;
}

CUresult cuCtxDestroy(CUcontext context)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        bool current = standin_context_current() == context;
        result = standin_context_is(context) ? release(context) : CUDA_ERROR_INVALID_CONTEXT;
        depth -= current && result == CUDA_SUCCESS;
        (void)standin_end(result);
    }
    return result;
}

static CUresult set_current(CUcontext context)
{
    if (context != NULL && !standin_context_is(context)) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (depth > 0) {
        depth--;
    }
    return context == NULL ? CUDA_SUCCESS : push(context);
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(set_current(context));
    }
    return result;
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(push(context));
    }
    return result;
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS && depth == 0) {
        result = standin_end(CUDA_ERROR_INVALID_CONTEXT);
    } else if (result == CUDA_SUCCESS) {
        depth--;
        if (context != NULL) {
            *context = stack[depth];
        }
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    CUcontext context;
    CUresult result = device == NULL ? CUDA_ERROR_INVALID_VALUE
                                     : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        *device = context->device;
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuCtxGetFlags(unsigned *flags)
{
    CUcontext context;
    CUresult result = flags == NULL ? CUDA_ERROR_INVALID_VALUE
                                    : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        *flags = context->flags;
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

CUresult cuCtxSetFlags(unsigned flags)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        if ((flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            context->flags = flags;
        }
        (void)standin_end(result);
    }
    return result;
}

CUresult cuCtxSynchronize(void)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        standin_streams_drain(context);
        result = standin_end(context->broken);
    }
    return result;
}

bool standin_capture_is_strict(void)
{
    return capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    CUresult result = mode == NULL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED
                          ? CUDA_ERROR_INVALID_VALUE
                          : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        CUstreamCaptureMode old = capture_mode;
        capture_mode = *mode;
        *mode = old;
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}
