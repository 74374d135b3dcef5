/*
 * host_copy/request.h - a nonblocking or persistent call that the component below makes on host
 * copies of device buffers.
 *
 * The program gets a request of ours, which stands for the one of the component below.
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
 * Make the call of a nonblocking or persistent function, with the program's arguments.  The program
 * gets the request of the component below if no buffer is on a device, or no copies are to be made,
 * and no bytes are held.  The module is one with a layer (base/layer.h).  Errors: OUT_OF_RESOURCE,
 * and those of the function below.
 */
int mca_coll_symm_host_copy_request(enum symm_mpi_function function,
                                    const struct symm_arguments *arguments,
                                    mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_HOST_COPY_REQUEST_H */
