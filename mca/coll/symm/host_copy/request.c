/*
 * host_copy/request.c - see host_copy/request.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/request.h"

#include "mca/coll/symm/host_copy/copies.h"
#include "mca/coll/symm/host_copy/retain.h"
#include "mca/coll/symm/host_copy/progress.h"
#include "mca/coll/symm/host_copy/warn.h"
#include "mca/coll/symm/mpi_request/requests.h"

static struct symm_idle_requests idle = SYMM_IDLE_REQUESTS(symm_host_copy_request_t);

void mca_coll_symm_host_copy_requests_close(void)
{
    mca_coll_symm_host_copy_progress_close();
    mca_coll_symm_idle_requests_free(&idle);
}

static void request_fill(struct symm_host_copy_request *request)
{
    request->error = OMPI_SUCCESS;
    if (mca_coll_symm_host_copy_copies_fill(&request->buffers) != OMPI_SUCCESS) {
        request->error =
            mca_coll_symm_host_copy_failed(request->function, request->buffers.comm);
    }
}

/* ---- what MPI does with a request ------------------------------------------------------------ */

/* MPI_Startall drops what this returns, so an error of the start below goes by the request. */
static int start(size_t count, ompi_request_t **handles)
{
    for (size_t i = 0; i < count; i++) {
        struct symm_host_copy_request *request = (struct symm_host_copy_request *)handles[i];
        handles[i]->req_complete = REQUEST_PENDING;
        request_fill(request);
        int rc = mca_coll_symm_request_start_below(request->below);
        request->is_below = rc == OMPI_SUCCESS;
        if (request->error == OMPI_SUCCESS) {
            request->error = rc;
        }
        mca_coll_symm_host_copy_progress_add(request);
    }
    return OMPI_SUCCESS;
}

/* What is under way cannot be freed, nor cancelled: as libnbc has it. */
static int request_free(ompi_request_t **handle)
{
    struct symm_host_copy_request *request = (struct symm_host_copy_request *)*handle;
    if (!mca_coll_symm_request_is_complete(*handle)) {
        return MPI_ERR_REQUEST;
    }
    if ((*handle)->req_persistent) {
        (void)ompi_request_free(&request->below);
        mca_coll_symm_host_copy_progress_empty(request);
    }
    mca_coll_symm_request_put(&idle, *handle);
    *handle = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static void request_construct(symm_host_copy_request_t *request)
{
    mca_coll_symm_request_construct(mca_coll_symm_host_copy_request_base(request), start,
                                    request_free);
}

OBJ_CLASS_INSTANCE(symm_host_copy_request_t, ompi_coll_base_nbc_request_t, request_construct, NULL);

/* ---- calls ----------------------------------------------------------------------------------- */

/*
 * Make the copies, and fill them if the call is nonblocking.  *opened is left NULL if there are
 * none.  Errors: OUT_OF_RESOURCE, and *opened is NULL.
 */
static int request_make(struct symm_host_copy_request **opened,
                        struct symm_host_copy_buffers *buffers, enum symm_mpi_function function,
                        mca_coll_base_module_t *module)
{
    bool persistent = mca_coll_symm_function_form(function) == SYMM_CALL_PERSISTENT;
    int rc = mca_coll_symm_host_copy_copies_make(buffers, function);
    if (rc == OMPI_SUCCESS && !mca_coll_symm_host_copy_is_made(buffers) &&
        !mca_coll_symm_bytes_are_held(buffers)) {
        return OMPI_SUCCESS;
    }
    struct symm_host_copy_request *request =
        rc == OMPI_SUCCESS ? (struct symm_host_copy_request *)mca_coll_symm_request_take(
                                 &idle, buffers->comm, persistent)
                           : NULL;
    if (request == NULL) {
        mca_coll_symm_host_copy_copies_close(buffers);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    request->buffers = *buffers;
    rc = mca_coll_symm_host_copy_retain(&request->buffers);
    if (rc != OMPI_SUCCESS) {
        mca_coll_symm_host_copy_copies_close(buffers);
        mca_coll_symm_request_put(&idle, mca_coll_symm_host_copy_request_base(request));
        return rc;
    }
    request->function = function;
    request->why = mca_coll_symm_host_copy_why_of(function, module);
    request->below = MPI_REQUEST_NULL;
    request->is_below = true;
    if (!persistent) {
        request_fill(request);
    }
    *opened = request;
    return OMPI_SUCCESS;
}

/*
 * The function below has returned `rc`.  Gives our request to the program or, after an error, gives
 * it back.  Returns `rc`.
 */
static int request_pass(struct symm_host_copy_request *ours, int rc, ompi_request_t **request)
{
    ompi_request_t *base = mca_coll_symm_host_copy_request_base(ours);
    if (rc != OMPI_SUCCESS) {
        mca_coll_symm_host_copy_progress_empty(ours);
        mca_coll_symm_request_put(&idle, base);
        *request = MPI_REQUEST_NULL;
        return rc;
    }
    *request = base;
    if (!base->req_persistent) {
        mca_coll_symm_host_copy_progress_add(ours);
    }
    return OMPI_SUCCESS;
}

int mca_coll_symm_host_copy_request(enum symm_mpi_function function,
                                    const struct symm_arguments *arguments,
                                    mca_coll_base_module_t *module)
{
    struct symm_host_copy_buffers buffers;
    struct symm_host_copy_request *ours = NULL;
    mca_coll_symm_host_copy_buffers_begin(&buffers, arguments->comm,
                                          ((const mca_coll_symm_layer_t *)module)->kinds,
                                          mca_coll_symm_host_copy_is_served(module));
    buffers.need_host = ((const mca_coll_symm_layer_t *)module)->needs_host;
    mca_coll_symm_host_copy_describe(function, &buffers, arguments);
    if (mca_coll_symm_host_copy_hands_on(&buffers)) {
        return mca_coll_symm_layer_call_request(function, arguments, module);
    }
    int rc = request_make(&ours, &buffers, function, module);
    if (rc == OMPI_SUCCESS) {
        struct symm_arguments handed = mca_coll_symm_host_copy_arguments(&buffers, arguments);
        handed.request = ours == NULL ? arguments->request : &ours->below;
        rc = mca_coll_symm_layer_call_request(function, &handed, module);
    }
    return ours == NULL ? rc : request_pass(ours, rc, arguments->request);
}
