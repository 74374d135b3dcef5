/*
 * host_copy/layer.c - see host_copy/layer.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/layer.h"

#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/host_copy/staging.h"

typedef void function_t(void); /* any function; pointers to them are alike in size */

/* Where a collective is found in the tables of communicators and modules. */
static const struct slot {
    size_t function, owner; /* in a communicator's */
    size_t offered;         /* in a module */
    function_t *staged;
} slots[SYMM_STAGED_COUNT] = {
#define SLOT(name)                                          \
    {offsetof(mca_coll_base_comm_coll_t, coll_##name),      \
     offsetof(mca_coll_base_comm_coll_t, coll_##name##_module), \
     offsetof(mca_coll_base_module_t, coll_##name),         \
     (function_t *)mca_coll_symm_staged_##name},
    SYMM_COLLECTIVES(SLOT)
#undef SLOT
};

static function_t *function_get(const void *table, size_t offset)
{
    function_t *function;
    memcpy(&function, (const unsigned char *)table + offset, sizeof(function));
    return function;
}

static void function_set(void *table, size_t offset, function_t *function)
{
    memcpy((unsigned char *)table + offset, &function, sizeof(function));
}

static mca_coll_base_module_t *owner_get(const void *table, const struct slot *slot)
{
    mca_coll_base_module_t *owner;
    memcpy(&owner, (const unsigned char *)table + slot->owner, sizeof(owner));
    return owner;
}

static void owner_set(void *table, const struct slot *slot, mca_coll_base_module_t *owner)
{
    memcpy((unsigned char *)table + slot->owner, &owner, sizeof(owner));
}

/* ---- tables ---------------------------------------------------------------------------------- */

/*
 * Up to interface 2 Open MPI fills the table from the module after module_enable, and empties it itself.
 * From 3 on a module fills it in module_enable and puts back what it has found in module_disable.
 */
static void slot_put(struct ompi_communicator_t *comm, const struct slot *slot,
                     function_t *function, mca_coll_base_module_t *owner)
{
    if (SYMM_COLL_INTERFACE >= 3) {
        function_set(comm->c_coll, slot->function, function);
        owner_set(comm->c_coll, slot, owner);
    }
}

void mca_coll_symm_layer_enable(mca_coll_symm_layer_t *layer, struct ompi_communicator_t *comm)
{
    bool staging = mca_coll_symm_staging_is_on();
    for (int i = 0; i < SYMM_STAGED_COUNT; i++) {
        const struct slot *slot = &slots[i];
        function_t *ours = function_get(&layer->super, slot->offered);
        function_t *function = function_get(comm->c_coll, slot->function);
        mca_coll_base_module_t *owner = owner_get(comm->c_coll, slot);
        if (ours == NULL && staging) {
            ours = slot->staged;
        }
        if (function == NULL || owner == NULL) { /* scans of inter-communicators, for one */
            ours = NULL;
        }
        function_set(&layer->super, slot->offered, ours);
        if (ours != NULL) {
            OBJ_RETAIN(owner);
            function_set(&layer->before, slot->function, function);
            owner_set(&layer->before, slot, owner);
            slot_put(comm, slot, ours, &layer->super);
        }
    }
}

int mca_coll_symm_layer_disable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm)
{
    const mca_coll_symm_layer_t *layer = (const mca_coll_symm_layer_t *)module;
    for (int i = 0; i < SYMM_STAGED_COUNT; i++) {
        mca_coll_base_module_t *owner = owner_get(&layer->before, &slots[i]);
        if (owner != NULL) {
            slot_put(comm, &slots[i], function_get(&layer->before, slots[i].function), owner);
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
static enum symm_staged_why why_alone(struct ompi_communicator_t *comm)
{
    if (OMPI_COMM_IS_INTER(comm)) {
        return SYMM_STAGED_INTER;
    }
    if (ompi_comm_size(comm) == 1) {
        return SYMM_STAGED_ALONE;
    }
    return ompi_group_have_remote_peers(comm->c_local_group) ? SYMM_STAGED_NODES
                                                             : SYMM_STAGED_COMPONENT;
}

mca_coll_base_module_t *mca_coll_symm_layer_query(struct ompi_communicator_t *comm, int *priority)
{
    enum { ABOVE_COLL_SELF = 76 }; /* it copies with the host and has 75 */
    if (!mca_coll_symm_staging_is_on()) {
        return NULL;
    }
    mca_coll_symm_layer_t *layer = OBJ_NEW(mca_coll_symm_layer_t);
    if (layer == NULL) {
        return NULL; /* host buffers do without it */
    }
    if (ompi_comm_size(comm) == 1 && !OMPI_COMM_IS_INTER(comm) && *priority < ABOVE_COLL_SELF) {
        *priority = ABOVE_COLL_SELF;
    }
    layer->why = why_alone(comm);
    layer->super.coll_module_enable = enable;
    layer->super.coll_module_disable = mca_coll_symm_layer_disable;
    return &layer->super;
}
