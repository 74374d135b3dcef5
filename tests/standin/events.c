/*
 * events.c - events: the place in a stream that was its end when the event was recorded, or in a
 * capture; then only streams can wait for it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/graphs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct CUevent_st {
    struct standin_object object;
    CUcontext context;
    unsigned flags;
    CUstream stream; /* NULL: never recorded, which counts as done */
    uint64_t number;
    double seconds; /* when it was done */
    struct standin_capture_place place;
};

struct standin_objects standin_events;

void standin_events_destroy(CUcontext context)
{
    struct standin_object *next;
    for (struct standin_object *object = standin_events.first; object; object = next) {
        next = object->next;
        if (((CUevent)object)->context == context) {
            standin_object_bury(&standin_events, object);
        }
    }
}

static bool is_done(CUevent event)
{
    return event->stream == NULL || event->stream->finished >= event->number;
}

/* The start that functions about one event have in common. */
static CUresult begin_with_event(const char *function, CUevent event, CUcontext *context)
{
    CUresult result = standin_begin_in_context(function, context);
    if (result == CUDA_SUCCESS && !standin_object_is(&standin_events, event)) {
        result = standin_end(CUDA_ERROR_INVALID_HANDLE);
    }
    return result;
}

/* The same for those that ask how far it is. */
static CUresult begin_with_question(const char *function, CUevent event, CUcontext *context)
{
    CUresult result = begin_with_event(function, event, context);
    return result == CUDA_SUCCESS && event->place.capture != 0
               ? standin_end(CUDA_ERROR_CAPTURED_EVENT)
               : result;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS && (event == NULL || (flags & ~known) != 0)) {
        result = standin_end(CUDA_ERROR_INVALID_VALUE);
    } else if (result == CUDA_SUCCESS) {
        *event = calloc(1, sizeof **event);
        if (*event != NULL) {
            (*event)->context = context;
            (*event)->flags = flags;
            standin_object_add(&standin_events, &(*event)->object);
        }
        result = standin_end(*event == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS);
    }
    return result;
}

CUresult cuEventDestroy(CUevent event)
{
    CUcontext context;
    CUresult result = begin_with_event(__func__, event, &context);
    if (result == CUDA_SUCCESS) {
        standin_object_bury(&standin_events, &event->object);
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

static CUresult run_record(void *payload, CUstream stream)
{
    CUevent event;
    struct timespec now;
    memcpy(&event, payload, sizeof event);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    standin_lock();
    if (event->stream == stream) {
        event->seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    }
    standin_unlock();
    return CUDA_SUCCESS;
}

static CUresult record(CUevent event, CUstream handle, CUcontext context)
{
    CUstream stream;
    CUresult result = standin_stream_find(handle, context, &stream);
    if (result == CUDA_SUCCESS && event->context != context) {
        result = CUDA_ERROR_INVALID_HANDLE;
    }
    event->place.capture = 0;
    if (result == CUDA_SUCCESS && stream->capture != NULL) {
        event->place = (struct standin_capture_place){stream->capture->id, stream,
                                                      stream->captured};
        return stream->capture->spoilt ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    }
    if (result == CUDA_SUCCESS) {
        result = standin_stream_add(stream, run_record, &event, sizeof event);
    }
    if (result == CUDA_SUCCESS) {
        event->stream = stream;
        event->number = stream->queued;
    }
    return result;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    CUcontext context;
    CUresult result = begin_with_event(__func__, event, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(record(event, stream, context));
    }
    return result;
}

CUresult cuEventQuery(CUevent event)
{
    CUcontext context;
    CUresult result = begin_with_question(__func__, event, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(is_done(event) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
    }
    return result;
}

CUresult cuEventSynchronize(CUevent event)
{
    CUcontext context;
    CUresult result = begin_with_question(__func__, event, &context);
    if (result == CUDA_SUCCESS) {
        if (event->stream != NULL) {
            result = standin_stream_wait(event->stream, event->number);
        }
        (void)standin_end(result);
    }
    return result;
}

static CUresult elapsed(float *milliseconds, CUevent from, CUevent to)
{
    if (!standin_object_is(&standin_events, to) ||
        ((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING) != 0 || from->stream == NULL ||
        to->stream == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (!is_done(from) || !is_done(to)) {
        return CUDA_ERROR_NOT_READY;
    }
    *milliseconds = (float)(1e3 * (to->seconds - from->seconds));
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
    CUcontext context;
    CUresult result = milliseconds == NULL ? CUDA_ERROR_INVALID_VALUE
                                           : begin_with_event(__func__, from, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(elapsed(milliseconds, from, to));
    }
    return result;
}

/*
 * The event may be of another context; what it stands for is fixed now, whatever it records later.
 */
CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags)
{
    CUcontext context;
    CUresult result = begin_with_event(__func__, event, &context);
    if (result == CUDA_SUCCESS) {
        CUstream stream;
        result = standin_stream_find(handle, context, &stream);
        if (result == CUDA_SUCCESS && flags != CU_EVENT_WAIT_DEFAULT) {
            result = CUDA_ERROR_INVALID_VALUE;
        }
        if (result == CUDA_SUCCESS && (stream->capture != NULL || event->place.capture != 0)) {
            result = standin_capture_join(stream, &event->place);
        } else if (result == CUDA_SUCCESS && event->stream != NULL) {
            result = standin_stream_add_wait(stream, event->stream, event->number);
        }
        (void)standin_end(result);
    }
    return result;
}
