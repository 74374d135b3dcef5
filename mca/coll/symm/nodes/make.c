/*
 * nodes/make.c - see nodes/make.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/make.h"

#include <stdlib.h>

#include "heap/team/process.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/nodes/present.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/verbose.h"

/* The one that this thread is making: components are asked for others meanwhile, too. */
static _Thread_local const struct ompi_communicator_t *making;

bool mca_coll_symm_nodes_is_own(const struct ompi_communicator_t *comm)
{
    return comm == making;
}

/* ---- where ranks are ------------------------------------------------------------------------- */

static bool is_near(const struct ompi_communicator_t *comm, int rank)
{
    return OPAL_PROC_ON_LOCAL_NODE(
        ompi_group_peer_lookup(comm->c_local_group, rank)->super.proc_flags);
}

static int lowest_near(const struct ompi_communicator_t *comm)
{
    int rank = 0;
    while (!is_near(comm, rank)) {
        rank++;
    }
    return rank;
}

/* Whether this rank's node is what all others take for it. */
static bool is_agreed(const struct symm_topology *topology, const struct ompi_communicator_t *comm)
{
    for (int rank = 0; rank < topology->size; rank++) {
        if (is_near(comm, rank) != (topology->node_of[rank] == topology->node)) {
            return false;
        }
    }
    return true;
}

/* ---- scratch --------------------------------------------------------------------------------- */

/* From the heap, where the node's other ranks reach it; elsewhere their steps take copies more. */
static bool scratch_get(mca_coll_symm_nodes_t *nodes)
{
    void *block = NULL;
    struct symm_heap *heap = symm_process_heap(mca_coll_symm_component.process);
    nodes->is_in_heap = symm_heap_alloc(heap, SYMM_NODES_SCRATCH, 0, &block) == SYMM_OK;
    nodes->scratch = nodes->is_in_heap ? block : malloc(SYMM_NODES_SCRATCH);
    return nodes->scratch != NULL;
}

static void device_scratch_put(mca_coll_symm_nodes_t *nodes)
{
    struct symm_heap *heap;
    if (nodes->device_scratch != NULL &&
        symm_process_device_heap(mca_coll_symm_component.process, nodes->device, &heap) ==
            SYMM_OK) {
        (void)symm_heap_free(heap, nodes->device_scratch);
    }
    nodes->device_scratch = NULL;
}

