/*
 * coll_symm_layer.h - our place in a communicator's table of collectives, and what stood there before.
 *
 * Every module of ours begins with a layer.  On communicators that we do not serve it is all there is: its
 * functions copy device buffers to host memory for the component below (coll_symm_staging.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_LAYER_H
#define MCA_COLL_SYMM_LAYER_H

#include "mca/ompi_compat.h"

/* The blocking collectives that touch memory, under the names that Open MPI's tables have for them. */
#define SYMM_COLLECTIVES(F)   \
    F(allgather) \
    F(allgatherv) \
    F(allreduce) \
    F(alltoall) \
    F(alltoallv) \
    F(alltoallw) \
    F(bcast) \
    F(exscan) \
    F(gather) \
    F(gatherv) \
    F(reduce) \
    F(reduce_scatter) \
    F(reduce_scatter_block) \
    F(scan) \
    F(scatter) \
    F(scatterv) \
    F(neighbor_allgather) \
    F(neighbor_allgatherv) \
    F(neighbor_alltoall) \
    F(neighbor_alltoallv) \
    F(neighbor_alltoallw) \
    F(reduce_local)

/* One of them: SYMM_STAGED_allgather and so on. */
enum symm_staged {
#define SYMM_STAGED_NUMBER(name) SYMM_STAGED_##name,
    SYMM_COLLECTIVES(SYMM_STAGED_NUMBER)
#undef SYMM_STAGED_NUMBER
    SYMM_STAGED_COUNT
};

/* Why device buffers of a call are staged. */
enum symm_staged_why {
    SYMM_STAGED_KIND,      /* a collective that is never served */
    SYMM_STAGED_FELL_BACK, /* one that is, on a communicator that is: there was a reason against this call */
    SYMM_STAGED_ALONE,     /* the communicator is not served: it has one rank */
    SYMM_STAGED_NODES,     /* its ranks are on several nodes */
    SYMM_STAGED_INTER,     /* it is an inter-communicator */
    SYMM_STAGED_COMPONENT, /* some of its processes do not have this component */
    SYMM_STAGED_WHY_COUNT
};

struct mca_coll_symm_layer_t {
    mca_coll_base_module_t super;
    mca_coll_base_comm_coll_t before; /* what stood in the slots that are ours now, and its modules */
    const struct symm_operation *below; /* a call of ours that is made there now; NULL: none */
    enum symm_staged_why why; /* its communicator's all-reduces and all-gathers come to be staged */
};
typedef struct mca_coll_symm_layer_t mca_coll_symm_layer_t;
OBJ_CLASS_DECLARATION(mca_coll_symm_layer_t);

/* What calls that we do not serve go to. */
static inline const mca_coll_base_comm_coll_t *mca_coll_symm_before(
    const mca_coll_base_module_t *module)
{
    return &((const mca_coll_symm_layer_t *)module)->before;
}

/* Why a call on device buffers comes to be staged. */
static inline enum symm_staged_why mca_coll_symm_staged_why(enum symm_staged collective,
                                                            const mca_coll_base_module_t *module)
{
    bool may_be_served = collective == SYMM_STAGED_allreduce || collective == SYMM_STAGED_allgather;
    return may_be_served ? ((const mca_coll_symm_layer_t *)module)->why : SYMM_STAGED_KIND;
}

/*
 * Take over slots of the communicator's table, from within module_enable: those that the module has
 * functions for, and if device buffers are staged, all others that are not empty.
 */
void mca_coll_symm_layer_enable(mca_coll_symm_layer_t *layer, struct ompi_communicator_t *comm);

/* For module_disable. */
int mca_coll_symm_layer_disable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm);

/* A layer and nothing else, with a priority above that of the component for communicators of one rank. */
mca_coll_base_module_t *mca_coll_symm_layer_query(struct ompi_communicator_t *comm, int *priority);

#endif /* MCA_COLL_SYMM_LAYER_H */
