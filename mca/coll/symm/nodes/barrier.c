/*
 * nodes/barrier.c - MPI_Barrier over several nodes: a node's ranks arrive at its leader, leaders
 * meet, and each leader lets its node go on.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/calls.h"

static void facts_of(const struct symm_arguments *a, struct symm_nodes_facts *facts)
{
    (void)a;
    (void)facts;
}

/* Calls without data would end at once. */
static int leaders(struct symm_nodes_call *call)
{
    struct ompi_communicator_t *node = call->nodes->node;
    struct symm_arguments step = {.sbuf = &call->byte[0], .rbuf = &call->byte[1], .rcount = 1,
                                  .rdtype = MPI_BYTE, .op = MPI_BOR};
    if (node != NULL) {
        mca_coll_symm_step(call, node, SYMM_REDUCE, step);
    }
    if (call->nodes->topology.local == 0) {
        mca_coll_symm_step_between(call, SYMM_BARRIER, (struct symm_arguments){.root = 0}, 0);
    }
    if (node != NULL) {
        mca_coll_symm_step(call, node, SYMM_BCAST, step);
    }
    return OMPI_SUCCESS;
}

const struct symm_nodes_row mca_coll_symm_nodes_barrier = {.facts = facts_of, .leaders = leaders};
