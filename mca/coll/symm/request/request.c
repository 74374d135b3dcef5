/*
 * request/request.c - see request/request.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/request/request.h"

#include <stdlib.h>

#include "mca/coll/symm/mpi_request/nbc_tag.h"
#include "mca/coll/symm/mpi_request/requests.h"
#include "mca/coll/symm/request/queue.h"

/* ---- what MPI does with a request ------------------------------------------------------------ */

/*
 * Behind all that the thread has done that has completed the request, perhaps another one.  The
 * program has seen Open MPI's word, and only who looks at that one first finds ours as well.
 */
static bool is_over(mca_coll_symm_request_t *request)
{
    return mca_coll_symm_request_is_complete(&request->super.super) &&
           atomic_load_explicit(&request->is_over, memory_order_acquire);
}

static void begin(mca_coll_symm_request_t *request)
{
    ompi_request_t *base = &request->super.super;
    atomic_store_explicit(&request->is_over, false, memory_order_relaxed);
    __atomic_store_n(&base->req_complete, REQUEST_PENDING, __ATOMIC_RELAXED);
    base->req_state = OMPI_REQUEST_ACTIVE;
    base->req_status.MPI_ERROR = MPI_SUCCESS;
    request->error = OMPI_SUCCESS;
    request->is_begun = false;
    request->is_below = false;
    mca_coll_symm_queue_add(request);
}

/* MPI_Startall drops what this returns. */
static int start(size_t count, ompi_request_t **handles)
{
    for (size_t i = 0; i < count; i++) {
        (void)is_over((mca_coll_symm_request_t *)handles[i]);
        begin((mca_coll_symm_request_t *)handles[i]);
    }
    mca_coll_symm_queues_step();
    return OMPI_SUCCESS;
}

/* ---- what a persistent operation holds ------------------------------------------------------- */

/*
 * The program may free types and operation at once.  Bindings retain them until a request is
 * complete, which one that has not been started already is.
 */
static void type_each(struct ompi_datatype_t *type, void (*use)(opal_object_t *object))
{
    if (type != NULL && !ompi_datatype_is_predefined(type)) {
        use((opal_object_t *)type);
    }
}

/* Types of blocks with elements: those of others may be anything. */
static void types_each(const mca_coll_symm_request_t *request, symm_counts_t counts,
                       struct ompi_datatype_t *const *dtypes, void (*use)(opal_object_t *object))
{
    size_t ranks = (size_t)ompi_comm_size(mca_coll_symm_request_comm(request));
    for (size_t rank = 0; dtypes != NULL && rank < ranks; rank++) {
        if (symm_count_at(counts, rank) > 0) {
            type_each(dtypes[rank], use);
        }
    }
}

static void held_each(const mca_coll_symm_request_t *request, void (*use)(opal_object_t *object))
{
    const struct symm_arguments *arguments = &request->arguments;
    if (arguments->op != NULL && !ompi_op_is_intrinsic(arguments->op)) {
        use((opal_object_t *)arguments->op);
    }
    if (arguments->sbuf != MPI_IN_PLACE) { /* else the type may be anything */
        type_each(arguments->sdtype, use);
        types_each(request, arguments->scounts, arguments->sdtypes, use);
    }
    types_each(request, arguments->rcounts, arguments->rdtypes, use);
    type_each(arguments->rdtype, use);
    if (arguments->info != NULL) {
        use((opal_object_t *)arguments->info);
    }
}

static void object_retain(opal_object_t *object)
{
    OBJ_RETAIN(object);
}

static void object_release(opal_object_t *object)
{
    OBJ_RELEASE(object);
}

/* ---- requests that come and go --------------------------------------------------------------- */

static struct symm_idle_requests idle = SYMM_IDLE_REQUESTS(mca_coll_symm_request_t);

/* Forget a request that is in no queue. */
static void request_return(mca_coll_symm_request_t *request)
{
    if (request->super.super.req_persistent) {
        if (request->below != MPI_REQUEST_NULL) {
            (void)ompi_request_free(&request->below);
        }
        mca_coll_symm_queue_destroy(request->queue);
        held_each(request, object_release);
    }
    free(request->kept);
    mca_coll_symm_request_put(&idle, &request->super.super);
}

