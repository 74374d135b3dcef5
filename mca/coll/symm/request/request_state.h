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

/* MPI's arguments, for the component below.  A collective uses those that it has. */
struct symm_arguments {
    const void *sbuf;
    void *rbuf;
    symm_count_t scount, rcount;
    symm_counts_t rcounts; /* in `kept` of the request, like all arrays */
    symm_counts_t scounts;
    symm_disps_t sdisps, rdisps;
    struct ompi_datatype_t *const *sdtypes, *const *rdtypes; /* NULL: one type */
    struct ompi_datatype_t *sdtype, *rdtype;
    struct ompi_op_t *op;
    int root;
};

/* How the component below makes a nonblocking call of a collective, or a persistent operation. */
struct symm_request_below {
    int (*start)(mca_coll_symm_request_t *request, ompi_request_t **below);
    int (*init)(mca_coll_symm_request_t *request, struct ompi_info_t *info, ompi_request_t **below);
};

/*
 * Bindings write into a request after the call has returned, as into one of libnbc.  So it is
 * derived from the same class.
 */
struct mca_coll_symm_request_t {
    ompi_coll_base_nbc_request_t super;
    mca_coll_symm_module_t *module; /* of the communicator, which is held */
    struct symm_queue *queue;
    struct symm_call call;
    struct symm_arguments arguments;
    void *kept;                /* copies of the program's arrays; NULL: none */
    const struct symm_request_below *make;
    int tag;                   /* for the component below */
    struct ompi_info_t *info;  /* persistent: for the component below */
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
