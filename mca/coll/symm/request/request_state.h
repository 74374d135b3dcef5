/*
 * request/request_state.h - what a request of request/request.h consists of.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REQUEST_REQUEST_STATE_H
#define MCA_COLL_SYMM_REQUEST_REQUEST_STATE_H

#include <stdatomic.h>

#include "mca/coll/symm/base/module.h"

struct symm_queue;
typedef struct mca_coll_symm_request_t mca_coll_symm_request_t;

/*
 * Bindings write into a request after the call has returned, as into one of libnbc.  So it is
 * derived from the same class.
 */
struct mca_coll_symm_request_t {
    ompi_coll_base_nbc_request_t super;
    mca_coll_symm_module_t *module; /* of the communicator, which is held */
    struct symm_queue *queue;
    struct symm_call call;
    struct symm_arguments arguments; /* for the component below; their arrays are in `kept` */
    void *kept;                /* copies of the program's arrays; NULL: none */
    int tag;                   /* for the component below */
    ompi_request_t *below;     /* MPI_REQUEST_NULL: none */
    /*
     * Not under way, or done.  Open MPI's own word says so, too, but is not written with release.
     */
    _Atomic bool is_over;
    bool is_begun;         /* the lane is at work on it */
    bool is_below;         /* it is not served: `below` is under way */
    int error;             /* the result; for MPI */
    enum symm_algorithm algorithm; /* that has served it, where the program did not see the end */
    mca_coll_symm_request_t *next; /* in a queue, or idle */
};
OBJ_CLASS_DECLARATION(mca_coll_symm_request_t);

static inline struct ompi_communicator_t *mca_coll_symm_request_comm(
    const mca_coll_symm_request_t *request)
{
    return request->super.super.req_mpi_object.comm;
}

#endif /* MCA_COLL_SYMM_REQUEST_REQUEST_STATE_H */
