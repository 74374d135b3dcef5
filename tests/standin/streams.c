/*
 * streams.c - streams: ordered queues of work, each with a thread that does it.
 *
 * Before each piece of work the thread may sleep for a random time, so that what is only ordered by
 * luck goes wrong sooner or later.  SYMM_STANDIN_DELAY is the longest such time in microseconds
 * (default 50, 0: none), SYMM_STANDIN_SEED chooses the sequence (default 1).  What has been given
 * after symm_standin_watch(0) is done without delay.
 *
 * Stream 0 of a context and its streams that were not made with CU_STREAM_NON_BLOCKING wait for
 * each other, as with the real driver.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/graphs.h"
#include "tests/standin/kernels.h"

#include <signal.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

struct standin_work {
    struct standin_work *next;
    uint64_t number;
    standin_run *run;
    bool watched;
    alignas(max_align_t) unsigned char payload[];
};

struct standin_objects standin_streams;

/* ---- random delays --------------------------------------------------------------------------- */

uint32_t standin_stream_random(CUstream stream, uint32_t below)
{
    stream->random ^= stream->random << 13;
    stream->random ^= stream->random >> 7;
    stream->random ^= stream->random << 17;
    return below == 0 ? 0 : (uint32_t)(stream->random >> 32) % below;
}

void standin_stream_dawdle(CUstream stream)
{
    static _Thread_local long long longest = -1;
    if (longest < 0) {
        longest = standin_setting("SYMM_STANDIN_DELAY", 50);
    }
    if (longest > 0 && standin_fault_is_watched() && standin_stream_random(stream, 2) == 0) {
        uint32_t microseconds = standin_stream_random(stream, (uint32_t)longest + 1);
        struct timespec time = {.tv_sec = microseconds / 1000000,
                                .tv_nsec = (long)(microseconds % 1000000) * 1000};
        (void)nanosleep(&time, NULL);
    }
}

static uint64_t first_random(void)
{
    static uint64_t streams;
    uint64_t seed = (uint64_t)standin_setting("SYMM_STANDIN_SEED", 1);
    uint64_t mixed = (seed * 1000003 + (uint64_t)(standin_rank() + 1)) * 8191 + ++streams;
    mixed *= 0x9e3779b97f4a7c15;
    return mixed == 0 ? 1 : mixed;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *serve(void *argument)
{
    CUstream stream = argument;
    (void)prctl(PR_SET_TIMERSLACK, 1UL); /* short times, and not 50 us more */
    standin_lock();
    while (stream->first != NULL || stream->object.alive) {
        struct standin_work *work = stream->first;
        if (work == NULL) {
            standin_wait_for(&stream->given);
            continue;
        }
        bool skip = stream->context->broken != CUDA_SUCCESS;
        standin_unlock();
        CUresult result = CUDA_SUCCESS;
        if (!skip) {
            symm_standin_watch(work->watched);
            standin_stream_dawdle(stream);
            result = work->run(work->payload, stream);
        }
        standin_lock();
        if (result != CUDA_SUCCESS && stream->context->broken == CUDA_SUCCESS) {
            stream->context->broken = result;
        }
        stream->first = work->next;
        stream->last = work->next == NULL ? NULL : stream->last;
        stream->finished = work->number;
        free(work);
        standin_announce_change();
    }
    standin_unlock();
    return NULL;
}

/* The application's signals are none of this thread's business. */
static CUresult start_thread(CUstream stream)
{
    sigset_t all;
    sigset_t old;
    pthread_t thread;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGSEGV);
    (void)sigdelset(&all, SIGBUS);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&thread, NULL, serve, stream);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error != 0) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    (void)pthread_detach(thread);
    stream->has_thread = true;
    return CUDA_SUCCESS;
}

/* ---- queueing -------------------------------------------------------------------------------- */

