/*
 * nodes/topology.c - see nodes/topology.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/topology.h"

#include <stdlib.h>
#include <string.h>

static bool is_consistent(const int *lowest, int size)
{
    for (int rank = 0; rank < size; rank++) {
        if (lowest[rank] < 0 || lowest[rank] > rank || lowest[lowest[rank]] != lowest[rank]) {
            return false;
        }
    }
    return true;
}

static bool room_make(struct symm_topology *topology, int size)
{
    int *room = calloc(4 * (size_t)size + 1, sizeof(*room));
    topology->node_of = room;
    if (room == NULL) {
        return false;
    }
    topology->local_of = room + size;
    topology->ranks = room + 2 * size;
    topology->first = room + 3 * size;
    return true;
}

/* Numbers of nodes, and local numbers; first[node] counts the node's ranks meanwhile. */
static void numbers_give(struct symm_topology *topology, const int *lowest)
{
    topology->nodes = 0;
    for (int rank = 0; rank < topology->size; rank++) {
        int node = lowest[rank] == rank ? topology->nodes++ : topology->node_of[lowest[rank]];
        if (lowest[rank] == rank) {
            topology->first[node] = 0;
        }
        topology->node_of[rank] = node;
        topology->local_of[rank] = topology->first[node]++;
    }
}

static void ranks_order(struct symm_topology *topology)
{
    int begin = 0;
    topology->rails = topology->first[0];
    topology->most = 0;
    for (int node = 0; node < topology->nodes; node++) {
        int count = topology->first[node];
        topology->rails = count < topology->rails ? count : topology->rails;
        topology->most = count > topology->most ? count : topology->most;
        topology->first[node] = begin;
        begin += count;
    }
    topology->first[topology->nodes] = begin;
    topology->ordered = true;
    for (int rank = 0; rank < topology->size; rank++) {
        int place = topology->first[topology->node_of[rank]] + topology->local_of[rank];
        topology->ranks[place] = rank;
        topology->ordered = topology->ordered && place == rank;
    }
}

bool symm_topology_make(struct symm_topology *topology, const int *lowest, int size, int rank)
{
    memset(topology, 0, sizeof(*topology));
    if (!is_consistent(lowest, size) || !room_make(topology, size)) {
        return false;
    }
    topology->size = size;
    numbers_give(topology, lowest);
    ranks_order(topology);
    topology->node = topology->node_of[rank];
    topology->local = topology->local_of[rank];
    return true;
}

void symm_topology_end(struct symm_topology *topology)
{
    free(topology->node_of);
    topology->node_of = NULL;
}
