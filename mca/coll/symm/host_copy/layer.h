/*
 * host_copy/layer.h - taking our place in a communicator's table of collectives (base/layer.h).
 *
 * On communicators that we do not serve a layer is all there is: its functions copy device buffers
 * to host memory for the component below (host_copy/call.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_LAYER_H
#define MCA_COLL_SYMM_HOST_COPY_LAYER_H

#include "mca/coll/symm/base/layer.h"

/*
 * Take over slots of the communicator's table, from within module_enable: those that the module has
 * functions for, and if device buffers are copied to the host, all others that are not empty.
 */
void mca_coll_symm_layer_enable(mca_coll_symm_layer_t *layer, struct ompi_communicator_t *comm);

/* For module_disable: put back what enable() has found. */
int mca_coll_symm_layer_disable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm);

/*
 * A layer and nothing else, for a communicator that is not served; NULL: it needs none.  On
 * communicators of one rank its priority is above that of coll/self.
 */
mca_coll_base_module_t *mca_coll_symm_layer_query(struct ompi_communicator_t *comm, int *priority);

#endif /* MCA_COLL_SYMM_HOST_COPY_LAYER_H */
