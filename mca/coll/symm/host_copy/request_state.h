/*
 * host_copy/request_state.h - what a request of host_copy/request.h consists of.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_REQUEST_STATE_H
#define MCA_COLL_SYMM_HOST_COPY_REQUEST_STATE_H

#include "mca/coll/symm/host_copy/describe.h"
#include "mca/coll/symm/mpi_request/stepped.h"

struct symm_host_copy_request {
    struct symm_stepped_request super;
    ompi_request_t *below;
    struct symm_host_copy_buffers buffers; /* their communicator is held */
    enum symm_mpi_function function;
    enum symm_host_copy_why why;
    bool is_below; /* the call below is under way; later the results may be */
    int error;     /* of this rank's copies, or of a start below */
};
typedef struct symm_host_copy_request symm_host_copy_request_t;
OBJ_CLASS_DECLARATION(symm_host_copy_request_t);

static inline ompi_request_t *mca_coll_symm_host_copy_request_base(
    struct symm_host_copy_request *request)
{
    return mca_coll_symm_stepped_base(&request->super);
}

#endif /* MCA_COLL_SYMM_HOST_COPY_REQUEST_STATE_H */
