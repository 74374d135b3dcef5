/*
 * base/layer.h - our place in a communicator's table of collectives, and the functions below it.
 *
 * Every module of ours begins with a layer.  The layer takes over entries and keeps what it has
 * found in them: the functions of the components below, and their modules.  A call that we do not
 * serve goes to these functions, while we step aside in the communicator's table.  What a layer
 * does by itself, on communicators that we do not serve, is in host_copy/layer.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_LAYER_H
#define MCA_COLL_SYMM_BASE_LAYER_H

#include "mca/coll/symm/base/functions.h"
#include "mca/coll/symm/data/kinds.h"
#include "mca/coll/symm/mpi_request/nbc_tag.h"

/* Why a call with device buffers is made on host copies. */
enum symm_host_copy_why {
    SYMM_HOST_COPY_KIND,      /* its collective is never served */
    SYMM_HOST_COPY_FELL_BACK, /* its collective is served: there was a reason against this call */
    SYMM_HOST_COPY_ALONE,     /* the communicator is not served: it has one rank */
    SYMM_HOST_COPY_NODES,     /* the communicator's ranks are on several nodes */
    SYMM_HOST_COPY_INTER,     /* the communicator is an inter-communicator */
    SYMM_HOST_COPY_COMPONENT, /* some of the communicator's processes do not have this component */
    SYMM_HOST_COPY_WHY_COUNT
};

struct symm_below;

typedef struct mca_coll_symm_layer_t mca_coll_symm_layer_t;
struct mca_coll_symm_layer_t {
    mca_coll_base_module_t super;
    mca_coll_base_comm_coll_t below_table; /* empty where the entry is not ours */
    struct symm_below *below; /* a blocking call that is below now; NULL: none */
    enum symm_host_copy_why why; /* why blocking calls that may be served are made on host copies */
    bool needs_host; /* what is below takes host memory alone, whatever Open MPI knows of devices */
    enum symm_kinds kinds; /* which memory the program's buffers may be in (base/assertion.h) */
    struct ompi_communicator_t *comm; /* whose assertions are followed; NULL: none's */
    bool asserted; /* it has made one */
    bool read_below; /* Open MPI reads them, too, and hands on the first only */
};
OBJ_CLASS_DECLARATION(mca_coll_symm_layer_t);

/* The functions that make the calls that we do not serve. */
static inline const mca_coll_base_comm_coll_t *mca_coll_symm_below_table(
    const mca_coll_base_module_t *module)
{
    return &((const mca_coll_symm_layer_t *)module)->below_table;
}

/*
 * While a call is below, its entry holds what it would hold without us.  To give up calls, coll/han
 * puts what it found before itself into entries that it owns.  In 4.1 it then calls through the
 * entry, and would come back to us for ever.  In 5.0 it would try again in each call.  So later
 * calls go to what is found in the entry afterwards.  References to modules move along.
 *
 * No other thread may use the entry meanwhile: a communicator has one blocking collective at a
 * time.  MPI_Reduce_local is no collective of a communicator and may run in many threads, so nobody
 * may step aside for it.
 */
struct symm_aside {
    unsigned char *entry; /* in the communicator's table; NULL: it holds what is below */
    unsigned char *below; /* in the layer's table */
    struct symm_table_entry found;
};

static inline void mca_coll_symm_layer_step_aside(struct symm_aside *aside,
                                                  enum symm_mpi_function function,
                                                  struct ompi_communicator_t *comm,
                                                  mca_coll_base_module_t *module)
{
    size_t offset = mca_coll_symm_entry_offsets[function];
    struct symm_table_entry below;
    aside->entry = (unsigned char *)comm->c_coll + offset;
    aside->below = (unsigned char *)&((mca_coll_symm_layer_t *)module)->below_table + offset;
    memcpy(&aside->found, aside->entry, sizeof(aside->found));
    memcpy(&below, aside->below, sizeof(below));
    if (aside->found.owner == below.owner) {
        aside->entry = NULL;
    } else {
        memcpy(aside->entry, &below, sizeof(below));
    }
}

/*
 * From interface 3 on tables hold no references, so our reference goes over to a new owner by
 * itself.
 */
void mca_coll_symm_layer_hold(const struct symm_aside *aside);

static inline void mca_coll_symm_layer_step_back(const struct symm_aside *aside)
{
    if (aside->entry != NULL) {
        if (SYMM_COLL_INTERFACE >= 3) {
            mca_coll_symm_layer_hold(aside);
        }
        memcpy(aside->below, aside->entry, sizeof(struct symm_table_entry));
        memcpy(aside->entry, &aside->found, sizeof(struct symm_table_entry));
    }
}

/* ---- calls below ----------------------------------------------------------------------------- */

/* Have the function below make a call.  Returns what the function returns. */
static inline int mca_coll_symm_layer_call(enum symm_mpi_function function,
                                           const struct symm_arguments *a,
                                           const mca_coll_base_module_t *module)
{
    struct symm_table_entry below =
        mca_coll_symm_entry_get(mca_coll_symm_below_table(module), function);
    return mca_coll_symm_function_call(function, below, a);
}

/* The same of a blocking function. */
static inline int mca_coll_symm_layer_call_blocking(enum symm_mpi_function function,
                                                    const struct symm_arguments *a,
                                                    mca_coll_base_module_t *module)
{
    struct symm_aside aside = {.entry = NULL};
    if (function != SYMM_MPI_FUNCTION_reduce_local) {
        mca_coll_symm_layer_step_aside(&aside, function, a->comm, module);
    }
    int rc = mca_coll_symm_layer_call(function, a, module);
    mca_coll_symm_layer_step_back(&aside);
    return rc;
}

/* The same of a nonblocking or persistent function, which takes a tag. */
static inline int mca_coll_symm_layer_call_request(enum symm_mpi_function function,
                                                   const struct symm_arguments *a,
                                                   const mca_coll_base_module_t *module)
{
    mca_coll_symm_nbc_lock();
    int rc = mca_coll_symm_layer_call(function, a, module);
    mca_coll_symm_nbc_unlock();
    return rc;
}

#endif /* MCA_COLL_SYMM_BASE_LAYER_H */
