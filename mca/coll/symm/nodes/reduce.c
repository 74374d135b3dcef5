/*
 * nodes/reduce.c - MPI_Reduce over several nodes.
 *
 * Little data are reduced on each node to the rank with the root's local number, and from there
 * along its rail.  Of more, each rank of a node reduces a slice, each rail takes its slices to the
 * root's node, and the root gets them there.  So does a root that has no rail.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/slices.h"

/* Along a rail to the root's node: there in place, and elsewhere from `data`. */
static void rail_reduce(struct symm_nodes_call *call, const void *data, void *result, size_t count)
{
    int node = call->nodes->topology.node_of[call->a.root];
    bool is_near = call->nodes->topology.node == node;
    mca_coll_symm_step_between(
        call, SYMM_REDUCE,
        (struct symm_arguments){.sbuf = is_near ? MPI_IN_PLACE : data,
                                .rbuf = is_near ? result : NULL, .rcount = (symm_count_t)count,
                                .rdtype = call->a.rdtype, .op = call->a.op, .root = node},
        mca_coll_symm_bytes(call->a.rdtype, count));
}

/* The root has a rail.  On other nodes the rank on that rail needs room for the node's sum. */
static int leaders(struct symm_nodes_call *call)
{
    const struct symm_arguments *a = &call->a;
    const struct symm_topology *topology = &call->nodes->topology;
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    int local = topology->local_of[a->root];
    const void *input = mca_coll_symm_nodes_input(a, 0);
    if (!mca_coll_symm_room_open(call, 0, SYMM_NODES_SCRATCH, a->rdtype, (size_t)a->rcount)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    void *between = call->rooms[0].at;
    if (call->nodes->node != NULL) {
        mca_coll_symm_step(call, call->nodes->node, SYMM_REDUCE,
                           (struct symm_arguments){
                               .sbuf = is_root ? a->sbuf : input,
                               .rbuf = is_root ? a->rbuf : between, .rcount = a->rcount,
                               .rdtype = a->rdtype, .op = a->op, .root = local});
        input = between;
    } else if (is_root && a->sbuf != MPI_IN_PLACE) {
        mca_coll_symm_step_copy(call, a->sbuf, a->rbuf, (size_t)a->rcount, a->rdtype);
    }
    if (topology->local == local) {
        rail_reduce(call, input, a->rbuf, (size_t)a->rcount);
    }
    return OMPI_SUCCESS;
}

static void along(struct symm_nodes_call *call, void *slice, size_t count)
{
    rail_reduce(call, slice, slice, count);
}

static int rails(struct symm_nodes_call *call)
{
    const struct symm_topology *topology = &call->nodes->topology;
    return mca_coll_symm_slices_describe(call, along,
                                         topology->node == topology->node_of[call->a.root],
                                         topology->local_of[call->a.root]);
}

const struct symm_nodes_row mca_coll_symm_nodes_reduce = {
    .facts = mca_coll_symm_nodes_reduction_facts, .leaders = leaders, .rails = rails,
    .anywhere = SYMM_NODES_ANYWHERE(SYMM_NODES_RAILS)};
