/*
 * queue.c - see queue.h.
 *
 * A launch by an executable graph takes less than one by itself, so a queue has one, which is free
 * again as soon as it is launched: what is set later does not touch earlier launches (the driver's
 * manual); the stream orders these.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/launch/host_memory.h"
#include "kernels/cuda/launch/queue.h"
#include "kernels/cuda/launch/stream_functions.h"
#include "kernels/cuda/stream/streams.h"
#include "kernels/cuda/stream/queue.h"

enum { RECENT = 32 }; /* calls that are remembered */

struct symm_stream_queue {
    int device, rank, ranks;
    uint32_t generation; /* of the context in which the rest was made */
    struct symm_queue queue;
    void *lanes[SYMM_STREAM_RANKS];
    struct symm_stream_words *words;
    CUdeviceptr device_words;
    struct symm_stream_holders holders; /* graphs of the program that have kernels of it */
    pthread_mutex_t mutex;              /* of what follows */
    struct recent {
        bool is_known;
        uint32_t signature;
        struct symm_stream_call call;
    } recent[RECENT]; /* for what is told of a failure */
    unsigned next;
};

/* ---- words ----------------------------------------------------------------------------------- */

/*
 * They are registered once and never given back: giving back would wait for all kernels of the
 * context, which may wait for a peer.
 */
static struct {
    pthread_mutex_t mutex;
    struct symm_stream_words *all; /* [SYMM_STREAM_QUEUES_MAX] */
    bool taken[SYMM_STREAM_QUEUES_MAX];
    uint32_t generations[SYMM_CUDA_DEVICES_MAX]; /* in which a device has come to know them */
    CUdeviceptr seen[SYMM_CUDA_DEVICES_MAX];
} table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static const size_t words_size = SYMM_STREAM_QUEUES_MAX * sizeof(struct symm_stream_words);

/* Another device's context has registered them, perhaps; then this one knows them as well. */
static enum symm_status words_register(const struct symm_cuda_scope *scope, int device)
{
    const struct symm_cuda *cuda = scope->cuda;
    if (table.generations[device] == scope->generation) {
        return SYMM_OK;
    }
    CUresult result = cuda->cuMemHostRegister(table.all, words_size,
                                              CU_MEMHOSTREGISTER_PORTABLE |
                                                  CU_MEMHOSTREGISTER_DEVICEMAP);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) {
        return symm_cuda_failed("cuMemHostRegister", result);
    }
    result = cuda->cuMemHostGetDevicePointer(&table.seen[device], table.all, 0);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemHostGetDevicePointer", result);
    }
    table.generations[device] = scope->generation;
    return SYMM_OK;
}

