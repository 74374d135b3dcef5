/*
 * members.c - the members of stream lanes that a process has, and their end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "heap/team/process.h"
#include "kernels/cuda/stream/member_state.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct symm_stream_member *members;

void symm_stream_members_add(struct symm_stream_member *member)
{
    (void)pthread_mutex_lock(&mutex);
    member->next = members;
    members = member;
    (void)pthread_mutex_unlock(&mutex);
    symm_server_wake(symm_process_server(member->setup.process)); /* it is to be watched */
}

void symm_stream_members_hold(void)
{
    (void)pthread_mutex_lock(&mutex);
}

bool symm_stream_members_try(struct symm_stream_member **first)
{
    if (pthread_mutex_trylock(&mutex) != 0) {
        return false;
    }
    *first = members;
    return true;
}

void symm_stream_members_done(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

static void forget(const struct symm_stream_member *member)
{
    struct symm_stream_member **link = &members;
    while (*link != member) {
        link = &(*link)->next;
    }
    *link = member->next;
}

/* No kernel of it is at work, or will be. */
static void disconnect(struct symm_stream_member *member)
{
    for (int rank = 0; rank < SYMM_STREAM_RANKS; rank++) {
        if (member->peers[rank] != NULL) {
            symm_alive_release(member->peers[rank]);
        }
        member->peers[rank] = NULL;
    }
    if (member->queue != NULL) {
        symm_stream_queue_destroy(member->queue);
    }
    member->queue = NULL;
}

void symm_stream_member_cancel(struct symm_stream_member *member)
{
    (void)pthread_mutex_lock(&mutex);
    struct symm_stream_member *known = members;
    while (known != NULL && known != member) {
        known = known->next;
    }
    if (known != NULL) {
        forget(member);
    }
    (void)pthread_mutex_unlock(&mutex);
    disconnect(member);
    if (member->setup.ranks > 1) {
        symm_stream_lane_leave(&member->lane);
    }
    free(member);
}

/* ---- the end of one -------------------------------------------------------------------------- */

/*
 * Put an event behind the last kernel, if one may be at work.  False: when it ends cannot be found
 * out; a stream that is captured can be asked nothing.
 */
static bool event_put(struct symm_stream_member *member, const struct symm_cuda *cuda)
{
    struct symm_stream_capture capture;
    CUstream stream = atomic_load_explicit(&member->stream, memory_order_relaxed);
    if (symm_stream_capture_get(cuda, stream, &capture) != SYMM_OK || capture.graph != NULL) {
        return false;
    }
    if (cuda->cuStreamQuery(stream) == CUDA_SUCCESS) {
        return true;
    }
    if (cuda->cuEventCreate(&member->ended, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
        member->ended = NULL;
    } else if (cuda->cuEventRecord(member->ended, stream) != CUDA_SUCCESS) {
        (void)cuda->cuEventDestroy(member->ended);
        member->ended = NULL;
    }
    return member->ended != NULL;
}

/* Copies of a single rank use nothing of it, and in a context that was reset nothing runs. */
static void end_begin(struct symm_stream_member *member)
{
    struct symm_cuda_scope scope;
    member->phase = SYMM_STREAM_ENDS;
    if (member->queue == NULL) {
        return;
    }
    if (symm_cuda_enter_to_release(member->device, &scope) != SYMM_OK) {
        member->phase = SYMM_STREAM_STAYS;
        return;
    }
    if (scope.generation == member->generation && !event_put(member, scope.cuda)) {
        member->phase = SYMM_STREAM_STAYS;
    }
    symm_cuda_leave(&scope);
}

/* An error that comes again is that of a broken context, in which nothing runs. */
static CUresult event_query(const struct symm_cuda *cuda, CUevent event)
{
    CUresult result = cuda->cuEventQuery(event);
    return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY ? result
                                                                    : cuda->cuEventQuery(event);
}

/* Whether its last kernel has ended, as far as the program's streams tell. */
static bool has_ended(struct symm_stream_member *member)
{
    struct symm_cuda_scope scope;
    bool is_done = true;
    if (member->ended == NULL) {
        return true;
    }
    if (symm_cuda_enter_to_release(member->device, &scope) != SYMM_OK) {
        return false;
    }
    if (scope.generation == member->generation) {
        is_done = event_query(scope.cuda, member->ended) != CUDA_ERROR_NOT_READY;
        if (is_done) {
            (void)scope.cuda->cuEventDestroy(member->ended);
        }
    }
    symm_cuda_leave(&scope);
    member->ended = is_done ? NULL : member->ended;
    return is_done;
}

/* Whether a member has kernels at work, as far as its stream tells; a captured one does not. */
static bool is_busy(struct symm_stream_member *member)
{
    struct symm_cuda_scope scope;
    struct symm_stream_capture capture;
    bool is_busy = member->ended != NULL;
    CUstream stream = atomic_load_explicit(&member->stream, memory_order_relaxed);
    if (member->phase == SYMM_STREAM_LIVES && member->queue != NULL &&
        symm_cuda_enter_to_release(member->device, &scope) == SYMM_OK) {
        is_busy = scope.generation == member->generation &&
                  (symm_stream_capture_get(scope.cuda, stream, &capture) != SYMM_OK ||
                   capture.graph != NULL ||
                   scope.cuda->cuStreamQuery(stream) == CUDA_ERROR_NOT_READY);
        symm_cuda_leave(&scope);
    }
    return is_busy;
}

/*
 * Unmapping memory may wait for all kernels of the process.  These may wait for other ranks, which
 * may wait for this one.
 */
static bool are_busy(void)
{
    struct symm_stream_member *member = members;
    while (member != NULL && !is_busy(member)) {
        member = member->next;
    }
    return member != NULL;
}

/* The watch may not have come by since its last kernel has ended. */
static void depart(struct symm_stream_member *member)
{
    if (member->queue != NULL) {
        symm_stream_member_look(member);
        disconnect(member);
        symm_stream_lane_depart(&member->lane);
    }
    member->phase = SYMM_STREAM_DEPARTED;
}

static void advance(struct symm_stream_member *member)
{
    const bool has_memory = member->setup.ranks > 1;
    if (member->phase == SYMM_STREAM_ENDS && has_ended(member) &&
        (member->queue == NULL || !symm_stream_queue_is_held(member->queue))) {
        depart(member);
    }
    if (member->phase == SYMM_STREAM_DEPARTED &&
        (!has_memory || (symm_stream_lane_is_left(&member->lane) && !are_busy()))) {
        if (has_memory) {
            symm_stream_lane_leave(&member->lane);
        }
        member->phase = SYMM_STREAM_GONE;
    }
}

/* Returns how many are ending and have kernels that have not ended. */
static int sweep_locked(void)
{
    int count = 0;
    for (struct symm_stream_member *member = members, *next; member != NULL; member = next) {
        next = member->next;
        advance(member);
        count += member->ended != NULL;
        if (member->phase == SYMM_STREAM_GONE && member->is_released) {
            forget(member);
            free(member);
        }
    }
    return count;
}

void symm_stream_members_sweep(void)
{
    (void)pthread_mutex_lock(&mutex);
    (void)sweep_locked();
    (void)pthread_mutex_unlock(&mutex);
}

void symm_stream_member_release(struct symm_stream_member *member)
{
    (void)pthread_mutex_lock(&mutex);
    member->is_released = true;
    if (member->phase == SYMM_STREAM_LIVES) { /* MPI may have ended first */
        end_begin(member);
    }
    (void)sweep_locked();
    (void)pthread_mutex_unlock(&mutex);
}

/* ---- the end of all -------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int sweep(void)
{
    (void)pthread_mutex_lock(&mutex);
    const int left = sweep_locked();
    (void)pthread_mutex_unlock(&mutex);
    return left;
}

/* Returns how many still wait.  Between two looks the watch has its turn. */
static int await(double seconds)
{
    const struct timespec moment = {.tv_nsec = 200000};
    const double until = now() + seconds;
    int left = sweep();
    while (left > 0 && now() < until) {
        (void)nanosleep(&moment, NULL);
        left = sweep();
    }
    return left;
}

static void all_end_locked(void)
{
    for (struct symm_stream_member *member = members; member != NULL; member = member->next) {
        if (member->phase == SYMM_STREAM_LIVES) {
            end_begin(member);
        }
    }
}

static void all_abort_locked(void)
{
    for (struct symm_stream_member *member = members; member != NULL; member = member->next) {
        if (member->queue != NULL) {
            symm_stream_queue_abort(member->queue, SYMM_STREAM_ABORTED);
        }
    }
}

/* Tells what has been found in those that have not departed.  Returns how many have not gone. */
static int all_look_locked(void)
{
    int remaining = 0;
    for (struct symm_stream_member *member = members; member != NULL; member = member->next) {
        if (member->queue != NULL) {
            symm_stream_member_look(member);
        }
        remaining += member->phase != SYMM_STREAM_GONE;
    }
    return remaining;
}

int symm_stream_members_end(double seconds, int *ended)
{
    const double moment = 1; /* for kernels to see that they are to end */
    (void)pthread_mutex_lock(&mutex);
    all_end_locked();
    (void)pthread_mutex_unlock(&mutex);
    *ended = await(seconds);
    (void)pthread_mutex_lock(&mutex);
    all_abort_locked();
    (void)pthread_mutex_unlock(&mutex);
    (void)await(*ended > 0 ? moment : 0);
    (void)pthread_mutex_lock(&mutex);
    const int remaining = all_look_locked();
    (void)pthread_mutex_unlock(&mutex);
    return remaining;
}
