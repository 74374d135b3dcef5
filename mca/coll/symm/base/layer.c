/*
 * base/layer.c - see base/layer.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/layer.h"

#include "mca/coll/symm/base/assertion.h"

static void layer_construct(mca_coll_symm_layer_t *layer)
{
    memset(&layer->below_table, 0, sizeof(layer->below_table));
    layer->below = NULL;
    layer->why = SYMM_HOST_COPY_FELL_BACK;
    layer->needs_host = false;
    layer->kinds = SYMM_KINDS_ANY;
    layer->comm = NULL;
    layer->asserted = false;
    layer->read_below = false;
}

static void layer_destruct(mca_coll_symm_layer_t *layer)
{
    mca_coll_symm_assertion_unfollow(layer);
    for (int i = 0; i < SYMM_MPI_FUNCTION_COUNT; i++) {
        struct symm_table_entry entry =
            mca_coll_symm_entry_get(&layer->below_table, (enum symm_mpi_function)i);
        if (entry.owner != NULL) {
            OBJ_RELEASE(entry.owner);
        }
    }
}

OBJ_CLASS_INSTANCE(mca_coll_symm_layer_t, mca_coll_base_module_t, layer_construct, layer_destruct);

void mca_coll_symm_layer_hold(const struct symm_aside *aside)
{
    struct symm_table_entry held, left;
    memcpy(&held, aside->below, sizeof(held));
    memcpy(&left, aside->entry, sizeof(left));
    if (left.owner != held.owner) {
        OBJ_RETAIN(left.owner);
        OBJ_RELEASE(held.owner);
    }
}
