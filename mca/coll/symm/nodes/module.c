/*
 * nodes/module.c - see nodes/module.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/module.h"

#include "mca/coll/symm/host_copy/layer.h"
#include "mca/coll/symm/nodes/entry.h"
#include "mca/coll/symm/nodes/make.h"

static void nodes_construct(mca_coll_symm_nodes_t *nodes)
{
    OBJ_CONSTRUCT(&nodes->above, mca_coll_symm_layer_t);
    nodes->state = SYMM_NODES_NEW;
    nodes->credit = 0;
    memset(&nodes->topology, 0, sizeof(nodes->topology));
    nodes->node = nodes->rail = NULL;
    nodes->scratch = NULL;
    nodes->is_in_heap = false;
    nodes->device_scratch = NULL;
    nodes->parent = NULL;
    nodes->next_watched = NULL;
    atomic_init(&nodes->is_revoked, false);
    nodes->issued = 0;
    atomic_init(&nodes->over, 0);
}

static void nodes_destruct(mca_coll_symm_nodes_t *nodes)
{
    mca_coll_symm_nodes_end(nodes);
    memset(&nodes->above.below_table, 0, sizeof(nodes->above.below_table)); /* it holds nothing */
    OBJ_DESTRUCT(&nodes->above);
}

OBJ_CLASS_INSTANCE(mca_coll_symm_nodes_t, mca_coll_symm_layer_t, nodes_construct, nodes_destruct);

static int enable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    mca_coll_symm_nodes_t *nodes = (mca_coll_symm_nodes_t *)base;
    mca_coll_symm_layer_enable(&nodes->super, comm);
    mca_coll_symm_nodes_entries_put_above(nodes);
    return OMPI_SUCCESS;
}

bool mca_coll_symm_nodes_may_serve(struct ompi_communicator_t *comm)
{
    enum { LEAST = 3 }; /* ranks, if a node is to have two */
    return !OMPI_COMM_IS_INTER(comm) && ompi_group_have_remote_peers(comm->c_local_group) &&
           ompi_comm_size(comm) >= LEAST && symm_ompi_can_make_comms() &&
           !mca_coll_symm_nodes_is_own(comm);
}

mca_coll_base_module_t *mca_coll_symm_nodes_query(void)
{
    mca_coll_symm_nodes_t *nodes = OBJ_NEW(mca_coll_symm_nodes_t);
    if (nodes == NULL) {
        return NULL;
    }
    nodes->super.why = nodes->above.why = SYMM_HOST_COPY_NODES;
    nodes->above.needs_host = true;
    nodes->super.super.coll_module_enable = enable;
    nodes->super.super.coll_module_disable = mca_coll_symm_layer_disable;
    mca_coll_symm_nodes_entries_offer(&nodes->super.super);
    return &nodes->super.super;
}
