/*
 * host_copy/warn.h - counting calls on host copies, and telling users about them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_WARN_H
#define MCA_COLL_SYMM_HOST_COPY_WARN_H

#include "mca/coll/symm/host_copy/describe.h"

/* Count a call that has been made on copies, and explain the first one of each collective. */
void mca_coll_symm_host_copy_warn(enum symm_mpi_function function,
                                  enum symm_host_copy_why why,
                                  const struct symm_host_copy_buffers *buffers);

/* The driver has failed in this thread: show a message.  Returns OMPI_ERROR. */
int mca_coll_symm_host_copy_failed(enum symm_mpi_function function,
                                   struct ompi_communicator_t *comm);

#endif /* MCA_COLL_SYMM_HOST_COPY_WARN_H */
