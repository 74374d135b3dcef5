/*
 * nodes/steps.c - see nodes/steps.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/steps.h"

#include <stdlib.h>

#include "mca/coll/symm/mpi_request/requests.h"
#include "mca/coll/symm/nodes/failures.h"
#include "mca/coll/symm/report/counters.h"

/* ---- describing ------------------------------------------------------------------------------ */

static struct symm_step *append(struct symm_nodes_call *call, struct symm_arguments arguments)
{
    if (call->count == call->capacity) {
        size_t capacity = call->capacity == 0 ? 8 : 2 * call->capacity;
        struct symm_step *steps = realloc(call->steps, capacity * sizeof(*steps));
        if (steps == NULL) {
            call->lacks_memory = true;
            return NULL;
        }
        call->steps = steps;
        call->capacity = capacity;
    }
    struct symm_step *step = &call->steps[call->count++];
    *step = (struct symm_step){.a = arguments, .request = MPI_REQUEST_NULL};
    return step;
}

void mca_coll_symm_step(struct symm_nodes_call *call, struct ompi_communicator_t *comm,
                        enum symm_collective collective, struct symm_arguments arguments)
{
    arguments.comm = comm;
    struct symm_step *step = append(call, arguments);
    if (step != NULL) {
        step->comm = comm;
        step->collective = collective;
    }
}

void mca_coll_symm_step_between(struct symm_nodes_call *call, enum symm_collective collective,
                                struct symm_arguments arguments, size_t bytes)
{
    mca_coll_symm_step(call, call->nodes->rail, collective, arguments);
    if (!call->lacks_memory) {
        call->steps[call->count - 1].bytes = bytes;
    }
}

void mca_coll_symm_step_work(struct symm_nodes_call *call, mca_coll_symm_nodes_work_t *work,
                             struct symm_arguments arguments)
{
    struct symm_step *step = append(call, arguments);
    if (step != NULL) {
        step->work = work;
    }
}

static int copy(struct symm_nodes_call *call, const struct symm_arguments *a)
{
    int rc = ompi_datatype_copy_content_same_ddt(a->rdtype, (int32_t)a->rcount, a->rbuf,
                                                 symm_ompi_unconst(a->sbuf));
    (void)call;
    return rc < 0 ? rc : OMPI_SUCCESS;
}

void mca_coll_symm_step_copy(struct symm_nodes_call *call, const void *from, void *to,
                             size_t count, struct ompi_datatype_t *dtype)
{
    mca_coll_symm_step_work(call, copy,
                            (struct symm_arguments){.sbuf = from, .rbuf = to, .rdtype = dtype,
                                                    .rcount = (symm_count_t)count});
}

/* ---- vectors --------------------------------------------------------------------------------- */

struct symm_vector *mca_coll_symm_vector(struct symm_nodes_call *call, int most)
{
    size_t length = (size_t)most;
    size_t entry = sizeof(size_t) + sizeof(ptrdiff_t) + 2 * sizeof(int);
    struct symm_vector *vector = calloc(1, sizeof(*vector) + length * entry);
    if (vector == NULL) {
        call->lacks_memory = true;
        return NULL;
    }
    vector->counts = (size_t *)(void *)(vector + 1);
    vector->disps = (ptrdiff_t *)(void *)(vector->counts + length);
    vector->count_room = (int *)(void *)(vector->disps + length);
    vector->disp_room = vector->count_room + length;
    vector->next = call->vectors;
    call->vectors = vector;
    return vector;
}

static void vectors_end(struct symm_nodes_call *call)
{
    while (call->vectors != NULL) {
        struct symm_vector *vector = call->vectors;
        call->vectors = vector->next;
        free(vector);
    }
}

symm_counts_t mca_coll_symm_vector_counts(const struct symm_vector *vector, int count)
{
    return symm_counts_make(vector->counts, (size_t)count, vector->count_room);
}

symm_disps_t mca_coll_symm_vector_disps(const struct symm_vector *vector, int count)
{
    symm_disps_t made;
    memset(&made, 0, sizeof(made));
    (void)symm_disps_make(vector->disps, (size_t)count, vector->disp_room, &made);
    return made;
}

void mca_coll_symm_vector_divide(struct symm_vector *vector, size_t total, int parts, int count)
{
    size_t behind = 0;
    for (int i = 0; i < count; i++) {
        size_t least = total / (size_t)parts, rest = total % (size_t)parts;
        vector->counts[i] = i >= parts ? 0 : least + ((size_t)i < rest ? 1 : 0);
        vector->disps[i] = (ptrdiff_t)behind;
        behind += vector->counts[i];
    }
}

/* ---- room ------------------------------------------------------------------------------------ */

