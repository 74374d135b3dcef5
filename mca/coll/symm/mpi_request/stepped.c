/*
 * mpi_request/stepped.c - see mpi_request/stepped.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/mpi_request/stepped.h"

static void walk_join(struct symm_stepped *stepped)
{
    struct symm_stepped_request *request = atomic_exchange(&stepped->added, NULL);
    while (request != NULL) {
        struct symm_stepped_request *next = request->next;
        request->next = stepped->walked;
        stepped->walked = request;
        request = next;
    }
}

/* Those that are done leave the list and are returned as one. */
static struct symm_stepped_request *walk(struct symm_stepped *stepped)
{
    struct symm_stepped_request *done = NULL, **place = &stepped->walked;
    while (*place != NULL) {
        struct symm_stepped_request *request = *place;
        if (stepped->step(request)) {
            *place = request->next;
            request->next = done;
            done = request;
        } else {
            place = &request->next;
        }
    }
    return done;
}

int mca_coll_symm_stepped_progress(struct symm_stepped *stepped)
{
    int completed = 0;
    if (!mca_coll_symm_walk_begin(&stepped->outstanding)) {
        return 0;
    }
    walk_join(stepped);
    struct symm_stepped_request *done = walk(stepped);
    mca_coll_symm_walk_end(&stepped->outstanding);
    while (done != NULL) {
        struct symm_stepped_request *request = done;
        done = request->next;
        stepped->complete(request);
        completed++;
    }
    mca_coll_symm_outstanding_drop(&stepped->outstanding, completed);
    return completed;
}

void mca_coll_symm_stepped_add(struct symm_stepped *stepped, struct symm_stepped_request *request)
{
    ompi_request_t *base = mca_coll_symm_stepped_base(request);
    base->req_state = OMPI_REQUEST_ACTIVE;
    base->req_status.MPI_ERROR = MPI_SUCCESS;
    mca_coll_symm_outstanding_add(&stepped->outstanding);
    request->next = atomic_load(&stepped->added);
    while (!atomic_compare_exchange_weak(&stepped->added, &request->next, request)) {
    }
}

void mca_coll_symm_stepped_forget(struct symm_stepped *stepped)
{
    mca_coll_symm_outstanding_forget(&stepped->outstanding);
    atomic_store(&stepped->added, NULL);
    stepped->walked = NULL;
}