static void scratch_put(mca_coll_symm_nodes_t *nodes)
{
    device_scratch_put(nodes);
    if (nodes->is_in_heap) {
        (void)symm_heap_free(symm_process_heap(mca_coll_symm_component.process), nodes->scratch);
    } else {
        free(nodes->scratch);
    }
    nodes->is_in_heap = false;
    nodes->scratch = NULL;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* All this rank's part that can fail without the others.  `lowest` is known of all ranks. */
static bool parts_make(mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm,
                       const int *lowest)
{
    struct symm_topology *topology = &nodes->topology;
    if (!symm_topology_make(topology, lowest, ompi_comm_size(comm), ompi_comm_rank(comm)) ||
        !is_agreed(topology, comm)) {
        return false;
    }
    int *rail = malloc((size_t)topology->nodes * sizeof(*rail));
    bool is_made = rail != NULL && scratch_get(nodes);
    if (is_made && symm_topology_has_node(topology)) {
        nodes->node = symm_ompi_comm_new(comm, &topology->ranks[topology->first[topology->node]],
                                         symm_topology_count(topology, topology->node), "node");
        is_made = nodes->node != NULL;
    }
    if (is_made && symm_topology_has_rail(topology)) {
        for (int node = 0; node < topology->nodes; node++) {
            rail[node] = symm_topology_rank(topology, node, topology->local);
        }
        nodes->rail = symm_ompi_comm_new(comm, rail, topology->nodes, "rail");
        /* it would ask all ranks whether they are on one node, and then take itself out */
        is_made = nodes->rail != NULL && symm_ompi_comm_exclude(nodes->rail, "^han");
    }
    free(rail);
    return is_made;
}

/* Whether all ranks say so. */
static bool all_say(bool mine, struct ompi_communicator_t *comm)
{
    int least = 0;
    return symm_ompi_least_int(mine, &least, comm) == OMPI_SUCCESS && least != 0;
}

static bool begin(struct ompi_communicator_t **part, struct ompi_communicator_t *comm)
{
    if (*part == NULL) {
        return true;
    }
    making = *part;
    int rc = symm_ompi_comm_begin(part, comm);
    making = NULL;
    if (rc != OMPI_SUCCESS) {
        *part = NULL;
    }
    return rc == OMPI_SUCCESS;
}

/*
 * Ranks vote before each step in which a rank that stays away would leave the others waiting: the
 * first time that they have memory and numbers, the second time about all parts, and then that the
 * communicators are there.
 */
static bool make(mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm)
{
    int mine = lowest_near(comm);
    int *lowest = malloc((size_t)ompi_comm_size(comm) * sizeof(*lowest));
    bool is_made = all_say(lowest != NULL && symm_ompi_has_comm_numbers(), comm);
    if (is_made) {
        is_made = symm_ompi_allgather_ints(&mine, 1, lowest, comm) == OMPI_SUCCESS &&
                  parts_make(nodes, comm, lowest);
        is_made = all_say(is_made, comm);
    }
    free(lowest);
    if (!is_made || nodes->topology.most == 1) {
        /* these have no numbers yet, and are no communicators for those who look for them */
        if (nodes->node != NULL) {
            OBJ_RELEASE(nodes->node);
        }
        if (nodes->rail != NULL) {
            OBJ_RELEASE(nodes->rail);
        }
        nodes->node = nodes->rail = NULL;
        return false;
    }
    bool has_node = begin(&nodes->node, comm);
    bool has_rail = begin(&nodes->rail, comm);
    return all_say(has_node && has_rail, comm);
}

void mca_coll_symm_nodes_end(mca_coll_symm_nodes_t *nodes)
{
    symm_ompi_comm_end(&nodes->node);
    symm_ompi_comm_end(&nodes->rail);
    symm_topology_end(&nodes->topology);
    scratch_put(nodes);
}

/* ---- when ------------------------------------------------------------------------------------ */

enum { CREDIT = 16, LARGE = 64 << 10 };

static void tell(const mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm,
                 bool are_present)
{
    const struct symm_topology *topology = &nodes->topology;
    if (ompi_comm_rank(comm) != 0) {
        return;
    }
    if (nodes->state == SYMM_NODES_MADE) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, comm,
                                    "%d ranks on %d nodes, with %d to %d ranks%s: by node and rail",
                                    topology->size, topology->nodes, topology->rails,
                                    topology->most, topology->ordered ? "" : ", not node by node");
    } else {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, comm, "%d ranks: not served: %s",
                                    ompi_comm_size(comm),
                                    are_present ? "no node has two ranks, or communicators for "
                                                  "nodes could not be made"
                                                : "some process runs without the component, with "
                                                  "another coll_symm_priority, or with "
                                                  "coll_symm_nodes never");
    }
}

bool mca_coll_symm_nodes_ready(mca_coll_symm_nodes_t *nodes, struct ompi_communicator_t *comm,
                               size_t bytes)
{
    if (nodes->state == SYMM_NODES_NEW) {
        nodes->credit += bytes >= LARGE ? CREDIT : 1;
        if (nodes->credit >= CREDIT) {
            bool are_present = mca_coll_symm_are_present(comm);
            bool is_made = are_present && make(nodes, comm);
            nodes->state = is_made ? SYMM_NODES_MADE : SYMM_NODES_NONE;
            tell(nodes, comm, are_present);
            if (!is_made) {
                mca_coll_symm_count_unserved(are_present ? SYMM_UNSERVED_NODES
                                                         : SYMM_UNSERVED_COMPONENT);
                mca_coll_symm_nodes_end(nodes);
            }
        }
    }
    return nodes->state == SYMM_NODES_MADE;
}
