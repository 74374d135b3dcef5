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

static void near_bcast(struct symm_nodes_call *call, int root)
{
    struct symm_arguments arguments = call->a;
    arguments.root = root;
    if (call->nodes->node != NULL) {
        mca_coll_symm_step(call, call->nodes->node, SYMM_BCAST, arguments);
    }
}

static void rail_bcast(struct symm_nodes_call *call, int root)
{
    struct symm_arguments arguments = call->a;
    bool is_near = call->nodes->topology.node == root;
    arguments.root = root;
    mca_coll_symm_step_between(
        call, SYMM_BCAST, arguments,
        is_near ? mca_coll_symm_bytes(arguments.rdtype, (size_t)arguments.rcount) : 0);
}

static int leaders(struct symm_nodes_call *call)
{
    const struct symm_topology *topology = &call->nodes->topology;
    int node = topology->node_of[call->a.root], local = topology->local_of[call->a.root];
    bool is_near = node == topology->node, has_rail = local < topology->rails;
    int rail = has_rail ? local : 0;
    if (is_near && !has_rail) {
        near_bcast(call, local);
    }
    if (topology->local == rail) {
        rail_bcast(call, node);
    }
    if (!is_near || has_rail) {
        near_bcast(call, rail);
    }
    return OMPI_SUCCESS;
}

const struct symm_nodes_row mca_coll_symm_nodes_bcast = {
    .facts = facts_of, .leaders = leaders, .anywhere = SYMM_NODES_ANYWHERE(SYMM_NODES_LEADERS)};
