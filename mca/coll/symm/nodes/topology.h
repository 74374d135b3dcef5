/*
 * nodes/topology.h - which rank of a communicator is on which node, and which ranks make a rail.
 *
 * Nodes have numbers in the order of their lowest ranks, and a node's ranks have local numbers in
 * the order of the communicator.  Rail k has the ranks with local number k, one of each node, as
 * long as each node has one.  Everything comes from one number of each rank, the lowest rank of its
 * node, so all ranks compute the same.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_TOPOLOGY_H
#define MCA_COLL_SYMM_NODES_TOPOLOGY_H

#include <stdbool.h>

struct symm_topology {
    int size;     /* ranks */
    int nodes;
    int rails;    /* the least number of ranks of a node */
    int most;     /* the greatest */
    bool ordered; /* ranks are node by node: every node's follow each other */
    int *node_of; /* by rank */
    int *local_of;
    int *first;   /* nodes + 1 of them: where a node's ranks begin in `ranks` */
    int *ranks;   /* node by node */
    int node, local; /* this rank's */
};

/* How many ranks a node has, and its rank with a local number. */
static inline int symm_topology_count(const struct symm_topology *topology, int node)
{
    return topology->first[node + 1] - topology->first[node];
}

static inline int symm_topology_rank(const struct symm_topology *topology, int node, int local)
{
    return topology->ranks[topology->first[node] + local];
}

/* This rank's node has other ranks; this rank is on a rail. */
static inline bool symm_topology_has_node(const struct symm_topology *topology)
{
    return symm_topology_count(topology, topology->node) > 1;
}

static inline bool symm_topology_has_rail(const struct symm_topology *topology)
{
    return topology->local < topology->rails;
}

/*
 * Make it for `rank` from the lowest rank of each rank's node.  False: there is no memory, or the
 * numbers contradict each other; then there is nothing to end.
 */
bool symm_topology_make(struct symm_topology *topology, const int *lowest, int size, int rank);
void symm_topology_end(struct symm_topology *topology);

#endif /* MCA_COLL_SYMM_NODES_TOPOLOGY_H */
