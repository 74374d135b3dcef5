/*
 * nodes/entry.h - the functions that Open MPI calls on a communicator over several nodes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_ENTRY_H
#define MCA_COLL_SYMM_NODES_ENTRY_H

#include "mca/coll/symm/nodes/module.h"

/* Offer them to Open MPI, before the module is enabled. */
void mca_coll_symm_nodes_entries_offer(mca_coll_base_module_t *module);

/* Put the plans where the layer above them finds what is below it. */
void mca_coll_symm_nodes_entries_put_above(mca_coll_symm_nodes_t *nodes);

#endif /* MCA_COLL_SYMM_NODES_ENTRY_H */
