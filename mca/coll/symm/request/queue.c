/*
 * request/queue.c - see request/queue.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/request/queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "mca/coll/symm/host_copy/bytes.h"
#include "mca/coll/symm/mpi_request/nbc_tag.h"
#include "mca/coll/symm/mpi_request/progress.h"
#include "mca/coll/symm/mpi_request/requests.h"
#include "mca/coll/symm/path/path.h"
#include "mca/coll/symm/progress_thread/thread.h"
#include "mca/coll/symm/progress_thread/safe_steps.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/request/request.h"
#include "mca/coll/symm/serve/leave.h"
#include "mca/coll/symm/serve/operation.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* held for a few instructions only */
static struct symm_queue *queues; /* those with requests; only the thread that walks drops one */
static mca_coll_symm_request_t *belows; /* not served: of the thread that walks, like the next */
static mca_coll_symm_request_t *served; /* their operations were ended by the progress thread */

static int progress(void);
static enum symm_help thread_walk(void);
static struct symm_outstanding outstanding = SYMM_OUTSTANDING(progress);

/* ---- queues ---------------------------------------------------------------------------------- */

struct symm_queue *mca_coll_symm_queue_create(mca_coll_symm_module_t *module,
                                              struct ompi_communicator_t *comm, int vote_tag)
{
    struct symm_queue *queue = malloc(sizeof(*queue));
    if (queue != NULL) {
        mca_coll_symm_lane_init(&queue->lane, module);
        mca_coll_symm_lane_enable(&queue->lane, comm, vote_tag);
        queue->first = NULL;
        queue->last = &queue->first;
        queue->is_listed = false;
        queue->next = NULL;
    }
    return queue;
}

void mca_coll_symm_queue_destroy(struct symm_queue *queue)
{
    if (queue != NULL) {
        mca_coll_symm_lane_end(&queue->lane);
        free(queue);
    }
}

static mca_coll_symm_request_t *queue_first(const struct symm_queue *queue)
{
    (void)pthread_mutex_lock(&mutex);
    mca_coll_symm_request_t *first = queue->first;
    (void)pthread_mutex_unlock(&mutex);
    return first;
}

static void queue_drop_first(struct symm_queue *queue)
{
    (void)pthread_mutex_lock(&mutex);
    queue->first = queue->first->next;
    if (queue->first == NULL) {
        queue->last = &queue->first;
    }
    (void)pthread_mutex_unlock(&mutex);
}

static struct symm_queue *queue_at(struct symm_queue *const *place)
{
    (void)pthread_mutex_lock(&mutex);
    struct symm_queue *queue = *place;
    (void)pthread_mutex_unlock(&mutex);
    return queue;
}

/* The place behind this queue, which was at `place`.  A queue that is empty leaves the list. */
static struct symm_queue **queue_step_over(struct symm_queue **place, struct symm_queue *queue)
{
    (void)pthread_mutex_lock(&mutex);
    while (*place != queue) { /* others have come in front, which only happens at the head */
        place = &(*place)->next;
    }
    if (queue->first == NULL) {
        *place = queue->next;
        queue->is_listed = false;
    } else {
        place = &queue->next;
    }
    (void)pthread_mutex_unlock(&mutex);
    return place;
}

/* ---- requests -------------------------------------------------------------------------------- */

_Static_assert((int)SYMM_KEPT_FREE == (int)SYMM_BYTES_ARRAYS, "the request has room for them");

/* The arguments for the component below, which returns its request to ours. */
static struct symm_arguments below_arguments(mca_coll_symm_request_t *request,
                                             enum symm_mpi_function function)
{
    struct symm_arguments arguments = request->arguments;
    size_t ranks = (size_t)ompi_comm_size(arguments.comm);
    if (mca_coll_symm_has_bytes(function) && request->kept != NULL) { /* MPI_Allgatherv */
        mca_coll_symm_bytes_spread(&arguments, ranks,
                                   (uint64_t *)request->kept + SYMM_KEPT_ARRAYS * ranks);
    }
    arguments.request = &request->below;
    return arguments;
}

