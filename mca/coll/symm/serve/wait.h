/*
 * serve/wait.h - blocking calls: an operation driven from its start to its end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_SERVE_WAIT_H
#define MCA_COLL_SYMM_SERVE_WAIT_H

#include "mca/coll/symm/base/operation.h"

/*
 * Carry out the blocking call that operation->call describes, calling opal_progress() while it
 * waits.  Returns true if the call is done with, and *rc is for MPI.  Returns false if nothing was
 * done, and the component below has to make the call.
 */
bool mca_coll_symm_operation_serve(struct symm_operation *operation,
                                   struct ompi_communicator_t *comm, int *rc);

#endif /* MCA_COLL_SYMM_SERVE_WAIT_H */
