/*
 * host_copy/layer.c - see host_copy/layer.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/layer.h"

#include "mca/coll/symm/base/assertion.h"
#include "mca/coll/symm/host_copy/copies.h"
#include "mca/coll/symm/host_copy/make.h"

/* ---- our functions --------------------------------------------------------------------------- */

#define FUNCTION(function, name, FORM)                                                            \
    static int function##_make SYMM_HEAD(name, FORM)                                              \
    {                                                                                             \
        const struct symm_arguments arguments = SYMM_ARGUMENTS(name, FORM);                       \
        return mca_coll_symm_host_copy_make(SYMM_MPI_FUNCTION_##function, &arguments, module);    \
    }
#define FUNCTIONS(NUMBER, name, ...) SYMM_FORMS(FUNCTION, name)
SYMM_ALL_COLLECTIVES(FUNCTIONS)
FUNCTION(reduce_local, reduce_local, LOCAL)

typedef void function_t(void); /* any function: all pointers to functions have the same size */

static const struct {
    size_t offered; /* offset in a module */
    function_t *ours;
} functions[SYMM_MPI_FUNCTION_COUNT] = {
#define ROW(function, name, FORM) \
    {offsetof(mca_coll_base_module_t, coll_##function), (function_t *)function##_make},
#define ROWS(NUMBER, name, ...) SYMM_FORMS(ROW, name)
    SYMM_ALL_COLLECTIVES(ROWS)
    ROW(reduce_local, reduce_local, LOCAL)
};

/* ---- tables ---------------------------------------------------------------------------------- */

static function_t *offered_get(const mca_coll_base_module_t *module, size_t offset)
{
    function_t *function;
    memcpy(&function, (const unsigned char *)module + offset, sizeof(function));
    return function;
}

static void offered_set(mca_coll_base_module_t *module, size_t offset, function_t *function)
{
    memcpy((unsigned char *)module + offset, &function, sizeof(function));
}

static void entry_set(mca_coll_base_comm_coll_t *table, enum symm_mpi_function function,
                      struct symm_table_entry entry)
{
    memcpy((unsigned char *)table + mca_coll_symm_entry_offsets[function], &entry, sizeof(entry));
}

/*
 * Up to interface 2 Open MPI fills the table from the module after module_enable, and empties it
 * itself.  From interface 3 on a module fills the table in module_enable, and puts back what it has
 * found in module_disable.
 */
static void communicator_entry_set(struct ompi_communicator_t *comm,
                                   enum symm_mpi_function function, struct symm_table_entry entry)
{
    if (SYMM_COLL_INTERFACE >= 3) {
        entry_set(comm->c_coll, function, entry);
    }
}

/*
 * Whether our function takes an entry that the module has none for: to make host copies, or to keep
 * other threads from taking a tag that is lent (mpi_request/nbc_tag.h).
 */
static bool is_taken(enum symm_mpi_function function, bool lends)
{
    return mca_coll_symm_host_copy_is_for(function) ||
           (lends && mca_coll_symm_function_has_data(function) &&
            mca_coll_symm_function_form(function) != SYMM_CALL_BLOCKING);
}

void mca_coll_symm_layer_enable(mca_coll_symm_layer_t *layer, struct ompi_communicator_t *comm)
{
    bool lends = layer->super.coll_iallreduce != NULL && symm_ompi_has_threads();
    mca_coll_symm_assertion_follow(layer, comm);
    for (int i = 0; i < SYMM_MPI_FUNCTION_COUNT; i++) {
        enum symm_mpi_function function = (enum symm_mpi_function)i;
        function_t *ours = offered_get(&layer->super, functions[i].offered);
        struct symm_table_entry found = mca_coll_symm_entry_get(comm->c_coll, function);
        if (ours == NULL && is_taken(function, lends)) {
            ours = functions[i].ours;
        }
        if (found.function == NULL || found.owner == NULL) { /* scans of inter-communicators */
            ours = NULL;
        }
        offered_set(&layer->super, functions[i].offered, ours);
        if (ours != NULL) {
            OBJ_RETAIN(found.owner);
            entry_set(&layer->below_table, function, found);
            communicator_entry_set(comm, function, (struct symm_table_entry){ours, &layer->super});
        }
    }
}

int mca_coll_symm_layer_disable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm)
{
    const mca_coll_base_comm_coll_t *below_table = mca_coll_symm_below_table(module);
    for (int i = 0; i < SYMM_MPI_FUNCTION_COUNT; i++) {
        struct symm_table_entry found =
            mca_coll_symm_entry_get(below_table, (enum symm_mpi_function)i);
        if (found.owner != NULL) {
            communicator_entry_set(comm, (enum symm_mpi_function)i, found);
        }
    }
    return OMPI_SUCCESS;
}

/* ---- a layer alone --------------------------------------------------------------------------- */

static int enable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm)
{
    mca_coll_symm_layer_enable((mca_coll_symm_layer_t *)module, comm);
    return OMPI_SUCCESS;
}

/* Why there is a layer alone. */
static enum symm_host_copy_why why_alone(struct ompi_communicator_t *comm)
{
    if (OMPI_COMM_IS_INTER(comm)) {
        return SYMM_HOST_COPY_INTER;
    }
    if (ompi_comm_size(comm) == 1) {
        return SYMM_HOST_COPY_ALONE;
    }
    return ompi_group_have_remote_peers(comm->c_local_group) ? SYMM_HOST_COPY_NODES
                                                             : SYMM_HOST_COPY_COMPONENT;
}

mca_coll_base_module_t *mca_coll_symm_layer_query(struct ompi_communicator_t *comm, int *priority)
{
    enum { ABOVE_COLL_SELF = 76 }; /* coll/self has 75, and its copies are made by host code */
    if (!mca_coll_symm_host_copy_is_for(SYMM_MPI_FUNCTION_iallreduce)) { /* then for nothing else */
        return NULL;
    }
    mca_coll_symm_layer_t *layer = OBJ_NEW(mca_coll_symm_layer_t);
    if (layer == NULL) {
        return NULL; /* calls on host buffers need no layer */
    }
    if (ompi_comm_size(comm) == 1 && !OMPI_COMM_IS_INTER(comm) && *priority < ABOVE_COLL_SELF) {
        *priority = ABOVE_COLL_SELF;
    }
    layer->why = why_alone(comm);
    layer->super.coll_module_enable = enable;
    layer->super.coll_module_disable = mca_coll_symm_layer_disable;
    return &layer->super;
}
