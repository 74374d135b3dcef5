/*
 * mpi_request/requests.c - see mpi_request/requests.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/mpi_request/requests.h"

#include <stdatomic.h>

/* Idle requests are linked by the pointer that Open MPI's lists have in each object. */
static volatile opal_list_item_t *item_of(ompi_request_t *request)
{
    return &request->super.super;
}

static volatile opal_list_item_t *idle_take(struct symm_idle_requests *idle)
{
    (void)pthread_mutex_lock(&idle->mutex);
    volatile opal_list_item_t *item = idle->first;
    if (item != NULL) {
        idle->first = item->opal_list_next;
    }
    (void)pthread_mutex_unlock(&idle->mutex);
    return item;
}

ompi_request_t *mca_coll_symm_request_take(struct symm_idle_requests *idle,
                                           struct ompi_communicator_t *comm, bool persistent)
{
    ompi_request_t *request = (ompi_request_t *)(uintptr_t)idle_take(idle);
    if (request == NULL) {
        request = (ompi_request_t *)opal_obj_new(idle->class);
    }
    if (request != NULL) {
        OMPI_REQUEST_INIT(request, persistent);
        request->req_mpi_object.comm = comm;
        request->req_status.MPI_ERROR = MPI_SUCCESS;
        OBJ_RETAIN(comm);
    }
    return request;
}

static void communicator_release(struct ompi_communicator_t *comm, bool failed)
{
    static _Atomic(struct ompi_communicator_t *) held;
    if (failed) {
        comm = atomic_exchange(&held, comm);
    }
    if (comm != NULL) {
        OBJ_RELEASE(comm);
    }
}

void mca_coll_symm_request_put(struct symm_idle_requests *idle, ompi_request_t *request)
{
    communicator_release(request->req_mpi_object.comm,
                         request->req_status.MPI_ERROR != MPI_SUCCESS);
    OMPI_REQUEST_FINI(request);
    (void)pthread_mutex_lock(&idle->mutex);
    item_of(request)->opal_list_next = idle->first;
    idle->first = item_of(request);
    (void)pthread_mutex_unlock(&idle->mutex);
}

void mca_coll_symm_idle_requests_free(struct symm_idle_requests *idle)
{
    ompi_request_t *request;
    while ((request = (ompi_request_t *)(uintptr_t)idle_take(idle)) != NULL) {
        OBJ_RELEASE(request);
    }
}

static int cancel(ompi_request_t *request, int flag)
{
    (void)request;
    (void)flag;
    return MPI_ERR_REQUEST;
}

void mca_coll_symm_request_construct(ompi_request_t *request, ompi_request_start_fn_t start,
                                     ompi_request_free_fn_t free)
{
    request->req_type = OMPI_REQUEST_COLL;
    request->req_status._cancelled = 0;
    request->req_start = start;
    request->req_free = free;
    request->req_cancel = cancel;
}
