/*
 * base/layer.h - our place in a communicator's table of collectives, and what stood there before.
 *
 * Every module of ours begins with a layer.  A call that we do not serve goes to the component below, while
 * we step aside in the communicator's table.  What a layer does by itself, on communicators that we do
 * not serve, is in host_copy/layer.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_LAYER_H
#define MCA_COLL_SYMM_BASE_LAYER_H

#include <stddef.h>

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

/* A slot of a communicator's table: a function, and the module that it belongs to. */
struct symm_slot {
    void (*function)(void);
    mca_coll_base_module_t *owner;
};

/* Where the slots are in the tables. */
static const size_t mca_coll_symm_slot_offsets[SYMM_STAGED_COUNT] = {
#define SYMM_SLOT_OFFSET(name) offsetof(mca_coll_base_comm_coll_t, coll_##name),
    SYMM_COLLECTIVES(SYMM_SLOT_OFFSET)
#undef SYMM_SLOT_OFFSET
};

struct symm_below;

struct mca_coll_symm_layer_t {
    mca_coll_base_module_t super;
    mca_coll_base_comm_coll_t before; /* what stood in the slots that are ours now, and its modules */
    struct symm_below *below; /* an all-reduce or all-gather that is made there now; NULL: none */
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

/*
 * While a call is below, its slot holds what it would hold without us.  coll/han gives up calls by
 * putting what it found before itself into slots that it owns: in 4.1 it then calls through the
 * slot, and would come back to us for ever; in 5.0 it would try again in each call.  So later calls
 * go to what is found in the slot afterwards.  References to modules move along.
 *
 * No other thread may use the slot meanwhile: a communicator has one blocking collective at a time.
 * MPI_Reduce_local is none and may run in many threads, so nobody may step aside for it.
 */
struct symm_aside {
    unsigned char *slot; /* in the communicator's table; NULL: it holds that already */
    unsigned char *before;
    struct symm_slot found;
};

static inline void mca_coll_symm_layer_step_aside(struct symm_aside *aside,
                                                  enum symm_staged collective,
                                                  struct ompi_communicator_t *comm,
                                                  mca_coll_base_module_t *module)
{
    size_t offset = mca_coll_symm_slot_offsets[collective];
    struct symm_slot before;
    aside->slot = (unsigned char *)comm->c_coll + offset;
    aside->before = (unsigned char *)&((mca_coll_symm_layer_t *)module)->before + offset;
    memcpy(&aside->found, aside->slot, sizeof(aside->found));
    memcpy(&before, aside->before, sizeof(before));
    if (aside->found.owner == before.owner) {
        aside->slot = NULL;
    } else {
        memcpy(aside->slot, &before, sizeof(before));
    }
}

/* From interface 3 on tables hold no references, so ours goes over to a new owner by itself. */
void mca_coll_symm_layer_hold(const struct symm_aside *aside);

static inline void mca_coll_symm_layer_step_back(const struct symm_aside *aside)
{
    if (aside->slot != NULL) {
        if (SYMM_COLL_INTERFACE >= 3) {
            mca_coll_symm_layer_hold(aside);
        }
        memcpy(aside->before, aside->slot, sizeof(struct symm_slot));
        memcpy(aside->slot, &aside->found, sizeof(struct symm_slot));
    }
}

#endif /* MCA_COLL_SYMM_BASE_LAYER_H */
