/*
 * nodes/plan.h - by which plan a call over several nodes is made.
 *
 *   flat     the component below makes it, on all ranks at once, as without us
 *   leaders  data meet at one rank of each node, go between these, and back: for little data
 *   rails    each rank has a part of the node's data, and all rails carry parts at the same time
 *
 * A decision depends only on what all ranks know alike: neither on where buffers are, nor on types
 * with gaps, nor on MPI_IN_PLACE.  No MPI in here: models use the same function.
 *
 * The names are those of UCC's plans; HiCCL and coll/han call them levels.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_PLAN_H
#define MCA_COLL_SYMM_NODES_PLAN_H

#include <stddef.h>

#include "kernels/collective.h"
#include "mca/coll/symm/base/plans.h"
#include "mca/coll/symm/nodes/topology.h"

/* What all ranks know of a call. */
struct symm_nodes_facts {
    enum symm_collective collective;
    bool is_request; /* nonblocking or persistent */
    size_t bytes;  /* of the result of a reduction or of a broadcast; of all blocks together */
    bool commutes; /* the operation of a reduction */
    int root;
};

enum symm_nodes_plan mca_coll_symm_nodes_plan(const struct symm_topology *topology,
                                              const struct symm_nodes_facts *facts);

#endif /* MCA_COLL_SYMM_NODES_PLAN_H */