static enum symm_status words_take_locked(const struct symm_cuda_scope *scope,
                                          struct symm_stream_queue *queue)
{
    int number = 0;
    while (number < SYMM_STREAM_QUEUES_MAX && table.taken[number]) {
        number++;
    }
    if (table.all == NULL) {
        table.all = symm_host_pages_map(words_size);
    }
    if (number == SYMM_STREAM_QUEUES_MAX || table.all == NULL) {
        (void)symm_cuda_unusable(table.all == NULL ? "no memory to share with kernels"
                                                   : "this process has %d lanes already, which is "
                                                     "the most", SYMM_STREAM_QUEUES_MAX);
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = words_register(scope, queue->device);
    if (status == SYMM_OK) {
        table.taken[number] = true;
        queue->words = &table.all[number];
        queue->device_words =
            table.seen[queue->device] + (size_t)number * sizeof(struct symm_stream_words);
        *queue->words = (struct symm_stream_words){.abort = 0};
    }
    return status;
}

static enum symm_status words_take(const struct symm_cuda_scope *scope,
                                   struct symm_stream_queue *queue)
{
    (void)pthread_mutex_lock(&table.mutex);
    enum symm_status status = words_take_locked(scope, queue);
    (void)pthread_mutex_unlock(&table.mutex);
    return status;
}

static void words_give(const struct symm_stream_words *words)
{
    (void)pthread_mutex_lock(&table.mutex);
    table.taken[words - table.all] = false;
    (void)pthread_mutex_unlock(&table.mutex);
}

void symm_stream_queue_abort(struct symm_stream_queue *queue, uint32_t why)
{
    (void)__atomic_fetch_or(&queue->words->abort, why, __ATOMIC_RELEASE);
}

/* ---- life ------------------------------------------------------------------------------------ */

/*
 * Whether kernels can be launched early there, and become such nodes of a graph.  For older devices
 * they are compiled without the instructions.
 */
static unsigned early_blocks(const struct symm_cuda_scope *scope)
{
    enum { CAPABILITY_LEAST = 9, DRIVER_LEAST = 12030 };
    int capability = 0, version = 0;
    return scope->cuda->cuLaunchKernelEx != NULL &&
                   scope->cuda->cuDriverGetVersion(&version) == CUDA_SUCCESS &&
                   version >= DRIVER_LEAST &&
                   scope->cuda->cuDeviceGetAttribute(
                       &capability, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                       scope->device) == CUDA_SUCCESS &&
                   capability >= CAPABILITY_LEAST
               ? SYMM_STREAM_EARLY_BLOCKS : 0;
}

enum symm_status symm_stream_queue_create(int device, int rank, int ranks, void *const *lanes,
                                          struct symm_stream_queue **created)
{
    struct symm_cuda_scope scope;
    struct symm_stream_queue *queue = calloc(1, sizeof(*queue));
    if (queue == NULL) {
        symm_cuda_forget_failure();
        return SYMM_ERR_NO_MEMORY;
    }
    *queue = (struct symm_stream_queue){.device = device, .rank = rank, .ranks = ranks};
    memcpy(queue->lanes, lanes, (size_t)ranks * sizeof(*lanes));
    enum symm_status status = symm_cuda_enter(device, &scope);
    if (status == SYMM_OK) {
        queue->queue.cuda = scope.cuda;
        queue->queue.early_blocks = early_blocks(&scope);
        queue->generation = scope.generation;
        status = symm_stream_functions_get(&scope, device, &queue->queue.functions);
        if (status == SYMM_OK) {
            status = words_take(&scope, queue);
        }
        if (status == SYMM_OK) {
            symm_queue_make_graphs(&queue->queue, 1, scope.generation, SYMM_STREAM_FUNCTION_COPY,
                                   NULL);
        }
        symm_cuda_leave(&scope);
    }
    if (status != SYMM_OK) {
        free(queue);
        return status;
    }
    (void)pthread_mutex_init(&queue->mutex, NULL);
    *created = queue;
    return SYMM_OK;
}

void symm_stream_queue_destroy(struct symm_stream_queue *queue)
{
    struct symm_cuda_scope scope;
    if (queue->queue.graphs[0].exec != NULL &&
        symm_cuda_enter_to_release(queue->device, &scope) == SYMM_OK) {
        if (scope.generation == queue->generation) {
            symm_queue_destroy_graphs(&queue->queue);
        }
        symm_cuda_leave(&scope);
    }
    words_give(queue->words);
    (void)pthread_mutex_destroy(&queue->mutex);
    free(queue);
}

bool symm_stream_queue_is_held(const struct symm_stream_queue *queue)
{
    return symm_stream_are_held(&queue->holders);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static enum symm_status kernel_queue(struct symm_stream_queue *queue,
                                     const struct symm_kernel *kernel, CUstream stream)
{
    struct symm_stream_capture capture;
    uint32_t graph = 0;
    enum symm_status status = symm_stream_capture_get(queue->queue.cuda, stream, &capture);
    if (status != SYMM_OK) {
        return status;
    }
    if (capture.graph != NULL) {
        symm_stream_holders_add(queue->queue.cuda, &queue->holders, &capture);
    }
    status = symm_queue_launch(&queue->queue, kernel, stream, queue->generation,
                               capture.graph == NULL ? &graph : NULL);
    symm_queue_give(&queue->queue, queue->generation, graph);
    return status;
}

/* Calls that follow each other are mostly alike. */
static void remember(struct symm_stream_queue *queue, uint32_t signature,
                     const struct symm_stream_call *call)
{
    (void)pthread_mutex_lock(&queue->mutex);
    const struct recent *last = &queue->recent[(queue->next + RECENT - 1) % RECENT];
    if (!last->is_known || last->signature != signature) {
        queue->recent[queue->next] = (struct recent){true, signature, *call};
        queue->next = (queue->next + 1) % RECENT;
    }
    (void)pthread_mutex_unlock(&queue->mutex);
}

enum symm_status symm_stream_queue_add(struct symm_stream_queue *queue,
                                       const struct symm_stream_call *call,
                                       const struct symm_stream_limits *limits, void *stream)
{
    struct symm_kernel kernel;
    struct symm_cuda_stream *arguments = &kernel.arguments.stream;
    struct symm_cuda_scope scope;
    symm_kernel_stream(&kernel, call, queue->rank, queue->ranks, limits);
    if (kernel.function == SYMM_FUNCTION_NONE) {
        return SYMM_ERR_ARGUMENT;
    }
    if (kernel.blocks == 0) {
        return SYMM_OK;
    }
    for (int rank = 0; rank < queue->ranks; rank++) {
        arguments->lanes[rank] = queue->lanes[rank];
    }
    arguments->own = queue->lanes[queue->rank];
    arguments->words = (struct symm_stream_words *)(uintptr_t)queue->device_words;
    remember(queue, arguments->call, call);
    enum symm_status status = symm_cuda_enter(queue->device, &scope);
    if (status == SYMM_OK) {
        status = scope.generation == queue->generation
                     ? kernel_queue(queue, &kernel, stream)
                     : symm_cuda_unusable("the device has been reset since the lane was made");
        symm_cuda_leave(&scope);
    }
    return status;
}

/* ---- what kernels have found ----------------------------------------------------------------- */

struct symm_stream_fault symm_stream_queue_fault(const struct symm_stream_queue *queue)
{
    const struct symm_stream_words *words = queue->words;
    struct symm_stream_fault fault = {.why = __atomic_load_n(&words->fault, __ATOMIC_ACQUIRE)};
    if (fault.why != SYMM_STREAM_SOUND) {
        fault.call = words->found_by;
        fault.teller = (int)(words->told & 0xff) - 1;
        fault.told = words->told >> 8;
    } else {
        fault.why = __atomic_load_n(&words->abort, __ATOMIC_ACQUIRE);
        fault.teller = -1;
    }
    return fault;
}

bool symm_stream_queue_waits(struct symm_stream_queue *queue, struct symm_stream_wait *wait)
{
    struct symm_stream_words *words = queue->words;
    const uint32_t late = __atomic_exchange_n(&words->late, 0, __ATOMIC_ACQ_REL);
    *wait = (struct symm_stream_wait){
        .rank = (int)late - 1,
        .call = __atomic_load_n(&words->waits, __ATOMIC_RELAXED),
        .begun = __atomic_load_n(&words->begun, __ATOMIC_RELAXED),
    };
    return late != 0;
}

bool symm_stream_queue_recall(struct symm_stream_queue *queue, uint64_t number,
                              struct symm_stream_call *call)
{
    const uint32_t signature = number & ((UINT32_C(1) << SYMM_STREAM_CALL_BITS) - 1);
    bool is_found = false;
    (void)pthread_mutex_lock(&queue->mutex);
    for (unsigned i = 0; i < RECENT && !is_found; i++) {
        is_found = queue->recent[i].is_known && queue->recent[i].signature == signature;
        *call = queue->recent[i].call;
    }
    (void)pthread_mutex_unlock(&queue->mutex);
    return is_found;
}
