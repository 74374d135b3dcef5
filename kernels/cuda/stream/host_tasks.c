/*
 * host_tasks.c - see host_tasks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/stream/host_tasks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "heap/prefetch.h"
#include "kernels/cuda/stream/pinned.h"
#include "kernels/cuda/stream/streams.h"

/*
 * In a block of pinned memory.  A stream waits until nobody has a turn, takes it, tells of its
 * task, waits until the host has done it, and ends its turn.
 */
enum { FREE, TAKEN, DONE };
struct words {
    _Alignas(SYMM_CACHE_LINE) _Atomic uint64_t task; /* `what`; 0: none */
    _Alignas(SYMM_CACHE_LINE) _Atomic uint32_t turn;
};

struct symm_host_tasks {
    int device;
    uint32_t generation; /* of the context in which it was made */
    struct words *words;
    struct symm_pinned *block; /* which has the words */
    struct symm_stream_holders holders;
    pthread_mutex_t mutex; /* of what follows, and of what a task consists of in a stream */
    struct symm_pinned *memory[SYMM_TASK_MEMORIES]; /* the newest first */
    bool is_broken;
    CUstream last; /* that was given a task */
    bool has_last;
};

/* ---- life ------------------------------------------------------------------------------------ */

static const size_t least_memory = 64 << 10;

static enum symm_status words_take(const struct symm_cuda_scope *scope,
                                   struct symm_host_tasks *tasks)
{
    const struct symm_cuda *cuda = scope->cuda;
    if (cuda->cuStreamWriteValue32 == NULL || cuda->cuStreamWriteValue64 == NULL ||
        cuda->cuStreamWaitValue32 == NULL) {
        return symm_cuda_unusable("the driver is older than CUDA 11.7");
    }
    enum symm_status status =
        symm_pinned_take(scope, tasks->device, sizeof(struct words), &tasks->block);
    if (status == SYMM_OK) {
        tasks->block->next = NULL;
        tasks->words = tasks->block->memory;
        atomic_init(&tasks->words->task, 0);
        atomic_init(&tasks->words->turn, FREE);
    }
    return status;
}

