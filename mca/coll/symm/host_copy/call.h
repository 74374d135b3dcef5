/*
 * host_copy/call.h - a blocking call that the component below makes on host copies of device
 * buffers.
 *
 * Each rank decides for itself: other ranks' buffers may lie elsewhere.  A rank that cannot fill
 * its copies must not leave the others waiting in the component below.  It takes part there with
 * memory whose contents are worth nothing, and fails afterwards.  If it has no memory even for
 * that, it fails at once.  In a call that we would have served it lets the others know
 * (serve/below.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_CALL_H
#define MCA_COLL_SYMM_HOST_COPY_CALL_H

#include "mca/coll/symm/base/functions.h"

/*
 * Make the call of a blocking function, with the program's arguments.  The module is one with a
 * layer (base/layer.h).  Returns the first error, for MPI.
 */
int mca_coll_symm_host_copy_call(enum symm_mpi_function function,
                                 const struct symm_arguments *arguments,
                                 mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_HOST_COPY_CALL_H */