/* The next path makes the call, or the persistent operation. */
static int below_make(mca_coll_symm_request_t *request)
{
    struct symm_lent_tag lent;
    enum symm_mpi_function function =
        mca_coll_symm_function_of(request->call.collective, request->call.form);
    const struct symm_arguments arguments = below_arguments(request, function);
    mca_coll_symm_nbc_tag_lend(&lent, arguments.comm, request->tag);
    int rc = mca_coll_symm_path_make(function, &arguments, &request->module->super.super);
    mca_coll_symm_nbc_tag_take_back(&lent);
    if (rc != OMPI_SUCCESS) {
        request->below = MPI_REQUEST_NULL;
    }
    return rc;
}

/* The call is not served. */
static void below_begin(mca_coll_symm_request_t *request)
{
    int rc = request->below == MPI_REQUEST_NULL ? below_make(request) : OMPI_SUCCESS;
    if (rc == OMPI_SUCCESS && request->super.super.req_persistent) {
        rc = mca_coll_symm_request_start_below(request->below);
    }
    request->error = rc;
    request->is_below = rc == OMPI_SUCCESS;
}

/* Take over what the request below has come to. */
static void below_end(mca_coll_symm_request_t *request)
{
    opal_atomic_rmb(); /* behind the look at the request below */
    request->error = request->below->req_status.MPI_ERROR;
    if (request->super.super.req_persistent) {
        request->below->req_state = OMPI_REQUEST_INACTIVE;
    } else {
        (void)ompi_request_free(&request->below);
    }
}

/* The operation of the queue's first request is over.  True: so is the request. */
static bool operation_end(mca_coll_symm_request_t *request, struct symm_operation *operation)
{
    mca_coll_symm_count_operation(operation);
    request->is_begun = false;
    if (operation->outcome != SYMM_OUTCOME_FALLBACK) {
        request->error =
            operation->outcome == SYMM_OUTCOME_ERROR ? operation->error : OMPI_SUCCESS;
        return true;
    }
    mca_coll_symm_verbose_fallback(operation);
    below_begin(request);
    return !request->is_below;
}

static void complete(mca_coll_symm_request_t *request)
{
    ompi_request_t *base = &request->super.super;
    base->req_status.MPI_ERROR = request->error == OMPI_SUCCESS
                                     ? MPI_SUCCESS : ompi_errcode_get_mpi_code(request->error);
    atomic_store_explicit(&request->is_over, true, memory_order_release);
    mca_coll_symm_request_complete(base);
}

/* ---- walks ----------------------------------------------------------------------------------- */

/* Leave a communicator that has failed or been revoked. */
static void operation_leave_failed(struct symm_operation *operation)
{
    if (symm_ompi_comm_failure(operation->comm) != MPI_SUCCESS) {
        mca_coll_symm_leave(operation);
    }
}

/* MPI's bindings look for a failure before blocking calls only. */
static void operation_begin(mca_coll_symm_request_t *request, struct symm_operation *operation)
{
    operation->comm = mca_coll_symm_request_comm(request);
    operation->call = &request->call;
    request->is_begun = true;
    mca_coll_symm_operation_start(operation);
    operation_leave_failed(operation);
}

/* Step a queue's operations until one has to wait.  Those that are done go to *done. */
static void queue_walk(struct symm_queue *queue, mca_coll_symm_request_t **done)
{
    struct symm_operation *operation = &queue->lane.operation;
    mca_coll_symm_request_t *request;
    while ((request = queue_first(queue)) != NULL) {
        if (!request->is_begun) {
            operation_begin(request, operation);
        }
        if (mca_coll_symm_operation_step(operation) == SYMM_PENDING) {
            operation_leave_failed(operation);
            return;
        }
        queue_drop_first(queue);
        mca_coll_symm_request_t **list =
            operation_end(request, operation) ? done : &belows;
        request->next = *list;
        *list = request;
    }
}

static void belows_walk(mca_coll_symm_request_t **done)
{
    mca_coll_symm_request_t **place = &belows;
    while (*place != NULL) {
        mca_coll_symm_request_t *request = *place;
        if (REQUEST_COMPLETE(request->below)) {
            *place = request->next;
            below_end(request);
            request->next = *done;
            *done = request;
        } else {
            place = &request->next;
        }
    }
}

