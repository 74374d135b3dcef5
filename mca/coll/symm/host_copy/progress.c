/*
 * host_copy/progress.c - see host_copy/progress.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/progress.h"

#include "mca/coll/symm/host_copy/copies.h"
#include "mca/coll/symm/host_copy/retain.h"
#include "mca/coll/symm/host_copy/warn.h"
#include "mca/coll/symm/mpi_request/requests.h"

static int progress(void);
static bool step(struct symm_stepped_request *stepped);
static void complete(struct symm_stepped_request *stepped);

static struct symm_stepped outstanding = SYMM_STEPPED(progress, step, complete);

static int progress(void)
{
    return mca_coll_symm_stepped_progress(&outstanding);
}

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

static bool step(struct symm_stepped_request *stepped)
{
    struct symm_host_copy_request *request = (struct symm_host_copy_request *)stepped;
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

static void complete(struct symm_stepped_request *stepped)
{
    struct symm_host_copy_request *request = (struct symm_host_copy_request *)stepped;
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
    mca_coll_symm_request_complete(base);
}

/* ---- for host_copy/request.c ----------------------------------------------------------------- */

void mca_coll_symm_host_copy_progress_add(struct symm_host_copy_request *request)
{
    mca_coll_symm_stepped_add(&outstanding, &request->super);
}

void mca_coll_symm_host_copy_progress_close(void)
{
    mca_coll_symm_stepped_forget(&outstanding);
}
