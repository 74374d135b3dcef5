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
static int leaders(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a)
{
    unsigned char sent = 0, met = 0;
    int error = OMPI_SUCCESS;
    (void)a;
    if (nodes->node != NULL) {
        mca_coll_symm_step(&error, nodes->node, SYMM_MPI_FUNCTION_reduce,
                           (struct symm_arguments){.sbuf = &sent, .rbuf = &met, .rcount = 1,
                                                   .rdtype = MPI_BYTE, .op = MPI_BOR});
    }
    if (nodes->topology.local == 0) {
        mca_coll_symm_step_between(&error, nodes, SYMM_MPI_FUNCTION_barrier,
                                   (struct symm_arguments){.root = 0}, 0);
    }
    if (nodes->node != NULL) {
        mca_coll_symm_step(&error, nodes->node, SYMM_MPI_FUNCTION_bcast,
                           (struct symm_arguments){.rbuf = &met, .rcount = 1, .rdtype = MPI_BYTE});
    }
    return error;
}

const struct symm_nodes_row mca_coll_symm_nodes_barrier = {.facts = facts_of, .leaders = leaders};