enum symm_status symm_host_tasks_create(void *stream, struct symm_host_tasks **created)
{
    struct symm_cuda_scope scope;
    struct symm_host_tasks *tasks = calloc(1, sizeof(*tasks));
    *created = NULL;
    symm_cuda_forget_failure();
    if (tasks == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = symm_stream_device(stream, &tasks->device);
    if (status == SYMM_OK) {
        status = symm_cuda_enter(tasks->device, &scope);
    }
    if (status == SYMM_OK) {
        tasks->generation = scope.generation;
        status = words_take(&scope, tasks);
        symm_cuda_leave(&scope);
    }
    if (status != SYMM_OK) {
        free(tasks);
        return status;
    }
    (void)pthread_mutex_init(&tasks->mutex, NULL);
    *created = tasks;
    return SYMM_OK;
}

void symm_host_tasks_destroy(struct symm_host_tasks *tasks)
{
    symm_pinned_give(tasks->block);
    for (int purpose = 0; purpose < SYMM_TASK_MEMORIES; purpose++) {
        symm_pinned_give(tasks->memory[purpose]);
    }
    (void)pthread_mutex_destroy(&tasks->mutex);
    free(tasks);
}

bool symm_host_tasks_reach(const struct symm_host_tasks *tasks, const void *address)
{
    return symm_stream_reaches(tasks->device, address);
}

enum symm_status symm_host_tasks_order(const struct symm_host_tasks *tasks, void *first,
                                       void *then)
{
    struct symm_cuda_scope scope;
    enum symm_status status = symm_stream_is_on(then, tasks->device);
    if (status == SYMM_OK && first != then) {
        status = symm_cuda_enter(tasks->device, &scope);
        if (status == SYMM_OK) {
            status = symm_stream_order(scope.cuda, first, then);
            symm_cuda_leave(&scope);
        }
    }
    return status;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Each block is at least twice as long as the one before, so all together are little more. */
static enum symm_status memory_take(struct symm_host_tasks *tasks, struct symm_pinned **list,
                                    size_t size)
{
    struct symm_cuda_scope scope;
    struct symm_pinned *block;
    const size_t before = *list != NULL ? (*list)->size : least_memory / 2;
    if (*list != NULL && (*list)->size >= size) {
        return SYMM_OK;
    }
    enum symm_status status = symm_cuda_enter(tasks->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_pinned_take(&scope, tasks->device, size > 2 * before ? size : 2 * before,
                              &block);
    symm_cuda_leave(&scope);
    if (status == SYMM_OK) {
        block->next = *list;
        *list = block;
    }
    return status;
}

enum symm_status symm_host_tasks_memory(struct symm_host_tasks *tasks,
                                        enum symm_task_memory purpose, size_t size, void **memory)
{
    (void)pthread_mutex_lock(&tasks->mutex);
    enum symm_status status = memory_take(tasks, &tasks->memory[purpose], size);
    *memory = status == SYMM_OK ? tasks->memory[purpose]->memory : NULL;
    (void)pthread_mutex_unlock(&tasks->mutex);
    return status;
}

/* ---- in the stream --------------------------------------------------------------------------- */

/* What fails first is remembered, and nothing is queued behind it. */
struct adding {
    const struct symm_cuda *cuda;
    CUstream stream;
    const char *call;
    CUresult result;
};

static void copy(struct adding *adding, void *to, const void *from, size_t bytes)
{
    if (adding->result == CUDA_SUCCESS && bytes > 0) {
        adding->call = "cuMemcpyAsync";
        adding->result = adding->cuda->cuMemcpyAsync((CUdeviceptr)(uintptr_t)to,
                                                     (CUdeviceptr)(uintptr_t)from, bytes,
                                                     adding->stream);
    }
}

static void await(struct adding *adding, struct words *words, uint32_t turn)
{
    if (adding->result == CUDA_SUCCESS) {
        adding->call = "cuStreamWaitValue32";
        adding->result = adding->cuda->cuStreamWaitValue32(
            adding->stream, (CUdeviceptr)(uintptr_t)&words->turn, turn, CU_STREAM_WAIT_VALUE_EQ);
    }
}

static void set(struct adding *adding, struct words *words, uint32_t turn)
{
    if (adding->result == CUDA_SUCCESS) {
        adding->call = "cuStreamWriteValue32";
        adding->result = adding->cuda->cuStreamWriteValue32(
            adding->stream, (CUdeviceptr)(uintptr_t)&words->turn, turn,
            CU_STREAM_WRITE_VALUE_DEFAULT);
    }
}

/* The host reads what the copies before have written: a write is a fence for them. */
static void tell(struct adding *adding, struct words *words, void *what)
{
    if (adding->result == CUDA_SUCCESS) {
        adding->call = "cuStreamWriteValue64";
        adding->result = adding->cuda->cuStreamWriteValue64(
            adding->stream, (CUdeviceptr)(uintptr_t)&words->task, (uintptr_t)what,
            CU_STREAM_WRITE_VALUE_DEFAULT);
    }
}

static enum symm_status task_queue(struct symm_host_tasks *tasks, struct adding *adding,
                                   const struct symm_host_task *task, enum symm_task_fate *fate)
{
    const enum symm_task_fate told = *fate;
    *fate = SYMM_TASK_REFUSED;
    await(adding, tasks->words, FREE);
    const bool has_begun = adding->result == CUDA_SUCCESS;
    set(adding, tasks->words, TAKEN);
    for (int i = 0; i < 2; i++) {
        copy(adding, task->fetch[i].host, task->fetch[i].of, task->fetch[i].bytes);
    }
    tell(adding, tasks->words, task->what);
    *fate = adding->result == CUDA_SUCCESS ? told : SYMM_TASK_REFUSED;
    await(adding, tasks->words, DONE);
    copy(adding, task->bring.of, task->bring.host, task->bring.bytes);
    set(adding, tasks->words, FREE);
    if (adding->result == CUDA_SUCCESS) {
        return SYMM_OK;
    }
    tasks->is_broken = has_begun;
    return symm_cuda_failed(adding->call, adding->result);
}

static enum symm_status add_locked(struct symm_host_tasks *tasks, const struct symm_cuda *cuda,
                                   const struct symm_host_task *task, CUstream stream,
                                   enum symm_task_fate *fate)
{
    struct symm_stream_capture capture;
    struct adding adding = {.cuda = cuda, .stream = stream, .result = CUDA_SUCCESS};
    if (tasks->is_broken) {
        return symm_cuda_unusable("an earlier call has been queued in part only");
    }
    enum symm_status status = symm_stream_capture_get(cuda, stream, &capture);
    if (status != SYMM_OK) {
        return status;
    }
    *fate = capture.graph != NULL ? SYMM_TASK_CAPTURED : SYMM_TASK_QUEUED;
    tasks->last = stream;
    tasks->has_last = true;
    if (capture.graph != NULL) {
        symm_stream_holders_add(cuda, &tasks->holders, &capture);
    }
    return task_queue(tasks, &adding, task, fate);
}

enum symm_status symm_host_tasks_add(struct symm_host_tasks *tasks,
                                     const struct symm_host_task *task, void *stream,
                                     enum symm_task_fate *fate)
{
    struct symm_cuda_scope scope;
    enum symm_status status = symm_cuda_enter(tasks->device, &scope);
    *fate = SYMM_TASK_REFUSED;
    if (status != SYMM_OK) {
        return status;
    }
    (void)pthread_mutex_lock(&tasks->mutex);
    status = scope.generation == tasks->generation
                 ? add_locked(tasks, scope.cuda, task, stream, fate)
                 : symm_cuda_unusable("the device has been reset since the communicator was made");
    (void)pthread_mutex_unlock(&tasks->mutex);
    symm_cuda_leave(&scope);
    return status;
}

bool symm_host_tasks_are_held(const struct symm_host_tasks *tasks)
{
    return symm_stream_are_held(&tasks->holders);
}

bool symm_host_tasks_are_busy(struct symm_host_tasks *tasks)
{
    struct symm_cuda_scope scope;
    struct symm_stream_capture capture;
    bool is_busy = false;
    (void)pthread_mutex_lock(&tasks->mutex);
    if (tasks->has_last && symm_cuda_enter_to_release(tasks->device, &scope) == SYMM_OK) {
        is_busy = scope.generation == tasks->generation &&
                  symm_stream_capture_get(scope.cuda, tasks->last, &capture) == SYMM_OK &&
                  capture.graph == NULL &&
                  scope.cuda->cuStreamQuery(tasks->last) == CUDA_ERROR_NOT_READY;
        symm_cuda_leave(&scope);
    }
    (void)pthread_mutex_unlock(&tasks->mutex);
    return is_busy;
}

/* ---- on the host ----------------------------------------------------------------------------- */

void *symm_host_tasks_next(struct symm_host_tasks *tasks)
{
    const uint64_t task = atomic_load_explicit(&tasks->words->task, memory_order_acquire);
    if (task != 0) {
        atomic_store_explicit(&tasks->words->task, 0, memory_order_relaxed);
    }
    return (void *)(uintptr_t)task;
}

void symm_host_tasks_done(struct symm_host_tasks *tasks)
{
    uint32_t taken = TAKEN;
    (void)atomic_compare_exchange_strong_explicit(&tasks->words->turn, &taken, DONE,
                                                  memory_order_release, memory_order_relaxed);
}
