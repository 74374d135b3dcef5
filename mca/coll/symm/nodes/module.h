/*
 * nodes/module.h - a communicator whose ranks are on several nodes: what the component keeps for
 * it.
 *
 * It has two layers (base/layer.h).  Below `super` are the functions that the communicator has
 * without us: a call that goes to them is *flat*.  Below `above` are our plans: by it, calls on
 * device memory are made with copies in host memory.
 *
 * A plan makes a call by collectives of two communicators, which the component makes for itself
 * (nodes/make.h).  The component serves the node's as it serves any other.  On the rail, whatever
 * Open MPI selects moves the data between nodes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NODES_MODULE_H
#define MCA_COLL_SYMM_NODES_MODULE_H

#include <stdatomic.h>

#include "mca/coll/symm/base/layer.h"
#include "mca/coll/symm/base/plans.h"
#include "mca/coll/symm/nodes/topology.h"

enum symm_nodes_state {
    SYMM_NODES_NEW,  /* nothing has been made: all calls are flat until some want a plan */
    SYMM_NODES_MADE, /* there are communicators */
    SYMM_NODES_NONE, /* all calls are flat, for good */
};

struct mca_coll_symm_nodes_t {
    mca_coll_symm_layer_t super;
    mca_coll_symm_layer_t above; /* our plans as what is below a layer */
    enum symm_nodes_state state;
    enum symm_nodes_plan plan; /* of the call that the program makes, and its bytes */
    size_t bytes;
    unsigned credit; /* of calls that wanted a plan, until there are communicators */
    struct symm_topology topology;
    struct ompi_communicator_t *node; /* NULL: this rank is alone on its node */
    struct ompi_communicator_t *rail; /* NULL: this rank is on none */
    unsigned char *scratch;           /* SYMM_NODES_SCRATCH bytes */
    bool is_in_heap;
    void *device_scratch; /* half as much, of a device; NULL: none yet */
    int device;
    unsigned issued;       /* nonblocking calls with plans, which are made one after the other */
    _Atomic unsigned over; /* so many of them are over */

    struct ompi_communicator_t *parent; /* the program's, once there are some of ours */
    struct mca_coll_symm_nodes_t *next_watched; /* for nodes/failures.c */
    _Atomic bool is_revoked;
};
typedef struct mca_coll_symm_nodes_t mca_coll_symm_nodes_t;
OBJ_CLASS_DECLARATION(mca_coll_symm_nodes_t);

/* Pages that are not used take no memory.  Plans use two halves, of 2 MiB and a little more. */
enum { SYMM_NODES_SCRATCH = (4 << 20) + (128 << 10) };

/* Whether a communicator has ranks on several nodes, and may get plans. */
bool mca_coll_symm_nodes_may_serve(struct ompi_communicator_t *comm);

/* A module for such a communicator.  NULL: there is no memory, and calls are flat. */
mca_coll_base_module_t *mca_coll_symm_nodes_query(void);

#endif /* MCA_COLL_SYMM_NODES_MODULE_H */
