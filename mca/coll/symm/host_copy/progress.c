/*
 * host_copy/progress.c - see host_copy/progress.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/progress.h"

#include <stdatomic.h>

#include "mca/coll/symm/host_copy/copies.h"
#include "mca/coll/symm/host_copy/retain.h"
#include "mca/coll/symm/host_copy/warn.h"
#include "mca/coll/symm/mpi_request/progress.h"

static int progress(void);

static struct symm_outstanding outstanding = SYMM_OUTSTANDING(progress);
static _Atomic(struct symm_host_copy_request *) added; /* not yet seen by a walk, newest first */
static struct symm_host_copy_request *walked; /* of the thread that walks */

/* ---- steps ----------------------------------------------------------------------------------- */

static void fail(struct symm_host_copy_request *request)
{
    request->error = mca_coll_symm_host_copy_failed(request->function, request->buffers.comm);
}

/* The request below is complete: take over its status, and queue the copies of the results. */
static void results_begin(struct symm_host_copy_request *request)
{
    ompi_request_t *base = mca_coll_symm_host_copy_request_base(request);
    opal_atomic_rmb(); /* behind the look at the request below */
    base->req_status = request->below->req_status;
    request->is_below = false;
    if (request->error == OMPI_SUCCESS && base->req_status.MPI_ERROR == MPI_SUCCESS) {
        mca_coll_symm_bytes_unpack(&request->buffers);
        if (mca_coll_symm_host_copy_store_begin(&request->buffers.receive) != OMPI_SUCCESS) {
            fail(request);
        }
    }
}

/* True: the request is done. */
static bool step(struct symm_host_copy_request *request)
{
    if (request->is_below) {
        if (!REQUEST_COMPLETE(request->below)) {
            return false;
        }
        results_begin(request);
    }
    int rc = mca_coll_symm_host_copy_store_test(&request->buffers.receive);
    if (rc == OMPI_ERR_WOULD_BLOCK) {
        return false;
    }
    if (rc != OMPI_SUCCESS) {
        fail(request);
    }
    return true;
}

void mca_coll_symm_host_copy_progress_empty(struct symm_host_copy_request *request)
{
    mca_coll_symm_host_copy_copies_close(&request->buffers);
    mca_coll_symm_host_copy_let_go(&request->buffers);
}

/* After ompi_request_complete() the request is the program's. */
static void complete(struct symm_host_copy_request *request)
{
    ompi_request_t *base = mca_coll_symm_host_copy_request_base(request);
    if (request->error != OMPI_SUCCESS) {
        base->req_status.MPI_ERROR = ompi_errcode_get_mpi_code(request->error);
    }
    if (mca_coll_symm_host_copy_is_made(&request->buffers)) {
        mca_coll_symm_host_copy_warn(request->function, request->why, &request->buffers);
    }
    if (base->req_persistent) {
        request->below->req_state = OMPI_REQUEST_INACTIVE;
    } else {
        (void)ompi_request_free(&request->below);
        mca_coll_symm_host_copy_progress_empty(request);
    }
    (void)ompi_request_complete(base, true);
}

/* ---- walks ----------------------------------------------------------------------------------- */

static void walk_join(void)
{
    struct symm_host_copy_request *request = atomic_exchange(&added, NULL);
    while (request != NULL) {
        struct symm_host_copy_request *next = request->next;
        request->next = walked;
        walked = request;
        request = next;
    }
}

/* Step all requests; those that are done leave the list and are returned as one. */
static struct symm_host_copy_request *walk(void)
{
    struct symm_host_copy_request *done = NULL, **place = &walked;
    while (*place != NULL) {
        struct symm_host_copy_request *request = *place;
        if (step(request)) {
            *place = request->next;
            request->next = done;
            done = request;
        } else {
            place = &request->next;
        }
    }
    return done;
}

static int progress(void)
{
    int completed = 0;
    if (!mca_coll_symm_walk_begin(&outstanding)) {
        return 0;
    }
    walk_join();
    struct symm_host_copy_request *done = walk();
    mca_coll_symm_walk_end(&outstanding);
    while (done != NULL) {
        struct symm_host_copy_request *request = done;
        done = request->next;
        complete(request);
        completed++;
    }
    mca_coll_symm_outstanding_drop(&outstanding, completed);
    return completed;
}

void mca_coll_symm_host_copy_progress_add(struct symm_host_copy_request *request)
{
    mca_coll_symm_outstanding_add(&outstanding);
    struct symm_host_copy_request *newest = atomic_load(&added);
    do {
        request->next = newest;
    } while (!atomic_compare_exchange_weak(&added, &newest, request));
}

void mca_coll_symm_host_copy_progress_close(void)
{
    mca_coll_symm_outstanding_forget(&outstanding);
    atomic_store(&added, NULL);
    walked = NULL;
}
