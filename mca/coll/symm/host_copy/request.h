/*
 * host_copy/request.h - a nonblocking or persistent call that the component below makes on host
 * copies of device buffers.
 *
 * The program gets a request of ours, which stands for the one of the component below:
 *
 *     struct symm_host_copy_request *ours;
 *     request_open(&ours, ...)     makes the copies, and fills them if the call is nonblocking
 *     ... the function below, which returns ours->below ...
 *     request_pass(ours, ...)      gives our request to the program
 *
 * The copy in is waited for in the call, or in MPI_Start.  It waits for no other rank.  So the call
 * below is made in the program's call as well, where libnbc takes its tag and sends at once.  Ranks
 * may have some of their buffers on devices and some not, as schedules do not depend on it.
 *
 * When the request below is complete, the results are copied back, and our request is completed
 * with the status of the one below (host_copy/progress.h).
 *
 * As in a blocking call, a rank whose copy fails takes part below all the same.  It gets the error
 * by the request.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_REQUEST_H
#define MCA_COLL_SYMM_HOST_COPY_REQUEST_H

#include "mca/coll/symm/host_copy/request_state.h"

/* For the component, when it is closed. */
void mca_coll_symm_host_copy_requests_close(void);

/*
 * Begin a call.  *opened is left NULL if no buffer is on a device, or no copies are to be made, and
 * no bytes are held: then the program gets the request of the component below.  The addresses to
 * hand over are in `buffers`.  Errors: OUT_OF_RESOURCE, and *opened is NULL.
 */
int mca_coll_symm_host_copy_request_make(struct symm_host_copy_request **opened,
                                         struct symm_host_copy_buffers *buffers,
                                         enum symm_host_copy_collective collective,
                                         bool persistent, mca_coll_base_module_t *module);
static inline int mca_coll_symm_host_copy_request_open(struct symm_host_copy_request **opened,
                                                       struct symm_host_copy_buffers *buffers,
                                                       enum symm_host_copy_collective collective,
                                                       bool persistent,
                                                       mca_coll_base_module_t *module)
{
    if (mca_coll_symm_host_copy_buffers_are_needless(buffers) && !buffers->moves) {
        return OMPI_SUCCESS;
    }
    return mca_coll_symm_host_copy_request_make(opened, buffers, collective, persistent, module);
}

/*
 * The function below has returned `rc`.  Gives our request to the program or, after an error, gives
 * it back.  Returns `rc`.
 */
int mca_coll_symm_host_copy_request_pass(struct symm_host_copy_request *ours, int rc,
                                         ompi_request_t **request);

#endif /* MCA_COLL_SYMM_HOST_COPY_REQUEST_H */
