/*
 * nodes/reduce.c - MPI_Reduce over several nodes: on each node to the rank with the root's local
 * number, and from there along its rail.
 *
 * Other nodes have no output: data go through scratch there, in pieces.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/calls.h"

enum { PIECE = 256 << 10 }; /* bytes; it stays in a cache between the two steps */

/* One piece of `count` elements, `at` from the beginning.  `between` is for ranks of the rail. */
static void piece_reduce(int *error, mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a,
                         size_t at, size_t count, void *between)
{
    const struct symm_topology *topology = &nodes->topology;
    const void *input = mca_coll_symm_nodes_input(a, at);
    bool is_root = ompi_comm_rank(a->comm) == a->root;
    int local = topology->local_of[a->root];
    struct symm_arguments step = {.sbuf = input, .rcount = (symm_count_t)count,
                                  .rdtype = a->rdtype, .op = a->op, .root = local};
    void *output = is_root ? mca_coll_symm_element(a->rbuf, at, a->rdtype) : between;
    if (nodes->node != NULL) {
        step.rbuf = output;
        step.sbuf = input == output ? MPI_IN_PLACE : input;
        mca_coll_symm_step(error, nodes->node, SYMM_MPI_FUNCTION_reduce, step);
    } else if (is_root && input != output) {
        mca_coll_symm_step_copy(error, input, output, count, a->rdtype);
    }
    if (topology->local == local) {
        step.sbuf = is_root ? MPI_IN_PLACE : nodes->node != NULL ? output : input;
        step.rbuf = is_root ? output : NULL;
        step.root = topology->node_of[a->root];
        mca_coll_symm_step_between(error, nodes, SYMM_MPI_FUNCTION_reduce, step,
                                   mca_coll_symm_bytes(a->rdtype, count));
    }
}

static int leaders(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    struct symm_room room;
    int error = OMPI_SUCCESS;
    size_t size = a->rdtype->super.size, total = (size_t)a->rcount;
    size_t most = size < PIECE ? PIECE / size : 1;
    if (!mca_coll_symm_room_open(&room, nodes->scratch, SYMM_NODES_SCRATCH, a->rdtype,
                                 most < total ? most : total)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (size_t at = 0; at < total; at += most) {
        piece_reduce(&error, nodes, a, at, total - at < most ? total - at : most, room.at);
    }
    mca_coll_symm_room_close(&room);
    return error;
}

const struct symm_nodes_row mca_coll_symm_nodes_reduce = {
    .facts = mca_coll_symm_nodes_reduction_facts, .leaders = leaders};
