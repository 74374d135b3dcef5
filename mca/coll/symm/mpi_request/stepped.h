/*
 * mpi_request/stepped.h - requests of one kind that go on by themselves: within opal_progress()
 * each is stepped until it says that it is done, and is then completed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_MPI_REQUEST_STEPPED_H
#define MCA_COLL_SYMM_MPI_REQUEST_STEPPED_H

#include "mca/coll/symm/mpi_request/progress.h"

/*
 * What such a request begins with.  Bindings write into a request after the call has returned, as
 * into one of libnbc.  So it is derived from the same class.
 */
struct symm_stepped_request {
    ompi_coll_base_nbc_request_t super;
    struct symm_stepped_request *next;
};

struct symm_stepped {
    struct symm_outstanding outstanding;

    /* Go on as far as it goes without waiting.  True: the request is done. */
    bool (*step)(struct symm_stepped_request *request);

    /* Of one that is done; ompi_request_complete() makes it the program's. */
    void (*complete)(struct symm_stepped_request *request);

    _Atomic(struct symm_stepped_request *) added; /* not yet seen by a walk, newest first */
    struct symm_stepped_request *walked; /* of the thread that walks */
};

/* `callback` is a function for opal_progress() that returns what progress() below returns. */
#define SYMM_STEPPED(callback, step, complete) \
    {SYMM_OUTSTANDING(callback), step, complete, NULL, NULL}

static inline ompi_request_t *mca_coll_symm_stepped_base(struct symm_stepped_request *request)
{
    return &request->super.super;
}

/* The request is started: it is active from now on. */
void mca_coll_symm_stepped_add(struct symm_stepped *stepped, struct symm_stepped_request *request);

/* Step all.  Returns how many were completed. */
int mca_coll_symm_stepped_progress(struct symm_stepped *stepped);

/* Forget all: the component is closed. */
void mca_coll_symm_stepped_forget(struct symm_stepped *stepped);

#endif /* MCA_COLL_SYMM_MPI_REQUEST_STEPPED_H */
