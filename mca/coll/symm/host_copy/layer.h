/*
 * host_copy/layer.h - how a layer takes its place in a communicator's table of collectives
 * (base/layer.h).
 *
 * On a communicator that we do not serve there is a layer alone.  Its functions copy device buffers
 * to host memory for the component below (host_copy/call.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_LAYER_H
#define MCA_COLL_SYMM_HOST_COPY_LAYER_H

#include "mca/coll/symm/base/layer.h"

/*
 * Take over entries of the communicator's table, from within module_enable: those that the module
 * has functions for; if host copies are made, all others that are not empty; and, if several
 * threads may be in MPI on a communicator that is served, all nonblocking and persistent ones.
 */
void mca_coll_symm_layer_enable(mca_coll_symm_layer_t *layer, struct ompi_communicator_t *comm);

/* For module_disable: put back what enable() has found. */
int mca_coll_symm_layer_disable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm);

/*
 * A layer alone, for a communicator that is not served.  NULL: the communicator needs none.  On a
 * communicator of one rank its priority is above coll/self's.
 */
mca_coll_base_module_t *mca_coll_symm_layer_query(struct ompi_communicator_t *comm, int *priority);

#endif /* MCA_COLL_SYMM_HOST_COPY_LAYER_H */
