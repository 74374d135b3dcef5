/*
 * host_tasks.c - tasks for the host, as calls queue them: which memory is copied, and where to.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>

#include "heap/gpu/cuda_device.h"
#include "mpix/host.h"

/* ---- arrays ---------------------------------------------------------------------------------- */

/* The bytes from the first to the last one of so many elements. */
struct span {
    MPI_Aint begin; /* from the array's address */
    size_t bytes;   /* 0: there are no data */
    bool has_gaps;
};

static bool is_there(const struct symm_mpix_array *array)
{
    return array->at != NULL && array->at != MPI_IN_PLACE && array->count > 0;
}

/* False: they are more than an address space. */
static bool span_of(const struct symm_mpix_array *array, MPI_Count blocks, struct span *span)
{
    MPI_Count size, lower, extent, true_lower, true_extent, elements, last, bytes;
    *span = (struct span){.bytes = 0};
    if (!is_there(array)) {
        return true;
    }
    if (PMPI_Type_size_x(array->datatype, &size) != MPI_SUCCESS ||
        PMPI_Type_get_extent_x(array->datatype, &lower, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent_x(array->datatype, &true_lower, &true_extent) != MPI_SUCCESS ||
        __builtin_mul_overflow(array->count, blocks, &elements) ||
        __builtin_mul_overflow(elements - 1, extent, &last) ||
        __builtin_add_overflow(last < 0 ? -last : last, true_extent, &bytes)) {
        return false;
    }
    if (size > 0) {
        span->begin = (MPI_Aint)(true_lower + (last < 0 ? last : 0));
        span->bytes = (size_t)bytes;
        span->has_gaps = bytes != elements * size;
    }
    return true;
}

/* Types that are not named may be freed by the program, and their handles be given to others. */
static int type_keep(struct symm_mpix_array *array)
{
    if (array->at == NULL || array->at == MPI_IN_PLACE) {
        array->datatype = MPI_BYTE; /* not significant, and may be anything */
        array->count = 0;
    }
    return symm_mpix_is_named(array->datatype)
               ? MPI_SUCCESS : PMPI_Type_dup(array->datatype, &array->datatype);
}

static void type_drop(struct symm_mpix_array *array)
{
    if (!symm_mpix_is_named(array->datatype)) {
        (void)PMPI_Type_free(&array->datatype);
    }
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* One that has been done, or a new one.  NULL: no memory. */
static struct symm_mpix_task *task_take(struct symm_mpix_host *host)
{
    (void)pthread_mutex_lock(&host->mutex);
    struct symm_mpix_task *task = host->list;
    while (task != NULL && (task->is_captured || atomic_load_explicit(&task->is_queued,
                                                                      memory_order_acquire))) {
        task = task->next;
    }
    if (task != NULL) {
        atomic_store_explicit(&task->is_queued, true, memory_order_relaxed);
        (void)pthread_mutex_unlock(&host->mutex);
        type_drop(&task->call.sent);
        type_drop(&task->call.received);
        return task;
    }
    task = calloc(1, sizeof(*task));
    if (task != NULL) {
        atomic_init(&task->is_queued, true);
        task->next = host->list;
        host->list = task;
    }
    (void)pthread_mutex_unlock(&host->mutex);
    return task;
}

static void task_give(struct symm_mpix_task *task)
{
    atomic_store_explicit(&task->is_queued, false, memory_order_release);
}

void symm_mpix_tasks_free(struct symm_mpix_host *host)
{
    for (struct symm_mpix_task *task = host->list, *next; task != NULL; task = next) {
        next = task->next;
        type_drop(&task->call.sent);
        type_drop(&task->call.received);
        free(task);
    }
    host->list = NULL;
}

/* Queue it.  Tasks that are not of graphs are waited for when MPI ends. */
static int task_queue(struct symm_mpix_comm *state, const char *name, struct symm_mpix_task *task,
                      struct symm_host_task *queued)
{
    struct symm_mpix_host *host = state->host;
    enum symm_task_fate fate;
    queued->what = task;
    symm_cuda_forget_failure();
    (void)atomic_fetch_add_explicit(&host->queued, 1, memory_order_relaxed);
    enum symm_status status =
        symm_host_tasks_add(host->tasks, queued, state->cuda_stream, &fate);
    task->is_captured = fate == SYMM_TASK_CAPTURED;
    if (fate != SYMM_TASK_QUEUED) {
        (void)atomic_fetch_sub_explicit(&host->queued, 1, memory_order_relaxed);
    }
    if (fate == SYMM_TASK_REFUSED) {
        task_give(task);
    }
    return status == SYMM_OK ? MPI_SUCCESS
                             : symm_mpix_refused(symm_mpix_err_stream(), name, status);
}

/* A task with arrays of the host's. */
static int task_make(struct symm_mpix_host *host, enum symm_mpix_action action,
                     const struct symm_mpix_call *call, struct symm_mpix_task **made)
{
    struct symm_mpix_task *task = task_take(host);
    if (task == NULL) {
        return MPI_ERR_NO_MEM;
    }
    task->action = action;
    task->call = *call;
    task->packed = NULL;
    int error = type_keep(&task->call.sent);
    if (error != MPI_SUCCESS) {
        task->call.sent.datatype = task->call.received.datatype = MPI_BYTE;
    } else {
        error = type_keep(&task->call.received);
        task->call.received.datatype =
            error == MPI_SUCCESS ? task->call.received.datatype : MPI_BYTE;
    }
    if (error != MPI_SUCCESS) {
        task_give(task);
        return error;
    }
    *made = task;
    return MPI_SUCCESS;
}

/* Where an array of the program's lies on the host.  NULL if there is no memory. */
static enum symm_status copy_place(struct symm_mpix_host *host, enum symm_task_memory purpose,
                                   const struct span *span, struct symm_mpix_array *array,
                                   struct symm_task_copy *copy)
{
    void *memory;
    enum symm_status status =
        symm_host_tasks_memory(host->tasks, purpose, span->bytes, &memory);
    if (status == SYMM_OK && span->bytes > 0) {
        *copy = (struct symm_task_copy){
            .of = (char *)array->at + span->begin, .host = memory, .bytes = span->bytes};
        array->at = (char *)memory - span->begin;
    }
    return status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool is_in_place(const struct symm_mpix_call *call)
{
    return call->sent.at == MPI_IN_PLACE;
}

/* Of the root of a broadcast, `received` is sent, too. */
static bool is_sender(const struct symm_mpix_call *call, int rank)
{
    return call->collective == SYMM_BCAST && call->root == rank;
}

/*
 * What is fetched of the array that receives: its input, or what lies between its elements, which
 * is brought back as it was.  In place, a rank has one block of its own, or all.
 */
static struct symm_task_copy received_fetch(const struct symm_mpix_call *call, int rank,
                                            const struct span *span,
                                            const struct symm_task_copy *whole)
{
    struct symm_task_copy fetch = *whole;
    const bool has_one_block =
        call->collective == SYMM_ALLGATHER || call->collective == SYMM_GATHER;
    if (span->has_gaps || (is_in_place(call) && !has_one_block) || is_sender(call, rank)) {
        return fetch;
    }
    if (!is_in_place(call) || whole->bytes == 0) {
        return (struct symm_task_copy){.bytes = 0};
    }
    fetch.bytes = whole->bytes / (size_t)call->received.blocks;
    fetch.of = (char *)whole->of + (size_t)rank * fetch.bytes;
    fetch.host = (char *)whole->host + (size_t)rank * fetch.bytes;
    return fetch;
}

/* A reduce-scatter in place has all blocks where it receives one. */
static MPI_Count received_blocks(const struct symm_mpix_call *call, int ranks)
{
    return call->collective == SYMM_REDUCE_SCATTER_BLOCK && is_in_place(call)
               ? ranks : call->received.blocks;
}

static int call_queue(struct symm_mpix_comm *state, const char *name, struct symm_mpix_call call,
                      const struct span *sent, const struct span *received)
{
    struct symm_mpix_task *task;
    const struct symm_mpix_call made = call;
    struct symm_host_task queued = {.what = NULL};
    struct symm_task_copy whole = {.bytes = 0};
    struct span result;
    enum symm_status status =
        copy_place(state->host, SYMM_TASK_INPUT, sent, &call.sent, &queued.fetch[0]);
    if (status == SYMM_OK) {
        status = copy_place(state->host, SYMM_TASK_OUTPUT, received, &call.received, &whole);
    }
    if (status != SYMM_OK) {
        return symm_mpix_refused(symm_mpix_err_stream(), name, status);
    }
    queued.fetch[1] = received_fetch(&made, state->rank, received, &whole);
    if (!is_sender(&made, state->rank) && span_of(&made.received, made.received.blocks, &result)) {
        queued.bring = whole;
        queued.bring.of = (char *)whole.of + (result.begin - received->begin);
        queued.bring.host = (char *)whole.host + (result.begin - received->begin);
        queued.bring.bytes = result.bytes;
    }
    int error = task_make(state->host, SYMM_MPIX_CALL, &call, &task);
    return error == MPI_SUCCESS ? task_queue(state, name, task, &queued) : error;
}

int symm_mpix_host_call(MPI_Comm comm, struct symm_mpix_comm *state, const char *name,
                        const struct symm_mpix_call *call)
{
    struct span sent, received;
    int error = MPI_SUCCESS;
    if (state->host == NULL || !atomic_load_explicit(&state->host->is_ready,
                                                     memory_order_relaxed)) {
        error = symm_mpix_host_begin(comm, state, name, "");
    }
    if (error == MPI_SUCCESS) {
        error = symm_mpix_host_check(state->host, name);
    }
    if (error != MPI_SUCCESS) {
        return error;
    }
    if (call->sent.count > INT_MAX || call->received.count > INT_MAX ||
        !span_of(&call->sent, call->sent.blocks, &sent) ||
        !span_of(&call->received, received_blocks(call, state->size), &received)) {
        return symm_mpix_error(MPI_ERR_COUNT, "%s: through the host, up to %d elements of a block "
                               "are possible; take a larger datatype", name, INT_MAX);
    }
    if (call->collective != SYMM_BARRIER && call->sent.count == 0 && call->received.count == 0) {
        return MPI_SUCCESS; /* nor has any other rank data */
    }
    return call_queue(state, name, *call, &sent, &received);
}

/* ---- packing for kernels --------------------------------------------------------------------- */

int symm_mpix_host_room(MPI_Comm comm, struct symm_mpix_comm *state, const char *name,
                        const struct symm_mpix_array *array, bool is_output, void **packed)
{
    MPI_Count size = 0;
    *packed = NULL;
    int error = symm_mpix_host_local(comm, state, name);
    if (error == MPI_SUCCESS) {
        error = symm_mpix_host_check(state->host, name);
    }
    if (error != MPI_SUCCESS) {
        return error;
    }
    (void)PMPI_Type_size_x(array->datatype, &size);
    enum symm_status status = symm_host_tasks_memory(
        state->host->tasks, is_output ? SYMM_TASK_PACKED_OUTPUT : SYMM_TASK_PACKED_INPUT,
        (size_t)(size * array->count * array->blocks), packed);
    return status == SYMM_OK ? MPI_SUCCESS
                             : symm_mpix_refused(symm_mpix_err_stream(), name, status);
}

/* The span is fetched in any case: what lies between its elements is brought back as it was. */
static int packing_queue(struct symm_mpix_comm *state, const char *name,
                         enum symm_mpix_action action, const struct symm_mpix_array *array,
                         bool is_output, void *packed)
{
    struct span span;
    struct symm_mpix_task *task;
    struct symm_host_task queued = {.what = NULL};
    struct symm_mpix_call call = {.collective = SYMM_BARRIER, .op = MPI_OP_NULL};
    struct symm_mpix_array *copied =
        action == SYMM_MPIX_PACK ? &call.sent : &call.received;
    *copied = *array;
    if (!span_of(array, array->blocks, &span)) {
        return symm_mpix_error(MPI_ERR_COUNT, "%s: more elements than an address space has room "
                               "for", name);
    }
    enum symm_status status =
        copy_place(state->host, is_output ? SYMM_TASK_OUTPUT : SYMM_TASK_INPUT, &span, copied,
                   &queued.fetch[0]);
    if (status != SYMM_OK) {
        return symm_mpix_refused(symm_mpix_err_stream(), name, status);
    }
    if (action == SYMM_MPIX_UNPACK) {
        queued.bring = queued.fetch[0];
    }
    int error = task_make(state->host, action, &call, &task);
    if (error == MPI_SUCCESS) {
        task->packed = packed;
        error = task_queue(state, name, task, &queued);
    }
    return error;
}

int symm_mpix_host_pack(struct symm_mpix_comm *state, const char *name,
                        const struct symm_mpix_array *array, bool is_output, void *packed)
{
    return packing_queue(state, name, SYMM_MPIX_PACK, array, is_output, packed);
}

int symm_mpix_host_unpack(struct symm_mpix_comm *state, const char *name,
                          const struct symm_mpix_array *array, void *packed)
{
    return packing_queue(state, name, SYMM_MPIX_UNPACK, array, true, packed);
}
