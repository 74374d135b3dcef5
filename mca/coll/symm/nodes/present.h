/*
 * nodes/present.h - whether the processes of a communicator over several nodes take part.
 *
 * Names of servers stay on a node (base/modex.h).  What other nodes have to know is one number of
 * each process, in the data that processes exchange in MPI_Init: its priority, unless
 * coll_symm_nodes is never.  Nobody asks for it before a call wants a plan.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_PRESENT_H
#define MCA_COLL_SYMM_NODES_PRESENT_H

#include "mca/ompi_compat.h"

/* Publish this process's; at component open. */
void mca_coll_symm_present_open(void);
void mca_coll_symm_present_close(void);

/* Whether all of a communicator's processes take part, and are of one job: alike on all ranks. */
bool mca_coll_symm_are_present(struct ompi_communicator_t *comm);

#endif /* MCA_COLL_SYMM_NODES_PRESENT_H */
