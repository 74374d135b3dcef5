/*
 * entry/entry.c - see entry/entry.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"

void mca_coll_symm_entry_below_aside(struct symm_entry *entry,
                                     enum symm_host_copy_collective collective,
                                     struct ompi_communicator_t *comm)
{
    mca_coll_base_module_t *module = &entry->module->super.super;
    mca_coll_symm_below_begin(&entry->below, &entry->module->blocking.operation);
    entry->table = mca_coll_symm_below_table(module);
    mca_coll_symm_layer_step_aside(&entry->aside, collective, comm, module);
    entry->is_aside = true;
}

bool mca_coll_symm_entry_below_begin(struct symm_entry *entry,
                                     enum symm_host_copy_collective collective,
                                     struct ompi_communicator_t *comm)
{
    if (!mca_coll_symm_host_copy_is_on() && !mca_coll_symm_has_bytes(collective)) {
        mca_coll_symm_entry_below_aside(entry, collective, comm);
        return false;
    }
    mca_coll_symm_below_begin(&entry->below, &entry->module->blocking.operation);
    entry->is_aside = false; /* host_copy steps aside */
    return true;
}

int mca_coll_symm_entry_below_end(struct symm_entry *entry, int rc)
{
    if (entry->is_aside) {
        mca_coll_symm_layer_step_back(&entry->aside);
    }
    rc = mca_coll_symm_below_end(&entry->below, rc);
    if (entry->is_within) {
        mca_coll_symm_below_resume(&entry->module->blocking.operation);
    }
    return rc;
}