/* What the progress thread has left to do for requests whose operations it has ended. */
static void served_walk(mca_coll_symm_request_t **done)
{
    while (served != NULL) {
        mca_coll_symm_request_t *request = served;
        served = request->next;
        mca_coll_symm_count_served(&request->call, request->algorithm);
        request->next = *done;
        *done = request;
    }
}

static int progress(void)
{
    mca_coll_symm_request_t *done = NULL;
    struct symm_queue **place = &queues, *queue;
    int completed = 0;
    if (mca_coll_symm_progress_thread_is_wanted()) {
        mca_coll_symm_progress_thread_note_program();
    }
    if (!mca_coll_symm_walk_begin(&outstanding)) {
        return 0;
    }
    while ((queue = queue_at(place)) != NULL) {
        queue_walk(queue, &done);
        place = queue_step_over(place, queue);
    }
    belows_walk(&done);
    served_walk(&done);
    mca_coll_symm_walk_end(&outstanding);
    while (done != NULL) {
        mca_coll_symm_request_t *request = done;
        done = request->next;
        complete(request);
        completed++;
    }
    mca_coll_symm_outstanding_drop(&outstanding, completed);
    return completed;
}

/* The call posts its line, if it can: another thread's walk is waited for, as it is short. */
void mca_coll_symm_queues_step(void)
{
    if (mca_coll_symm_progress_thread_is_wanted()) {
        mca_coll_symm_progress_thread_stop_work();
    }
    (void)progress();
}

void mca_coll_symm_queue_add(mca_coll_symm_request_t *request)
{
    struct symm_queue *queue = request->queue;
    request->next = NULL;
    mca_coll_symm_outstanding_add(&outstanding);
    (void)pthread_mutex_lock(&mutex);
    *queue->last = request;
    queue->last = &request->next;
    if (!queue->is_listed) {
        queue->is_listed = true;
        queue->next = queues;
        queues = queue;
    }
    (void)pthread_mutex_unlock(&mutex);
    if (mca_coll_symm_progress_thread_is_wanted()) {
        mca_coll_symm_progress_thread_wake(thread_walk);
    }
}

void mca_coll_symm_queues_close(void)
{
    mca_coll_symm_progress_thread_close();
    mca_coll_symm_outstanding_forget(&outstanding);
    queues = NULL;
    belows = NULL;
    served = NULL;
}

/* ---- walks of the progress thread ------------------------------------------------------------ */

/*
 * Make the steps that a thread outside of MPI may make.  An operation that is served leaves its
 * lane to the next one; its request is left to the program.
 */
static bool queue_walk_safe(struct symm_queue *queue)
{
    struct symm_operation *operation = &queue->lane.operation;
    mca_coll_symm_request_t *request;
    bool moved = false;
    while ((request = queue_first(queue)) != NULL && mca_coll_symm_safe_to_step(&request->call)) {
        if (!request->is_begun) {
            if (!mca_coll_symm_safe_to_start(&queue->lane)) {
                break;
            }
            operation_begin(request, operation);
        }
        moved |= mca_coll_symm_safe_step(operation);
        if (operation->state != SYMM_OPERATION_DONE ||
            operation->outcome != SYMM_OUTCOME_SERVED) {
            break;
        }
        queue_drop_first(queue);
        request->is_begun = false;
        request->algorithm = operation->work.algorithm;
        request->next = served;
        served = request;
    }
    return moved;
}

static enum symm_help thread_walk(void)
{
    struct symm_queue **place = &queues, *queue;
    bool moved = false;
    if (queue_at(&queues) == NULL) {
        return SYMM_HELP_NEEDLESS;
    }
    if (!mca_coll_symm_walk_begin(&outstanding)) {
        return SYMM_HELP_VAIN;
    }
    while ((queue = queue_at(place)) != NULL) {
        moved |= queue_walk_safe(queue);
        place = queue_step_over(place, queue);
    }
    mca_coll_symm_walk_end(&outstanding);
    return moved ? SYMM_HELP_GIVEN : SYMM_HELP_VAIN;
}
