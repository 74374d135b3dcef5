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
static void rail_reduce(int *error, mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a,
                        const void *data, void *result, size_t count)
{
    int node = nodes->topology.node_of[a->root];
    bool is_near = nodes->topology.node == node;
    mca_coll_symm_step_between(
        error, nodes, SYMM_MPI_FUNCTION_reduce,
        (struct symm_arguments){.sbuf = is_near ? MPI_IN_PLACE : data,
                                .rbuf = is_near ? result : NULL, .rcount = (symm_count_t)count,
                                .rdtype = a->rdtype, .op = a->op, .root = node},
        mca_coll_symm_bytes(a->rdtype, count));
}

/* `between` is for ranks of the rail on other nodes. */
static void node_reduce(int *error, mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a,
                        void *between)
{
    const struct symm_topology *topology = &nodes->topology;
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    int local = topology->local_of[a->root];
    const void *input = mca_coll_symm_nodes_input(a, 0);
    if (nodes->node != NULL) {
        mca_coll_symm_step(error, nodes->node, SYMM_MPI_FUNCTION_reduce,
                           (struct symm_arguments){
                               .sbuf = is_root ? a->sbuf : input,
                               .rbuf = is_root ? a->rbuf : between, .rcount = a->rcount,
                               .rdtype = a->rdtype, .op = a->op, .root = local});
        input = between;
    } else if (is_root && a->sbuf != MPI_IN_PLACE) {
        mca_coll_symm_step_copy(error, a->sbuf, a->rbuf, (size_t)a->rcount, a->rdtype);
    }
    if (topology->local == local) {
        rail_reduce(error, nodes, a, input, a->rbuf, (size_t)a->rcount);
    }
}

static int leaders(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    struct symm_room room;
    int error = OMPI_SUCCESS;
    if (!mca_coll_symm_room_open(&room, nodes->scratch, SYMM_NODES_SCRATCH, a->rdtype,
                                 (size_t)a->rcount)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    node_reduce(&error, nodes, a, room.at);
    mca_coll_symm_room_close(&room);
    return error;
}

static void along(struct symm_slices *slices, void *slice, size_t count)
{
    rail_reduce(&slices->error, slices->nodes, slices->a, slice, slice, count);
}

static int rails(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    const struct symm_topology *topology = &nodes->topology;
    return mca_coll_symm_slices_make(nodes, a, along,
                                     topology->node == topology->node_of[a->root],
                                     topology->local_of[a->root]);
}

const struct symm_nodes_row mca_coll_symm_nodes_reduce = {
    .facts = mca_coll_symm_nodes_reduction_facts, .leaders = leaders, .rails = rails,
    .anywhere = SYMM_NODES_ANYWHERE(SYMM_NODES_RAILS)};
