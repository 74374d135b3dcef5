/*
 * nodes/request.h - nonblocking and persistent calls by a plan.
 *
 * The steps of a call need the same order on all ranks of the node and of the rail.  So the
 * nonblocking calls of a communicator are made one after the other, in the order of the program's
 * calls: they overlap with what the program does meanwhile, and not with each other.  A blocking
 * call by a plan waits for them, and so does the making of a persistent request.
 *
 * The steps of a persistent call have persistent requests of their own, and can be started in any
 * order on each rank, as MPI has it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_REQUEST_H
#define MCA_COLL_SYMM_NODES_REQUEST_H

#include "mca/coll/symm/nodes/steps.h"

/*
 * Make a call that is described by what it is given, and has no steps yet; *request is the
 * program's.  Its buffers are in host memory.  A nonblocking one is under way.  Errors: those of
 * memory, and of the persistent requests of its steps.
 */
int mca_coll_symm_nodes_request(const struct symm_nodes_call *call, ompi_request_t **request);

/* Wait until the nonblocking calls of the communicator are over. */
void mca_coll_symm_nodes_requests_wait(const mca_coll_symm_nodes_t *nodes);

/* For the component, when it is closed. */
void mca_coll_symm_nodes_requests_close(void);

#endif /* MCA_COLL_SYMM_NODES_REQUEST_H */
