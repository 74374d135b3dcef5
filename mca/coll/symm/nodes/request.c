/*
 * nodes/request.c - see nodes/request.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/request.h"

#include "mca/coll/symm/mpi_request/requests.h"
#include "mca/coll/symm/mpi_request/stepped.h"
#include "mca/coll/symm/report/counters.h"

struct symm_nodes_request {
    struct symm_stepped_request super;
    struct symm_nodes_call call;
    unsigned number; /* of a nonblocking call on its communicator */
};
typedef struct symm_nodes_request symm_nodes_request_t;
OBJ_CLASS_DECLARATION(symm_nodes_request_t);

static int progress(void);
static bool step(struct symm_stepped_request *stepped);
static void complete(struct symm_stepped_request *stepped);

static struct symm_idle_requests idle = SYMM_IDLE_REQUESTS(symm_nodes_request_t);
static struct symm_stepped outstanding = SYMM_STEPPED(progress, step, complete);

static ompi_request_t *base_of(struct symm_nodes_request *request)
{
    return mca_coll_symm_stepped_base(&request->super);
}

/* ---- progress -------------------------------------------------------------------------------- */

static int progress(void)
{
    return mca_coll_symm_stepped_progress(&outstanding);
}

static bool step(struct symm_stepped_request *stepped)
{
    struct symm_nodes_request *request = (struct symm_nodes_request *)stepped;
    mca_coll_symm_nodes_t *nodes = request->call.nodes;
    bool is_nonblocking = request->call.form == SYMM_CALL_NONBLOCKING;
    if ((is_nonblocking && request->number != atomic_load(&nodes->over)) ||
        !mca_coll_symm_nodes_call_advance(&request->call)) {
        return false;
    }
    if (is_nonblocking) {
        atomic_fetch_add(&nodes->over, 1);
    }
    return true;
}

static void complete(struct symm_stepped_request *stepped)
{
    struct symm_nodes_request *request = (struct symm_nodes_request *)stepped;
    ompi_request_t *base = base_of(request);
    if (request->call.error != OMPI_SUCCESS) {
        base->req_status.MPI_ERROR =
            ompi_errcode_get_mpi_code(mca_coll_symm_nodes_call_error(&request->call));
    }
    if (!base->req_persistent) {
        mca_coll_symm_nodes_call_end(&request->call);
    }
    mca_coll_symm_request_complete(base);
}

/* The first steps are under way when the program's call returns. */
static void begin(struct symm_nodes_request *request)
{
    mca_coll_symm_stepped_add(&outstanding, &request->super);
    (void)progress();
}

/* ---- what MPI does with a request ------------------------------------------------------------ */

static int start(size_t count, ompi_request_t **handles)
{
    for (size_t i = 0; i < count; i++) {
        struct symm_nodes_request *request = (struct symm_nodes_request *)handles[i];
        handles[i]->req_complete = REQUEST_PENDING;
        request->call.made = 0;
        request->call.error = OMPI_SUCCESS;
        request->call.is_given_up = false;
        mca_coll_symm_count_nodes(request->call.collective, request->call.plan,
                                  request->call.bytes);
        begin(request);
    }
    return OMPI_SUCCESS;
}

/*
 * Programs may free types and operations at once.  Open MPI's bindings hold those of a nonblocking
 * call by its request, but not those of a persistent one.
 */
static void hold(const struct symm_arguments *a)
{
    struct ompi_datatype_t *types[] = {a->sdtype, a->rdtype};
    for (int i = 0; i < 2; i++) {
        if (types[i] != NULL && !ompi_datatype_is_predefined(types[i])) {
            OBJ_RETAIN(types[i]);
        }
    }
    if (a->op != NULL && !ompi_op_is_intrinsic(a->op)) {
        OBJ_RETAIN(a->op);
    }
}

static void let_go(const struct symm_arguments *a)
{
    struct ompi_datatype_t *types[] = {a->sdtype, a->rdtype};
    struct ompi_op_t *op = a->op;
    for (int i = 0; i < 2; i++) {
        if (types[i] != NULL && !ompi_datatype_is_predefined(types[i])) {
            ompi_datatype_t *type = types[i];
            OBJ_RELEASE(type);
        }
    }
    if (op != NULL && !ompi_op_is_intrinsic(op)) {
        OBJ_RELEASE(op);
    }
}

static int request_free(ompi_request_t **handle)
{
    struct symm_nodes_request *request = (struct symm_nodes_request *)*handle;
    if (!mca_coll_symm_request_is_complete(*handle)) {
        return MPI_ERR_REQUEST;
    }
    if ((*handle)->req_persistent) {
        mca_coll_symm_nodes_call_end(&request->call);
        let_go(&request->call.a);
    }
    mca_coll_symm_request_put(&idle, *handle);
    *handle = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static void request_construct(symm_nodes_request_t *request)
{
    mca_coll_symm_request_construct(base_of(request), start, request_free);
}

OBJ_CLASS_INSTANCE(symm_nodes_request_t, ompi_coll_base_nbc_request_t, request_construct, NULL);

/* ---- calls ----------------------------------------------------------------------------------- */

int mca_coll_symm_nodes_request(const struct symm_nodes_call *call, ompi_request_t **request)
{
    bool is_persistent = call->form == SYMM_CALL_PERSISTENT;
    struct symm_nodes_request *ours = (struct symm_nodes_request *)mca_coll_symm_request_take(
        &idle, call->a.comm, is_persistent);
    if (ours == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ours->call = *call;
    int rc = mca_coll_symm_nodes_call_begin(&ours->call);
    if (rc == OMPI_SUCCESS && is_persistent) {
        rc = mca_coll_symm_nodes_call_init(&ours->call);
    }
    if (rc != OMPI_SUCCESS) {
        mca_coll_symm_nodes_call_end(&ours->call);
        mca_coll_symm_request_put(&idle, base_of(ours));
        return rc;
    }
    *request = base_of(ours);
    if (is_persistent) {
        hold(&ours->call.a);
    } else {
        ours->number = call->nodes->issued++;
        begin(ours);
    }
    return OMPI_SUCCESS;
}

void mca_coll_symm_nodes_requests_wait(const mca_coll_symm_nodes_t *nodes)
{
    while (atomic_load(&nodes->over) != nodes->issued) {
        opal_progress();
    }
}

void mca_coll_symm_nodes_requests_close(void)
{
    mca_coll_symm_stepped_forget(&outstanding);
    mca_coll_symm_idle_requests_free(&idle);
}
