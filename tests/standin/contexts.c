/*
 * contexts.c - contexts, each thread's stack of them, and its capture mode; primary ones begin and
 * end in primary.c.
 *
 * A context ends with everything that was made in it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <stdlib.h>

static _Thread_local CUcontext stack[STANDIN_CONTEXT_DEPTH];
static _Thread_local int depth;
static struct CUctx_st *made; /* by cuCtxCreate() */
static _Thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

CUcontext standin_context_current(void)
{
    return depth > 0 ? stack[depth - 1] : NULL;
}

/* Contexts are never freed; one that is not alive is as good as gone. */
bool standin_context_is(CUcontext context)
{
    for (int i = 0; i < standin_device_count; i++) {
        if (standin_devices[i].primary == context) {
            return context != NULL && context->alive;
        }
    }
    CUcontext own = made;
    while (own != NULL && own != context) {
        own = own->next;
    }
    return own != NULL && own->alive;
}

size_t standin_contexts_made(void)
{
    size_t count = 0;
    for (CUcontext own = made; own != NULL; own = own->next) {
        count += own->alive;
    }
    return count;
}

/* ---- lives ----------------------------------------------------------------------------------- */

CUresult standin_context_begin(CUcontext context)
{
    static unsigned long long ids;
    context->legacy = standin_stream_create(context, CU_STREAM_DEFAULT);
    if (context->legacy == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    context->id = ++ids;
    context->broken = CUDA_SUCCESS;
    context->alive = true;
    return CUDA_SUCCESS;
}

void standin_context_end(CUcontext context)
{
    standin_streams_drain(context);
    standin_events_destroy(context);
    standin_graphs_destroy(context);
    standin_modules_destroy(context);
    standin_streams_destroy(context);
    standin_memory_destroy(context);
    standin_pinned_destroy(context);
    context->legacy = NULL;
    context->alive = false;
}

/* ---- the driver's functions ------------------------------------------------------------------ */

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
    if (standin_context_begin(created) != CUDA_SUCCESS) {
        free(created);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
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
        result = standin_context_is(context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
        if (result == CUDA_SUCCESS) {
            standin_context_end(context);
            depth -= current;
        }
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
        CUcontext popped = stack[--depth];
        if (context != NULL) {
            *context = popped;
        }
        /* Errors of earlier work are returned by functions that do theirs nevertheless. */
        result = standin_end(standin_context_is(popped) ? popped->broken : CUDA_SUCCESS);
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

/* Real drivers wait for all that goes on in an active context (H100, driver 580). */
void standin_context_set_flags(CUcontext context, unsigned flags)
{
    if (context->alive && ((flags ^ context->flags) & CU_CTX_SYNC_MEMOPS) != 0) {
        standin_streams_drain(context);
    }
    context->flags = flags;
}

CUresult cuCtxSetFlags(unsigned flags)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        if ((flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            standin_context_set_flags(context, flags);
        }
        (void)standin_end(result);
    }
    return result;
}

/* It is a guess what a real driver says of a primary context that has been reset. */
CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    CUresult result = id == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        context = context == NULL ? standin_context_current() : context;
        if (context == NULL) {
            result = CUDA_ERROR_INVALID_CONTEXT;
        } else if (!standin_context_is(context)) {
            result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
        } else {
            *id = context->id;
        }
        (void)standin_end(result);
    }
    return result;
}

/* All streams of the context are encompassed, so none may be captured. */
CUresult cuCtxSynchronize(void)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS && standin_capture_of_blocking(context) != NULL) {
        standin_capture_spoil(context);
        result = standin_end(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    } else if (result == CUDA_SUCCESS) {
        standin_streams_drain(context);
        result = standin_end(context->broken);
    }
    return result;
}

bool standin_capture_is_strict(void)
{
    return capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED;
}

CUstreamCaptureMode standin_capture_thread_mode(void)
{
    return capture_mode;
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

CUresult cuStreamGetCtx(CUstream handle, CUcontext *context)
{
    CUresult result = context == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        bool is = standin_object_is(&standin_streams, handle);
        *context = is ? handle->context : standin_context_current();
        result = is || (uintptr_t)handle <= (uintptr_t)CU_STREAM_PER_THREAD
                     ? CUDA_SUCCESS
                     : CUDA_ERROR_INVALID_HANDLE;
        (void)standin_end(result);
    }
    return result;
}
