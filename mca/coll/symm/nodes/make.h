/*
 * nodes/make.h - the communicators of a module over several nodes: the node's and the rail's.
 *
 * They are made in a blocking call, in which all ranks are, once calls have shown that they are
 * worth it: with 16 small calls, or one of 64 KiB.  Two communicators take 32 KiB of a rank, and
 * many that a program makes are hardly used.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_MAKE_H
#define MCA_COLL_SYMM_NODES_MAKE_H

#include "mca/coll/symm/nodes/module.h"

/*
 * Whether there are communicators for a call of so many bytes, which is counted.  All ranks give
 * the same number, and get the same answer.
 */
bool mca_coll_symm_nodes_ready(mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm,
                               size_t bytes);

/* Whether the component is making this communicator for itself, in this thread. */
bool mca_coll_symm_nodes_is_own(const struct ompi_communicator_t *comm);

void mca_coll_symm_nodes_end(mca_coll_symm_nodes_t *nodes);

#endif /* MCA_COLL_SYMM_NODES_MAKE_H */