/* What is under way cannot be freed, nor cancelled: as libnbc has it. */
static int request_free(ompi_request_t **handle)
{
    if (!is_over((mca_coll_symm_request_t *)*handle)) {
        return MPI_ERR_REQUEST;
    }
    request_return((mca_coll_symm_request_t *)*handle);
    *handle = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static void request_construct(mca_coll_symm_request_t *request)
{
    mca_coll_symm_request_construct(&request->super.super, start, request_free);
}

OBJ_CLASS_INSTANCE(mca_coll_symm_request_t, ompi_coll_base_nbc_request_t, request_construct, NULL);

void mca_coll_symm_requests_close(void)
{
    mca_coll_symm_queues_close();
    mca_coll_symm_idle_requests_free(&idle);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/*
 * The queue in whose lane it is this nonblocking call's turn.  All ranks make these calls in one
 * order, so all take the same one.  It is made with the first call that it gets.
 */
static struct symm_queue *queue_in_turn(mca_coll_symm_module_t *module,
                                        struct ompi_communicator_t *comm)
{
    mca_coll_symm_nbc_lock(); /* MPI_Comm_idup makes calls in any thread that makes progress */
    unsigned turn = module->turns++ % MCA_COLL_SYMM_TURNS;
    struct symm_queue *queue = module->nonblocking[turn];
    if (queue == NULL) {
        queue = mca_coll_symm_queue_create(module, comm, module->tags.nonblocking_vote[turn]);
        module->nonblocking[turn] = queue;
    }
    mca_coll_symm_nbc_unlock();
    return queue;
}

int mca_coll_symm_request_open(mca_coll_symm_request_t **opened,
                               const struct symm_arguments *arguments, bool persistent,
                               mca_coll_base_module_t *base)
{
    struct ompi_communicator_t *comm = arguments->comm;
    mca_coll_symm_module_t *module = (mca_coll_symm_module_t *)base;
    mca_coll_symm_request_t *request =
        (mca_coll_symm_request_t *)mca_coll_symm_request_take(&idle, comm, persistent);
    if (request == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    atomic_store_explicit(&request->is_over, true, memory_order_relaxed);
    request->module = module;
    request->kept = NULL;
    request->below = MPI_REQUEST_NULL;
    memset(&request->call, 0, sizeof(request->call));
    memset(&request->arguments, 0, sizeof(request->arguments));
    request->tag = mca_coll_symm_nbc_tag_take(comm);
    request->queue =
        persistent ? mca_coll_symm_queue_create(module, comm, mca_coll_symm_nbc_tag_take(comm))
                   : queue_in_turn(module, comm);
    if (request->queue == NULL) {
        request_return(request);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    request->arguments = *arguments;
    *opened = request;
    return OMPI_SUCCESS;
}

/* Copy the arrays of a buffer to *room, which moves on behind them. */
static void blocks_keep(symm_counts_t *counts, symm_disps_t *disps,
                        struct ompi_datatype_t *const **dtypes, size_t ranks, uint64_t **room)
{
    *counts = symm_counts_copy(*counts, ranks, *room);
    *disps = symm_disps_copy(*disps, ranks, *room + ranks);
    *room += 2 * ranks;
    if (*dtypes != NULL) {
        struct ompi_datatype_t **kept = memcpy(*room, *dtypes, ranks * sizeof(**dtypes));
        for (size_t rank = 0; rank < ranks; rank++) { /* those of empty blocks may be freed */
            kept[rank] = symm_count_at(*counts, rank) > 0 ? kept[rank] : MPI_BYTE;
        }
        *dtypes = kept;
        *room += ranks;
    }
}

int mca_coll_symm_request_retain(mca_coll_symm_request_t *request, unsigned which)
{
    enum { ARRAYS = SYMM_KEPT_ARRAYS + SYMM_KEPT_FREE };
    size_t ranks = (size_t)ompi_comm_size(mca_coll_symm_request_comm(request));
    struct symm_arguments *arguments = &request->arguments;
    if (which == 0) {
        return OMPI_SUCCESS;
    }
    uint64_t *room = malloc(ARRAYS * ranks * sizeof(*room));
    if (room == NULL) {
        memset(arguments, 0, sizeof(*arguments)); /* nothing is held yet */
        request_return(request);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    request->kept = room;
    if ((which & SYMM_KEEP_RCOUNTS) != 0) {
        arguments->rcounts = symm_counts_copy(arguments->rcounts, ranks, room);
    }
    if ((which & SYMM_KEEP_RECEIVED) != 0) {
        blocks_keep(&arguments->rcounts, &arguments->rdisps, &arguments->rdtypes, ranks, &room);
    }
    if ((which & SYMM_KEEP_SENT) != 0) {
        blocks_keep(&arguments->scounts, &arguments->sdisps, &arguments->sdtypes, ranks, &room);
    }
    return OMPI_SUCCESS;
}

int mca_coll_symm_request_submit(mca_coll_symm_request_t *request)
{
    int failure = symm_ompi_comm_failure(mca_coll_symm_request_comm(request));
    if (failure != MPI_SUCCESS) {
        request_return(request);
        return failure;
    }
    request->call.form = SYMM_CALL_NONBLOCKING;
    *request->arguments.request = &request->super.super;
    begin(request);
    mca_coll_symm_queues_step();
    return OMPI_SUCCESS;
}

void mca_coll_symm_request_init(mca_coll_symm_request_t *request)
{
    request->call.form = SYMM_CALL_PERSISTENT;
    held_each(request, object_retain);
    *request->arguments.request = &request->super.super;
}