bool mca_coll_symm_room_open(struct symm_nodes_call *call, int i, size_t bytes,
                             struct ompi_datatype_t *dtype, size_t count)
{
    struct symm_room *room = &call->rooms[i];
    bool is_own = call->form == SYMM_CALL_PERSISTENT;
    ptrdiff_t gap;
    ptrdiff_t span = opal_datatype_span(&dtype->super, (int64_t)count, &gap);
    if (is_own || (size_t)span > bytes) {
        room->held = malloc(span > 0 ? (size_t)span : 1);
        if (room->held == NULL) {
            return false;
        }
    }
    unsigned char *scratch = call->nodes->scratch + (size_t)i * bytes;
    room->at = mca_coll_symm_at(room->held != NULL ? room->held : scratch, -gap);
    return true;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int describe(struct symm_nodes_call *call)
{
    vectors_end(call);
    call->count = call->made = 0;
    call->next = SIZE_MAX;
    int rc = call->describe(call);
    return rc == OMPI_SUCCESS && call->lacks_memory ? OMPI_ERR_OUT_OF_RESOURCE : rc;
}

static void fail(struct symm_nodes_call *call, int rc)
{
    if (call->error == OMPI_SUCCESS) {
        call->error = rc;
    }
    if (symm_ompi_is_failure(rc)) {
        call->is_given_up = true;
        call->made = call->count - 1; /* this was the last step */
        mca_coll_symm_nodes_give_up(call->nodes);
    }
}

/* The other pieces.  One that has no memory ends the call: other ranks may be left waiting. */
static bool describe_next(struct symm_nodes_call *call)
{
    if (call->next == SIZE_MAX || call->is_given_up) {
        return false;
    }
    call->at = call->next;
    int rc = describe(call);
    fail(call, rc);
    return rc == OMPI_SUCCESS;
}

int mca_coll_symm_nodes_call_begin(struct symm_nodes_call *call)
{
    call->device = -1;
    return describe(call);
}

/* Make a step by its function of a form. */
static int step_make(struct symm_step *step, enum symm_call_form form)
{
    enum symm_mpi_function function = mca_coll_symm_function_of(step->collective, form);
    step->a.info = MPI_INFO_NULL;
    step->a.request = &step->request;
    return mca_coll_symm_function_call(
        function, mca_coll_symm_entry_get(step->comm->c_coll, function), &step->a);
}

static void step_count(const struct symm_nodes_call *call, const struct symm_step *step)
{
    if (step->comm == call->nodes->rail) {
        mca_coll_symm_count_between(call->collective, step->bytes);
    }
}

int mca_coll_symm_nodes_call_init(struct symm_nodes_call *call)
{
    int error = OMPI_SUCCESS;
    for (call->made = 0; call->made < call->count; call->made++) {
        struct symm_step *step = &call->steps[call->made];
        if (step->comm != NULL) {
            int rc = step_make(step, SYMM_CALL_PERSISTENT);
            error = error == OMPI_SUCCESS ? rc : error;
        }
    }
    return error;
}

static int step_start(struct symm_nodes_call *call, struct symm_step *step)
{
    step_count(call, step);
    return call->form == SYMM_CALL_PERSISTENT
               ? mca_coll_symm_request_start_below(step->request)
               : step_make(step, call->form);
}

static void step_end(struct symm_nodes_call *call, struct symm_step *step)
{
    opal_atomic_rmb(); /* behind the look at the request */
    int error = step->request->req_status.MPI_ERROR;
    if (error != MPI_SUCCESS) {
        fail(call, error);
    }
    if (call->form == SYMM_CALL_PERSISTENT) {
        step->request->req_state = OMPI_REQUEST_INACTIVE;
    } else {
        (void)ompi_request_free(&step->request);
    }
}

/* True: the step is made. */
static bool step_advance(struct symm_nodes_call *call, struct symm_step *step)
{
    if (step->comm == NULL) {
        fail(call, step->work(call, &step->a));
        return true;
    }
    if (!call->is_under_way) {
        int rc = step_start(call, step);
        if (rc != OMPI_SUCCESS || call->form == SYMM_CALL_BLOCKING) {
            fail(call, rc);
            return true;
        }
        call->is_under_way = true;
    }
    if (!REQUEST_COMPLETE(step->request)) {
        return false;
    }
    call->is_under_way = false;
    step_end(call, step);
    return true;
}

bool mca_coll_symm_nodes_call_advance(struct symm_nodes_call *call)
{
    do {
        for (; call->made < call->count; call->made++) {
            if (!step_advance(call, &call->steps[call->made])) {
                return false;
            }
        }
    } while (describe_next(call));
    return true;
}

int mca_coll_symm_nodes_call_error(const struct symm_nodes_call *call)
{
    return symm_ompi_failure_of(call->a.comm, call->error);
}

void mca_coll_symm_nodes_call_end(struct symm_nodes_call *call)
{
    for (size_t i = 0; call->form == SYMM_CALL_PERSISTENT && i < call->count; i++) {
        if (call->steps[i].request != MPI_REQUEST_NULL) {
            (void)ompi_request_free(&call->steps[i].request);
        }
    }
    vectors_end(call);
    free(call->steps);
    free(call->rooms[0].held);
    free(call->rooms[1].held);
    if (call->device >= 0) {
        symm_host_block_put(&call->pinned);
    }
}
