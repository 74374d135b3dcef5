/*
 * nodes/plan.c - see nodes/plan.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/plan.h"

#include <limits.h>

/* Bytes up to which data meet at leaders. */
enum {
    ALLREDUCE_LEADERS = 64 << 10,
    REDUCE_LEADERS = 32 << 10,
    ALLGATHER_LEADERS = 256 << 10,
    REDUCE_SCATTER_LEADERS = 2 << 10,
};

/*
 * Bytes up to which few ranks a node, node by node, stay flat.  Trees of broadcasts are nearly
 * hierarchical there, and their roots leave early.  Recursive doubling has the ranks beyond a power
 * of two give to others before, and get after: flat, to others of the node, but leaders do not.
 */
enum { FLAT_RANKS = 7, BCAST_FLAT = 32 << 10, ALLREDUCE_FLAT = 4 << 10 };

/*
 * Bytes of each node or rank from which rails are worth their messages to each node, and their
 * steps for each node or rank; with fewer, more nodes take longer than without us (bench/scale).
 */
enum {
    ALLREDUCE_RAILS = 8 << 10,       /* of a node */
    ALLGATHER_RAILS = 192 << 10,     /* of each other node */
    REDUCE_SCATTER_RAILS = 32 << 10, /* of a rank */
};

static enum symm_nodes_plan rails_from(const struct symm_nodes_facts *facts, int parts, size_t part)
{
    return facts->bytes >= (size_t)parts * part ? SYMM_NODES_RAILS : SYMM_NODES_FLAT;
}

/* Bytes of a pair, and of all pairs of a rank, up to which blocks are collected for a node. */
enum { ALLTOALL_PAIR = 4 << 10, ALLTOALL_RANK = 256 << 10 };

/*
 * Bytes up to which nonblocking and persistent calls are flat, as a step costs them more.  Open
 * MPI's own calls for numbers of communicators are among these, whose order differs from rank to
 * rank (MPI_Comm_idup), while nonblocking ones with plans are made in one order.
 */
enum { REQUEST_FLAT = 128 << 10 };

/*
 * A reduction takes a node's ranks first, and then nodes.  Where ranks are node by node, that is
 * the order of the ranks with other brackets, which an associative operation allows.
 */
static bool keeps_order(const struct symm_topology *topology, const struct symm_nodes_facts *facts)
{
    return facts->commutes || topology->ordered;
}

enum symm_nodes_plan mca_coll_symm_nodes_plan(const struct symm_topology *topology,
                                              const struct symm_nodes_facts *facts)
{
    if (facts->is_request && facts->bytes <= REQUEST_FLAT) {
        return SYMM_NODES_FLAT;
    }
    bool is_flat = topology->ordered && topology->most <= FLAT_RANKS;
    bool is_power_of_two = (topology->nodes & (topology->nodes - 1)) == 0;
    switch (facts->collective) {
    case SYMM_BARRIER:
        return SYMM_NODES_LEADERS;
    case SYMM_BCAST:
        return is_flat && facts->bytes <= BCAST_FLAT ? SYMM_NODES_FLAT : SYMM_NODES_LEADERS;
    case SYMM_ALLREDUCE:
        if (!keeps_order(topology, facts) ||
            (is_flat && !is_power_of_two && facts->bytes <= ALLREDUCE_FLAT)) {
            return SYMM_NODES_FLAT;
        }
        return facts->bytes <= ALLREDUCE_LEADERS
                   ? SYMM_NODES_LEADERS : rails_from(facts, topology->nodes, ALLREDUCE_RAILS);
    case SYMM_REDUCE:
        if (!keeps_order(topology, facts)) {
            return SYMM_NODES_FLAT;
        }
        return facts->bytes <= REDUCE_LEADERS &&
                       topology->local_of[facts->root] < topology->rails
                   ? SYMM_NODES_LEADERS : SYMM_NODES_RAILS;
    case SYMM_ALLGATHER:
    case SYMM_ALLGATHERV:
        if (facts->bytes <= ALLGATHER_LEADERS) {
            return SYMM_NODES_LEADERS;
        }
        /* displacements of blocks are of type int */
        return topology->rails == topology->most && facts->bytes <= INT_MAX
                   ? rails_from(facts, topology->nodes - 1, ALLGATHER_RAILS) : SYMM_NODES_FLAT;
    case SYMM_REDUCE_SCATTER:
    case SYMM_REDUCE_SCATTER_BLOCK:
        if (!keeps_order(topology, facts)) {
            return SYMM_NODES_FLAT;
        }
        if (facts->bytes <= REDUCE_SCATTER_LEADERS) {
            return SYMM_NODES_LEADERS;
        }
        return topology->rails == topology->most
                   ? rails_from(facts, topology->size, REDUCE_SCATTER_RAILS) : SYMM_NODES_FLAT;
    case SYMM_ALLTOALL:
        return topology->rails == topology->most && facts->bytes <= ALLTOALL_PAIR &&
                       facts->bytes * (size_t)topology->size <= ALLTOALL_RANK
                   ? SYMM_NODES_RAILS : SYMM_NODES_FLAT;
    default:
        return SYMM_NODES_FLAT;
    }
}
