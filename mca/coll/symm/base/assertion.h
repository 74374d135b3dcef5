/*
 * base/assertion.h - a communicator's mpi_assert_memory_alloc_kinds, as long as there is a layer.
 *
 * The info of the call that makes the communicator may hold the key, and MPI_Comm_set_info() may
 * set it later.  Each rank promises for its own buffers only.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_ASSERTION_H
#define MCA_COLL_SYMM_BASE_ASSERTION_H

#include "mca/coll/symm/base/layer.h"

/* Keep layer->kinds up to date from now on, until unfollow().  Called once for each layer. */
void mca_coll_symm_assertion_follow(mca_coll_symm_layer_t *layer, struct ompi_communicator_t *comm);
void mca_coll_symm_assertion_unfollow(const mca_coll_symm_layer_t *layer);

#endif /* MCA_COLL_SYMM_BASE_ASSERTION_H */
