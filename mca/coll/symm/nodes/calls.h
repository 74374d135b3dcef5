/*
 * nodes/calls.h - the collectives that have a plan over several nodes: what all ranks know of a
 * call, and how each plan makes it.
 *
 * A row is in a file of its collective's, or pair's.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_CALLS_H
#define MCA_COLL_SYMM_NODES_CALLS_H

#include "mca/coll/symm/nodes/module.h"
#include "mca/coll/symm/nodes/plan.h"
#include "mca/coll/symm/nodes/steps.h"

struct symm_nodes_row {
    /* The facts, of which the collective is known and the rest is zero. */
    void (*facts)(const struct symm_arguments *a, struct symm_nodes_facts *facts);
    mca_coll_symm_nodes_describe_t *leaders, *rails; /* NULL: no plan of that kind */

    /*
     * Which plans make calls wherever their buffers are, unless they say NOT_SUPPORTED of the first
     * piece.  Other plans get copies in host memory.
     */
    unsigned anywhere; /* of SYMM_NODES_ANYWHERE(plan) */
};
#define SYMM_NODES_ANYWHERE(plan) (1U << (plan))

#define SYMM_NODES_ROW_DECLARE(NUMBER, name) \
    extern const struct symm_nodes_row mca_coll_symm_nodes_##name;
SYMM_NODES_COLLECTIVES(SYMM_NODES_ROW_DECLARE)
#undef SYMM_NODES_ROW_DECLARE

/* How many elements a rank has, in collectives with a count of each rank or one for all. */
static inline size_t mca_coll_symm_nodes_count(enum symm_collective collective,
                                               const struct symm_arguments *a, int rank)
{
    return symm_collective_get(collective)->has_counts ? symm_count_at(a->rcounts, (size_t)rank)
                                                       : (size_t)a->rcount;
}

/* The bytes of the blocks of all ranks. */
static inline size_t mca_coll_symm_nodes_bytes(enum symm_collective collective,
                                               const struct symm_arguments *a)
{
    size_t count = 0;
    for (int rank = 0; rank < ompi_comm_size(a->comm); rank++) {
        count += mca_coll_symm_nodes_count(collective, a, rank);
    }
    return mca_coll_symm_bytes(a->rdtype, count);
}

/* Facts of reductions. */
static inline void mca_coll_symm_nodes_reduction_facts(const struct symm_arguments *a,
                                                       struct symm_nodes_facts *facts)
{
    facts->bytes = mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount);
    facts->commutes = ompi_op_is_commute(a->op);
    facts->root = a->root;
}

/* What a rank gives to a reduction, `at` elements behind its beginning. */
static inline const void *mca_coll_symm_nodes_input(const struct symm_arguments *a, size_t at)
{
    return mca_coll_symm_element(a->sbuf == MPI_IN_PLACE ? a->rbuf : a->sbuf, at, a->rdtype);
}

/*
 * Append the work that reduces parts of `count` elements, one of each node, in the order of the
 * nodes: into `mine`, which is this node's.  Those of others are in `room`, each so many elements
 * behind the one before.
 */
void mca_coll_symm_parts_reduce(struct symm_nodes_call *call, void *mine, const void *room,
                                size_t stride, size_t count);

/*
 * Append a reduction of `count` elements of each rank of a rail, in the order of the nodes, to all
 * of them: in place at `data`.  `room` has space for as many elements and one more for each node.
 *
 * By an all-to-all, reductions of our own and an all-gather.  The component below moves data only:
 * its reductions of device memory would be made by the host, and their order is its own.
 */
void mca_coll_symm_rail_reduce(struct symm_nodes_call *call, void *data, void *room, size_t count);

#endif /* MCA_COLL_SYMM_NODES_CALLS_H */
