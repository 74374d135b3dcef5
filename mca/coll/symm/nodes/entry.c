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

#include "mca/coll/symm/host_copy/make.h"
#include "mca/coll/symm/nodes/calls.h"
#include "mca/coll/symm/nodes/make.h"
#include "mca/coll/symm/nodes/request.h"
#include "mca/coll/symm/path/path.h"
#include "mca/coll/symm/report/counters.h"

/* By the plan that make() has found.  OMPI_ERR_NOT_SUPPORTED: nothing has been made. */
static int plan_make(enum symm_mpi_function function, const struct symm_nodes_row *row,
                     const struct symm_arguments *a, mca_coll_base_module_t *module)
{
    mca_coll_symm_nodes_t *nodes = (mca_coll_symm_nodes_t *)module;
    struct symm_nodes_call call = {
        .nodes = nodes, .collective = mca_coll_symm_function_collective(function),
        .form = mca_coll_symm_function_form(function), .plan = nodes->plan, .bytes = nodes->bytes,
        .a = *a,
        .describe = nodes->plan == SYMM_NODES_LEADERS ? row->leaders : row->rails};
    if (call.form != SYMM_CALL_BLOCKING) {
        return mca_coll_symm_nodes_request(&call, a->request);
    }
    int rc = mca_coll_symm_nodes_call_begin(&call);
    if (rc == OMPI_SUCCESS) {
        (void)mca_coll_symm_nodes_call_advance(&call);
        rc = mca_coll_symm_nodes_call_error(&call);
    }
    mca_coll_symm_nodes_call_end(&call);
    return rc;
}

/*
 * Little data on a device are copied once.  So are those of calls that are not blocking: the node's
 * would be made on host copies as well, in each step.
 */
static bool takes_devices(const struct symm_nodes_row *row, enum symm_nodes_plan plan,
                          size_t bytes, enum symm_call_form form)
{
    enum { LITTLE = 64 << 10 };
    return form == SYMM_CALL_BLOCKING && bytes > LITTLE &&
           (row->anywhere & SYMM_NODES_ANYWHERE(plan)) != 0;
}

/* Nonblocking calls need no other rank, so they make no communicators. */
static enum symm_nodes_plan plan_of(mca_coll_symm_nodes_t *nodes, const struct symm_arguments *a,
                                    const struct symm_nodes_facts *facts,
                                    enum symm_call_form form)
{
    bool is_ready = form == SYMM_CALL_NONBLOCKING
                        ? nodes->state == SYMM_NODES_MADE
                        : mca_coll_symm_nodes_ready(nodes, a->comm, facts->bytes);
    return is_ready ? mca_coll_symm_nodes_plan(&nodes->topology, facts) : SYMM_NODES_FLAT;
}

static int make(enum symm_mpi_function function, const struct symm_nodes_row *row,
                const struct symm_arguments *a, mca_coll_base_module_t *module)
{
    mca_coll_symm_nodes_t *nodes = (mca_coll_symm_nodes_t *)module;
    enum symm_call_form form = mca_coll_symm_function_form(function);
    struct symm_nodes_facts facts = {
        .collective = mca_coll_symm_function_collective(function),
        .is_request = form != SYMM_CALL_BLOCKING};
    int rc = OMPI_ERR_NOT_SUPPORTED;
    row->facts(a, &facts);
    if (facts.bytes == 0 && facts.collective != SYMM_BARRIER) {
        return mca_coll_symm_path_make(function, a, module);
    }
    nodes->plan = plan_of(nodes, a, &facts, form);
    nodes->bytes = facts.bytes;
    if (nodes->plan == SYMM_NODES_FLAT || form != SYMM_CALL_PERSISTENT) { /* its starts count */
        mca_coll_symm_count_nodes(facts.collective, nodes->plan, facts.bytes);
    }
    if (nodes->plan == SYMM_NODES_FLAT) {
        return mca_coll_symm_path_make(function, a, module);
    }
    if (form != SYMM_CALL_NONBLOCKING) {
        mca_coll_symm_nodes_requests_wait(nodes);
    }
    bool may_copy = symm_cuda_is_built() && mca_coll_symm_function_has_data(function);
    if (!may_copy || takes_devices(row, nodes->plan, facts.bytes, form)) {
        rc = plan_make(function, row, a, module);
    }
    if (rc == OMPI_ERR_NOT_SUPPORTED) {
        nodes->above.kinds = nodes->super.kinds;
        rc = mca_coll_symm_host_copy_make(function, a, &nodes->above.super);
    }
    return rc;
}

/* ---- functions of tables --------------------------------------------------------------------- */

#define FUNCTION(function, name, FORM)                                                           \
    static int function##_make SYMM_HEAD(name, FORM)                                             \
    {                                                                                            \
        const struct symm_arguments arguments = SYMM_ARGUMENTS(name, FORM);                      \
        return make(SYMM_MPI_FUNCTION_##function, &mca_coll_symm_nodes_##name, &arguments,       \
                    module);                                                                     \
    }                                                                                            \
    static int function##_plan_make SYMM_HEAD(name, FORM)                                        \
    {                                                                                            \
        const struct symm_arguments arguments = SYMM_ARGUMENTS(name, FORM);                      \
        return plan_make(SYMM_MPI_FUNCTION_##function, &mca_coll_symm_nodes_##name, &arguments,  \
                         module);                                                                \
    }
#define FUNCTIONS(NUMBER, name) SYMM_FORMS(FUNCTION, name)
SYMM_NODES_COLLECTIVES(FUNCTIONS)

void mca_coll_symm_nodes_entries_offer(mca_coll_base_module_t *module)
{
#define OFFER(function, name, FORM) module->coll_##function = function##_make;
#define OFFERS(NUMBER, name) SYMM_FORMS(OFFER, name)
    SYMM_NODES_COLLECTIVES(OFFERS)
}

/* Without references, which would make the module hold itself. */
void mca_coll_symm_nodes_entries_put_above(mca_coll_symm_nodes_t *nodes)
{
    mca_coll_base_comm_coll_t *table = &nodes->above.below_table;
#define PUT(function, name, FORM)                         \
    table->coll_##function = function##_plan_make;        \
    table->coll_##function##_module = &nodes->super.super;
#define PUTS(NUMBER, name) SYMM_FORMS(PUT, name)
    SYMM_NODES_COLLECTIVES(PUTS)
}
