/*
 * host_copy/retain.h - what a call's request needs of its arguments when the call has returned.
 *
 * MPI has the program leave its arrays of counts, displacements and types alone until the request
 * is completed, or freed if it is persistent.  Bindings for other languages make arrays of their
 * own, which they may free at once (4.1: Fortran's arrays of types).  So a copy keeps its arrays
 * itself.
 *
 * Programs may free datatypes and operations at once.  Open MPI's bindings hold those of a
 * nonblocking call by the request that they get, but not those of a persistent one, whose request
 * they take for a complete one.  The component below holds nothing.  So the request holds them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_RETAIN_H
#define MCA_COLL_SYMM_HOST_COPY_RETAIN_H

#include "mca/coll/symm/host_copy/describe.h"

/*
 * From now on the buffers' descriptions hold what they need.  Errors: OUT_OF_RESOURCE, and nothing
 * is held.
 */
int mca_coll_symm_host_copy_retain(struct symm_host_copy_buffers *buffers);
void mca_coll_symm_host_copy_let_go(struct symm_host_copy_buffers *buffers);

#endif /* MCA_COLL_SYMM_HOST_COPY_RETAIN_H */