static CUresult append(CUstream stream, standin_run *run, const void *payload, size_t size)
{
    struct standin_work *work = malloc(sizeof *work + size);
    if (work == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = stream->has_thread ? CUDA_SUCCESS : start_thread(stream);
    if (result != CUDA_SUCCESS) {
        free(work);
        return result;
    }
    work->next = NULL;
    work->run = run;
    work->watched = standin_fault_is_watched();
    work->number = ++stream->queued;
    if (size > 0) {
        memcpy(work->payload, payload, size);
    }
    if (stream->last == NULL) {
        stream->first = work;
    } else {
        stream->last->next = work;
    }
    stream->last = work;
    (void)pthread_cond_signal(&stream->given);
    return CUDA_SUCCESS;
}

struct wait {
    CUstream stream;
    uint64_t number;
};

/* Ends early if the own context breaks, so that it can be drained. */
static CUresult run_wait(void *payload, CUstream stream)
{
    const struct wait *wait = payload;
    standin_lock();
    while (wait->stream->finished < wait->number && stream->context->broken == CUDA_SUCCESS) {
        standin_wait_change();
    }
    standin_unlock();
    return CUDA_SUCCESS;
}

CUresult standin_stream_add_wait(CUstream stream, CUstream other, uint64_t number)
{
    struct wait wait = {.stream = other, .number = number};
    return other == stream || other->finished >= number
               ? CUDA_SUCCESS
               : append(stream, run_wait, &wait, sizeof wait);
}

static bool waits_for(CUstream stream, CUstream other)
{
    return stream != other && stream->context == other->context &&
           ((stream->flags | other->flags) & CU_STREAM_NON_BLOCKING) == 0 &&
           (stream == stream->context->legacy || other == other->context->legacy);
}

CUresult standin_stream_add(CUstream stream, standin_run *run, const void *payload, size_t size)
{
    CUresult result = CUDA_SUCCESS;
    if (stream->capture != NULL) {
        return standin_capture_add(stream, NULL, run, payload, size);
    }
    for (struct standin_object *object = standin_streams.first;
         object != NULL && result == CUDA_SUCCESS; object = object->next) {
        CUstream other = (CUstream)object;
        if (waits_for(stream, other)) {
            result = standin_stream_add_wait(stream, other, other->queued);
        }
    }
    return result == CUDA_SUCCESS ? append(stream, run, payload, size) : result;
}

CUresult standin_stream_give(CUstream stream, standin_give *give, const void *payload, size_t size)
{
    return stream->capture != NULL ? standin_capture_add(stream, give, NULL, payload, size)
                                   : give(payload, stream);
}

CUresult standin_stream_wait(CUstream stream, uint64_t number)
{
    while (stream->finished < number) {
        standin_wait_change();
    }
    return stream->context->broken;
}

void standin_streams_drain(CUcontext context)
{
    for (struct standin_object *object = standin_streams.first; object; object = object->next) {
        CUstream stream = (CUstream)object;
        if (context == NULL || stream->context == context) {
            (void)standin_stream_wait(stream, stream->queued);
        }
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

CUstream standin_stream_create(CUcontext context, unsigned flags)
{
    static unsigned long long streams;
    CUstream stream = calloc(1, sizeof *stream);
    if (stream != NULL) {
        stream->id = ++streams;
        stream->context = context;
        stream->flags = flags;
        stream->random = first_random();
        (void)pthread_cond_init(&stream->given, NULL);
        standin_object_add(&standin_streams, &stream->object);
    }
    return stream;
}

/* What is queued is still done; the thread ends behind it. */
void standin_stream_destroy(CUstream stream)
{
    standin_capture_leave(stream);
    standin_object_bury(&standin_streams, &stream->object);
    (void)pthread_cond_signal(&stream->given);
}

void standin_streams_destroy(CUcontext context)
{
    struct standin_object *next;
    for (struct standin_object *object = standin_streams.first; object; object = next) {
        next = object->next;
        if (((CUstream)object)->context == context) {
            standin_stream_destroy((CUstream)object);
        }
    }
}

CUresult standin_stream_find(CUstream handle, CUcontext context, CUstream *stream)
{
    if ((handle == NULL || handle == CU_STREAM_LEGACY) &&
        standin_capture_of_blocking(context) != NULL) {
        standin_capture_spoil(context);
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (handle == NULL || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
        *stream = context->legacy;
        return CUDA_SUCCESS;
    }
    *stream = handle;
    return standin_object_is(&standin_streams, handle) && handle->context == context
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- the driver's functions ------------------------------------------------------------------ */

/* The start that functions about one stream have in common. */
static CUresult begin_with_stream(const char *function, CUstream handle, CUstream *stream)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(function, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_stream_find(handle, context, stream);
        if (result != CUDA_SUCCESS) {
            (void)standin_end(result);
        }
    }
    return result;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        if (stream == NULL || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING) != 0) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            *stream = standin_stream_create(context, flags);
            result = *stream == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
        }
        (void)standin_end(result);
    }
    return result;
}

CUresult cuStreamDestroy(CUstream handle)
{
    CUstream stream;
    CUresult result = begin_with_stream(__func__, handle, &stream);
    if (result == CUDA_SUCCESS) {
        if (stream == stream->context->legacy) {
            result = CUDA_ERROR_INVALID_HANDLE;
        } else {
            standin_stream_destroy(stream);
        }
        (void)standin_end(result);
    }
    return result;
}

/* As the runtime asks, since handles are used again. */
CUresult cuStreamGetId(CUstream handle, unsigned long long *id)
{
    CUstream stream;
    CUresult result = id == NULL ? CUDA_ERROR_INVALID_VALUE
                                 : begin_with_stream(__func__, handle, &stream);
    if (result == CUDA_SUCCESS) {
        *id = stream->id;
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

/* The same for those that ask how far a stream is: one that is captured must not be asked. */
static CUresult begin_with_question(const char *function, CUstream handle, CUstream *stream)
{
    CUresult result = begin_with_stream(function, handle, stream);
    if (result == CUDA_SUCCESS && (*stream)->capture != NULL) {
        (*stream)->capture->spoilt = true;
        result = standin_end(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return result;
}

static CUresult run_nothing(void *payload, CUstream stream)
{
    (void)payload;
    (void)stream;
    return CUDA_SUCCESS;
}

static bool is_busy(CUstream stream)
{
    return stream->finished != stream->queued;
}

/* Whether another stream has work that stream 0 would wait for. */
static bool is_behind_others(CUstream stream)
{
    for (struct standin_object *object = standin_streams.first; object; object = object->next) {
        if (waits_for(stream, (CUstream)object) && stream == stream->context->legacy &&
            is_busy((CUstream)object)) {
            return true;
        }
    }
    return false;
}

/* Of stream 0: until what all blocking streams of the context have now is done. */
CUresult cuStreamSynchronize(CUstream handle)
{
    CUstream stream;
    CUresult result = begin_with_question(__func__, handle, &stream);
    if (result == CUDA_SUCCESS && is_behind_others(stream)) {
        result = standin_stream_add(stream, run_nothing, NULL, 0);
        if (result != CUDA_SUCCESS) {
            return standin_end(result);
        }
    }
    if (result == CUDA_SUCCESS) {
        result = standin_end(standin_stream_wait(stream, stream->queued));
    }
    return result;
}

CUresult cuStreamQuery(CUstream handle)
{
    CUstream stream;
    CUresult result = begin_with_question(__func__, handle, &stream);
    if (result == CUDA_SUCCESS) {
        result = standin_end(is_busy(stream) || is_behind_others(stream) ? CUDA_ERROR_NOT_READY
                                                                         : CUDA_SUCCESS);
    }
    return result;
}
