/*
 * nodes/bcast.c - MPI_Bcast over several nodes: along a rail, and then on each node.
 *
 * The rail is the root's.  Where nodes have different numbers of ranks, the root may have none.
 * Then its node gets the data first, and rail 0 takes them on.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/calls.h"

static void facts_of(const struct symm_arguments *a, struct symm_nodes_facts *facts)
{
    facts->bytes = mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount);
    facts->root = a->root;
}

static void near_bcast(int *error, mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a,
                       int root)
{
    struct symm_arguments arguments = *a;
    arguments.root = root;
    if (nodes->node != NULL) {
        mca_coll_symm_step(error, nodes->node, SYMM_MPI_FUNCTION_bcast, arguments);
    }
}

static void rail_bcast(int *error, mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a,
                       int root)
{
    struct symm_arguments arguments = *a;
    arguments.root = root;
    mca_coll_symm_step_between(
        error, nodes, SYMM_MPI_FUNCTION_bcast, arguments,
        nodes->topology.node == root ? mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) : 0);
}

static int leaders(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    const struct symm_topology *topology = &nodes->topology;
    int node = topology->node_of[a->root], local = topology->local_of[a->root];
    bool is_near = node == topology->node, has_rail = local < topology->rails;
    int rail = has_rail ? local : 0, error = OMPI_SUCCESS;
    if (is_near && !has_rail) {
        near_bcast(&error, nodes, a, local);
    }
    if (topology->local == rail) {
        rail_bcast(&error, nodes, a, node);
    }
    if (!is_near || has_rail) {
        near_bcast(&error, nodes, a, rail);
    }
    return error;
}

const struct symm_nodes_row mca_coll_symm_nodes_bcast = {
    .facts = facts_of, .leaders = leaders, .anywhere = SYMM_NODES_ANYWHERE(SYMM_NODES_LEADERS)};
