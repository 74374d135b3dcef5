/*
 * host_copy/layer.h - taking our place in a communicator's table of collectives (base/layer.h).
 *
 * On communicators that we do not serve a layer is all there is: its functions copy device buffers to host
 * memory for the component below (host_copy/staging.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_LAYER_H
#define MCA_COLL_SYMM_HOST_COPY_LAYER_H

#include "mca/coll/symm/base/layer.h"

/* Why a call on device buffers comes to be staged. */
static inline enum symm_staged_why mca_coll_symm_staged_why(enum symm_staged collective,
                                                            const mca_coll_base_module_t *module)
{
    bool may_be_served = collective == SYMM_STAGED_allreduce || collective == SYMM_STAGED_allgather;
    return may_be_served ? ((const mca_coll_symm_layer_t *)module)->why : SYMM_STAGED_KIND;
}

/*
 * Take over slots of the communicator's table, from within module_enable: those that the module has
 * functions for, and if device buffers are staged, all others that are not empty.
 */
void mca_coll_symm_layer_enable(mca_coll_symm_layer_t *layer, struct ompi_communicator_t *comm);

/* For module_disable. */
int mca_coll_symm_layer_disable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm);

/* A layer and nothing else, with a priority above that of the component for communicators of one rank. */
mca_coll_base_module_t *mca_coll_symm_layer_query(struct ompi_communicator_t *comm, int *priority);

#endif /* MCA_COLL_SYMM_HOST_COPY_LAYER_H */
