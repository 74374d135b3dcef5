/*
 * capture.c - streams that are captured, and what that forbids.
 *
 * Work given to such a stream is not done; it becomes the next node of the capture's graph.  A
 * stream that waits for an event of the capture is captured as well.  The graph is one chain, in
 * the order in which the work was given, whatever the stream; so an order that is missing between
 * streams shows elsewhere only.  A capture is spoilt, so that it ends in an error, by
 *   - any use of stream 0 of the context, also a question about it, if a captured stream is a
 *     blocking one: stream 0 encompasses those.  Only cuStreamIsCapturing() says so without harm.
 *   - waiting for a captured stream, or for all of its context
 *   - functions that are not for times of capture (functions.c) in threads whose mode, and that of
 *     the capture, do not allow them
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/graphs.h"

#include <stdlib.h>

static bool is_blocking_capture(CUstream stream, CUcontext context)
{
    return stream->context == context && (stream->flags & CU_STREAM_NON_BLOCKING) == 0 &&
           stream->capture != NULL;
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
            ((CUstream)object)->capture->spoilt = true;
        }
    }
}

static bool forbids(const struct standin_capture *capture, CUstreamCaptureMode thread_mode)
{
    if (capture->spoilt || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
        capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
        return false;
    }
    return pthread_equal(capture->capturer, pthread_self()) ||
           (thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
            capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
}

bool standin_capture_forbids(void)
{
    bool any = false;
    for (struct standin_object *object = standin_streams.first; object; object = object->next) {
        struct standin_capture *capture = ((CUstream)object)->capture;
        if (capture != NULL && forbids(capture, standin_capture_thread_mode())) {
            capture->spoilt = true;
            any = true;
        }
    }
    return any;
}

CUresult standin_capture_add(CUstream stream, standin_give *give, standin_run *run,
                             const void *payload, size_t size)
{
    struct standin_capture *capture = stream->capture;
    if (capture->spoilt) {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    stream->captured++;
    return standin_node_add(&capture->graph->nodes, give, run, payload, size) != NULL
               ? CUDA_SUCCESS
               : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult standin_capture_join(CUstream stream, const struct standin_capture_place *place)
{
    struct standin_capture *capture =
        standin_object_is(&standin_streams, place->stream) ? place->stream->capture : NULL;
    if (place->capture == 0) { /* only what is in the capture can be waited for */
        stream->capture->spoilt = true;
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (capture == NULL || capture->id != place->capture) {
        return CUDA_ERROR_CAPTURED_EVENT;
    }
    if (stream->capture != NULL && stream->capture != capture) {
        stream->capture->spoilt = capture->spoilt = true;
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    if (stream == stream->context->legacy) {
        capture->spoilt = true;
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (stream->capture == NULL) {
        stream->capture = capture;
        stream->captured = stream->joined = 0;
    }
    if (place->number > place->stream->joined) {
        place->stream->joined = place->number;
    }
    return CUDA_SUCCESS;
}

/* The capture is over.  False: the origin has not waited for all that others were given. */
static bool detach(struct standin_capture *capture)
{
    bool joined = true;
    for (struct standin_object *object = standin_streams.first; object; object = object->next) {
        CUstream stream = (CUstream)object;
        if (stream->capture == capture) {
            joined = joined && (stream == capture->origin || stream->joined >= stream->captured);
            stream->capture = NULL;
        }
    }
    return joined;
}

void standin_capture_leave(CUstream stream)
{
    struct standin_capture *capture = stream->capture;
    stream->capture = NULL;
    if (capture != NULL && capture->origin != stream) {
        capture->spoilt = true;
    } else if (capture != NULL) {
        (void)detach(capture);
        standin_graph_free(capture->graph);
        free(capture);
    }
}

/* ---- begin and end --------------------------------------------------------------------------- */

static CUresult begin(CUstream stream, CUstreamCaptureMode mode)
{
    static unsigned long long captures;
    if (stream == stream->context->legacy) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (stream->capture != NULL) {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    struct standin_capture *capture = malloc(sizeof *capture);
    CUgraph graph = standin_graph_new();
    if (capture == NULL || graph == NULL) {
        free(capture);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    graph->is_captured = true;
    *capture = (struct standin_capture){
        .id = ++captures, .graph = graph, .origin = stream, .mode = mode,
        .capturer = pthread_self(),
    };
    stream->capture = capture;
    stream->captured = stream->joined = 0;
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode)
{
    CUcontext context;
    CUstream stream;
    CUresult result = mode > CU_STREAM_CAPTURE_MODE_RELAXED
                          ? CUDA_ERROR_INVALID_VALUE
                          : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_stream_find(handle, context, &stream);
        result = standin_end(result == CUDA_SUCCESS ? begin(stream, mode) : result);
    }
    return result;
}

static CUresult end(CUstream stream, CUgraph *graph)
{
    struct standin_capture *capture = stream->capture;
    *graph = NULL;
    if (capture == NULL) {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    if (capture->origin != stream) {
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        !pthread_equal(capture->capturer, pthread_self())) {
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
    CUresult result = !detach(capture) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED : CUDA_SUCCESS;
    if (capture->spoilt) {
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (result == CUDA_SUCCESS) {
        *graph = capture->graph;
        (*graph)->is_captured = false;
    } else {
        standin_graph_free(capture->graph);
    }
    free(capture);
    return result;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
    CUcontext context;
    CUstream stream;
    CUresult result = graph == NULL ? CUDA_ERROR_INVALID_VALUE
                                    : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_stream_find(handle, context, &stream);
        result = standin_end(result == CUDA_SUCCESS ? end(stream, graph) : result);
    }
    return result;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* The stream, and its state. */
static CUresult ask(CUstream handle, CUcontext context, CUstream *stream,
                    CUstreamCaptureStatus *status)
{
    if ((handle == NULL || handle == CU_STREAM_LEGACY) &&
        standin_capture_of_blocking(context) != NULL) {
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    CUresult result = standin_stream_find(handle, context, stream);
    if (result == CUDA_SUCCESS) {
        const struct standin_capture *capture = (*stream)->capture;
        *status = capture == NULL   ? CU_STREAM_CAPTURE_STATUS_NONE
                  : capture->spoilt ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                    : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    }
    return result;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
    CUcontext context;
    CUstream stream;
    CUresult result = status == NULL ? CUDA_ERROR_INVALID_VALUE
                                     : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(ask(handle, context, &stream, status));
    }
    return result;
}

/* The last node is what the next one will depend on: the graph is a chain. */
static CUresult capture_info(CUstream handle, CUcontext context, CUstreamCaptureStatus *status,
                             cuuint64_t *id, CUgraph *graph, const CUgraphNode **dependencies,
                             size_t *count)
{
    CUstream stream;
    CUresult result = ask(handle, context, &stream, status);
    if (result != CUDA_SUCCESS || *status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        return result;
    }
    CUgraph captured = stream->capture->graph;
    if (id != NULL) {
        *id = stream->capture->id;
    }
    if (graph != NULL) {
        *graph = captured;
    }
    if (dependencies != NULL) {
        *dependencies = &captured->nodes.last;
    }
    if (count != NULL) {
        *count = captured->nodes.last != NULL;
    }
    return CUDA_SUCCESS;
}

/* The form of CUDA 13 says more of each dependency; here there is nothing to say. */
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                CUgraph *graph, const CUgraphNode **dependencies,
#if CUDA_VERSION >= 13000
                                const CUgraphEdgeData **edges,
#endif
                                size_t *count)
{
    CUcontext context;
    CUresult result = status == NULL ? CUDA_ERROR_INVALID_VALUE
                                     : standin_begin_in_context(__func__, &context);
#if CUDA_VERSION >= 13000
    if (edges != NULL) {
        *edges = NULL;
    }
#endif
    if (result == CUDA_SUCCESS) {
        result = standin_end(capture_info(stream, context, status, id, graph, dependencies, count));
    }
    return result;
}
