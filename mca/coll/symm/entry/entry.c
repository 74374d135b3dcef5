/*
 * entry/entry.c - see entry/entry.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"

bool mca_coll_symm_entry_below_begin(struct symm_entry *entry,
                                     enum symm_host_copy_collective collective,
                                     struct ompi_communicator_t *comm)
{
    mca_coll_base_module_t *module = &entry->module->super.super;
    bool on_copies = mca_coll_symm_host_copy_is_on();
    mca_coll_symm_below_begin(&entry->below, &entry->module->operation);
    entry->is_aside = !on_copies; /* else host_copy steps aside */
    if (entry->is_aside) {
        entry->table = mca_coll_symm_below_table(module);
        mca_coll_symm_layer_step_aside(&entry->aside, collective, comm, module);
    }
    return on_copies;
}

int mca_coll_symm_entry_below_end(struct symm_entry *entry, int rc)
{
    if (entry->is_aside) {
        mca_coll_symm_layer_step_back(&entry->aside);
    }
    rc = mca_coll_symm_below_end(&entry->below, rc);
    if (entry->is_within) {
        mca_coll_symm_below_resume(&entry->module->operation);
    }
    return rc;
}
