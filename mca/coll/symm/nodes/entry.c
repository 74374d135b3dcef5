/*
 * nodes/entry.c - see nodes/entry.h.
 *
 * Which plan a call has is decided alike on all ranks.  Whether its buffers are on a device is this
 * rank's own affair: then the call is made once more by the layer above the plans, on copies.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/nodes/entry.h"

#include "mca/coll/symm/host_copy/call.h"
#include "mca/coll/symm/nodes/calls.h"
#include "mca/coll/symm/nodes/make.h"
#include "mca/coll/symm/path/path.h"
#include "mca/coll/symm/report/counters.h"

/* By the plan that make() has found. */
static int plan_make(const struct symm_nodes_row *row, const struct symm_arguments *a,
                     mca_coll_base_module_t *module)
{
    mca_coll_symm_nodes_t *nodes = (mca_coll_symm_nodes_t *)module;
    return nodes->plan == SYMM_NODES_LEADERS ? row->leaders(nodes, a) : row->rails(nodes, a);
}

/* Little data on a device are copied once. */
static bool takes_devices(const struct symm_nodes_row *row, enum symm_nodes_plan plan, size_t bytes)
{
    enum { LITTLE = 64 << 10 };
    return bytes > LITTLE && (row->anywhere & SYMM_NODES_ANYWHERE(plan)) != 0;
}

static int make(enum symm_collective collective, const struct symm_nodes_row *row,
                const struct symm_arguments *a, mca_coll_base_module_t *module)
{
    mca_coll_symm_nodes_t *nodes = (mca_coll_symm_nodes_t *)module;
    enum symm_mpi_function function = mca_coll_symm_function_of(collective, SYMM_CALL_BLOCKING);
    struct symm_nodes_facts facts = {.collective = collective};
    enum symm_nodes_plan plan = SYMM_NODES_FLAT;
    int rc = OMPI_SUCCESS;
    row->facts(a, &facts);
    if (facts.bytes == 0 && collective != SYMM_BARRIER) {
        return mca_coll_symm_path_make(function, a, module);
    }
    if (mca_coll_symm_nodes_ready(nodes, a->comm, facts.bytes)) {
        plan = mca_coll_symm_nodes_plan(&nodes->topology, &facts);
    }
    mca_coll_symm_count_nodes(collective, plan, facts.bytes);
    if (plan == SYMM_NODES_FLAT) {
        return mca_coll_symm_path_make(function, a, module);
    }
    nodes->collective = collective;
    nodes->plan = plan;
    bool may_copy = symm_cuda_is_built() && mca_coll_symm_function_has_data(function);
    nodes->needs_host = may_copy && !takes_devices(row, plan, facts.bytes);
    if (!nodes->needs_host) {
        rc = plan_make(row, a, module);
    }
    if (nodes->needs_host) {
        nodes->above.kinds = nodes->super.kinds;
        rc = mca_coll_symm_host_copy_call(function, a, &nodes->above.super);
    }
    return rc;
}

/* ---- functions of tables --------------------------------------------------------------------- */

#define FUNCTIONS(NUMBER, name)                                                                  \
    static int name##_make SYMM_HEAD(name, BLOCKING)                                             \
    {                                                                                            \
        const struct symm_arguments arguments = SYMM_ARGUMENTS(name, BLOCKING);                  \
        return make(SYMM_##NUMBER, &mca_coll_symm_nodes_##name, &arguments, module);             \
    }                                                                                            \
    static int name##_plan_make SYMM_HEAD(name, BLOCKING)                                        \
    {                                                                                            \
        const struct symm_arguments arguments = SYMM_ARGUMENTS(name, BLOCKING);                  \
        return plan_make(&mca_coll_symm_nodes_##name, &arguments, module);                       \
    }
SYMM_NODES_COLLECTIVES(FUNCTIONS)

void mca_coll_symm_nodes_entries_offer(mca_coll_base_module_t *module)
{
#define OFFER(NUMBER, name) module->coll_##name = name##_make;
    SYMM_NODES_COLLECTIVES(OFFER)
}

/* Without references, which would make the module hold itself. */
void mca_coll_symm_nodes_entries_put_above(mca_coll_symm_nodes_t *nodes)
{
    mca_coll_base_comm_coll_t *table = &nodes->above.below_table;
#define PUT(NUMBER, name)                             \
    table->coll_##name = name##_plan_make;            \
    table->coll_##name##_module = &nodes->super.super;
    SYMM_NODES_COLLECTIVES(PUT)
}
