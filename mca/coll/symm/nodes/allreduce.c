/*
 * nodes/allreduce.c - MPI_Allreduce over several nodes.
 *
 * Little data are reduced to a leader of each node, which reduce them with each other.  Of more,
 * each rank of a node gets a slice, which it reduces along its rail: so all links between nodes
 * carry parts at the same time, each byte once to and from each node (as NCCL's rails, UCC's
 * split_rail; J. Traff and others, "Full-lane collectives", 2020).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/slices.h"

static int leaders(struct symm_nodes_call *call)
{
    const struct symm_arguments *a = &call->a;
    struct ompi_communicator_t *node = call->nodes->node;
    bool is_leader = call->nodes->topology.local == 0;
    struct symm_arguments step = {.rcount = a->rcount, .rdtype = a->rdtype, .op = a->op};
    if (node != NULL) {
        step.sbuf = is_leader ? a->sbuf : mca_coll_symm_nodes_input(a, 0);
        step.rbuf = is_leader ? a->rbuf : NULL;
        mca_coll_symm_step(call, node, SYMM_REDUCE, step);
    } else if (a->sbuf != MPI_IN_PLACE) {
        mca_coll_symm_step_copy(call, a->sbuf, a->rbuf, (size_t)a->rcount, a->rdtype);
    }
    step.rbuf = a->rbuf;
    if (is_leader) {
        step.sbuf = MPI_IN_PLACE;
        mca_coll_symm_step_between(call, SYMM_ALLREDUCE, step,
                                   mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount));
    }
    if (node != NULL) {
        mca_coll_symm_step(call, node, SYMM_BCAST, step);
    }
    return OMPI_SUCCESS;
}

/* ---- rails ----------------------------------------------------------------------------------- */

static void along(struct symm_nodes_call *call, void *slice, size_t count)
{
    mca_coll_symm_rail_reduce(call, slice, call->rooms[1].at, count);
}

static int rails(struct symm_nodes_call *call)
{
    return mca_coll_symm_slices_describe(call, along, true, SYMM_SLICES_ALL);
}

const struct symm_nodes_row mca_coll_symm_nodes_allreduce = {
    .facts = mca_coll_symm_nodes_reduction_facts, .leaders = leaders, .rails = rails,
    .anywhere = SYMM_NODES_ANYWHERE(SYMM_NODES_RAILS)};
