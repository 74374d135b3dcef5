/*
 * capture.c - streams that are captured, and what that forbids.
 *
 * Work given to such a stream is not done, as with the real driver; here it is not remembered
 * either.  A capture is spoilt, so that it ends in an error, by
 *   - any use of stream 0 of the context, also a question about it, if the captured stream is a
 *     blocking one: stream 0 encompasses those.  Only cuStreamIsCapturing() says so without harm.
 *   - waiting for the captured stream, or for all of its context
 *   - functions that are not for times of capture (functions.c) in threads whose mode, and that of
 *     the capture, do not allow them
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

static bool is_blocking_capture(CUstream stream, CUcontext context)
{
    return stream->context == context && (stream->flags & CU_STREAM_NON_BLOCKING) == 0 &&
           stream->capture != STANDIN_NO_CAPTURE;
}

CUstream standin_capture_of_blocking(CUcontext context)
{
    for (struct standin_object *object = standin_streams.first; object; object = object->next) {
        if (is_blocking_capture((CUstream)object, context)) {
            return (CUstream)object;
        }
    }
    return NULL;
}

void standin_capture_spoil(CUcontext context)
{
    for (struct standin_object *object = standin_streams.first; object; object = object->next) {
        if (is_blocking_capture((CUstream)object, context)) {
            ((CUstream)object)->capture = STANDIN_CAPTURE_SPOILT;
        }
    }
}

static bool forbids(CUstream stream, CUstreamCaptureMode thread_mode)
{
    if (stream->capture != STANDIN_CAPTURING || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
        stream->capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
        return false;
    }
    return pthread_equal(stream->capturer, pthread_self()) ||
           (thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
            stream->capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
}

bool standin_capture_forbids(void)
{
    bool any = false;
    for (struct standin_object *object = standin_streams.first; object; object = object->next) {
        CUstream stream = (CUstream)object;
        if (forbids(stream, standin_capture_thread_mode())) {
            stream->capture = STANDIN_CAPTURE_SPOILT;
            any = true;
        }
    }
    return any;
}

/* ---- the driver's functions ------------------------------------------------------------------ */

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode)
{
    CUcontext context;
    CUstream stream;
    CUresult result = mode > CU_STREAM_CAPTURE_MODE_RELAXED
                          ? CUDA_ERROR_INVALID_VALUE
                          : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_stream_find(handle, context, &stream);
        if (result == CUDA_SUCCESS && stream == context->legacy) {
            result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        } else if (result == CUDA_SUCCESS && stream->capture != STANDIN_NO_CAPTURE) {
            result = CUDA_ERROR_ILLEGAL_STATE;
        } else if (result == CUDA_SUCCESS) {
            stream->capture = STANDIN_CAPTURING;
            stream->capture_mode = mode;
            stream->capturer = pthread_self();
        }
        (void)standin_end(result);
    }
    return result;
}

static CUresult end_capture(CUstream stream, CUgraph *graph)
{
    enum standin_capture capture = stream->capture;
    *graph = NULL;
    stream->capture = STANDIN_NO_CAPTURE;
    if (capture != STANDIN_CAPTURING) {
        return capture == STANDIN_NO_CAPTURE ? CUDA_ERROR_ILLEGAL_STATE
                                             : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    *graph = standin_graph_new();
    return *graph != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
    CUcontext context;
    CUstream stream;
    CUresult result = graph == NULL ? CUDA_ERROR_INVALID_VALUE
                                    : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_stream_find(handle, context, &stream);
        result = standin_end(result == CUDA_SUCCESS ? end_capture(stream, graph) : result);
    }
    return result;
}

static CUresult is_capturing(CUstream handle, CUcontext context, CUstreamCaptureStatus *status)
{
    CUstream stream;
    if ((handle == NULL || handle == CU_STREAM_LEGACY) &&
        standin_capture_of_blocking(context) != NULL) {
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    CUresult result = standin_stream_find(handle, context, &stream);
    if (result == CUDA_SUCCESS) {
        *status = stream->capture == STANDIN_CAPTURING  ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                  : stream->capture == STANDIN_NO_CAPTURE ? CU_STREAM_CAPTURE_STATUS_NONE
                                                          : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    }
    return result;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    CUcontext context;
    CUresult result = status == NULL ? CUDA_ERROR_INVALID_VALUE
                                     : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(is_capturing(stream, context, status));
    }
    return result;
}
