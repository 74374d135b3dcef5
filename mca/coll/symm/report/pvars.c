/*
 * report/pvars.c - see report/pvars.h; MPI-4.1 section 15.3.7.
 *
 * Names follow from the counters: coll_symm_allreduce_two_shot_calls and _bytes, and so on.  Open
 * MPI has room for 2048 variables of all components (4.1, 5.0), so calls that were not served have
 * no bytes.  A handle of a variable counts from its allocation on; the variables belong to the
 * process and need no start.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/report/pvars.h"

#include <stdio.h>

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/report/counters.h"
#include "mca/coll/symm/report/words.h"
#include "mca/old_words.h"

/* The context of a variable is its counter's place in a tally. */
static int value_get(const struct mca_base_pvar_t *variable, void *value, void *object)
{
    (void)object;
    *(unsigned long long *)value = mca_coll_symm_counter_get((uintptr_t)variable->ctx);
    return OMPI_SUCCESS;
}

/* The names belong to the counters of this tally, in which nothing is counted. */
static struct symm_tally pattern;

static uintptr_t place_of(const _Atomic uint64_t *counter)
{
    return (uintptr_t)counter - (uintptr_t)&pattern;
}

static void variable_register(const mca_base_component_t *component, const char *name,
                              const char *description, int class, const _Atomic uint64_t *counter)
{
    (void)mca_base_component_pvar_register(
        component, name, description, OPAL_INFO_LVL_4, class, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG,
        NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, value_get, NULL, NULL,
        (void *)place_of(counter));
}

static const char *const forms[SYMM_CALL_FORM_COUNT] = {"", "nonblocking ", "persistent "};

/* What a variable belongs to; `outcome` makes its name, `what` ends its description. */
struct outcome {
    enum symm_collective collective;
    enum symm_call_form form;
    const char *outcome, *what;
    const struct symm_count *count;
    const char *note; /* begins the description */
};

static void calls_register(const mca_base_component_t *component, const struct outcome *of)
{
    char variable[64], description[192];
    (void)snprintf(variable, sizeof(variable), "%s_%s_calls",
                   mca_coll_symm_form_text(of->collective, of->form), of->outcome);
    (void)snprintf(description, sizeof(description), "%sThe %scalls of %s in this process %s",
                   of->note, forms[of->form], symm_collective_get(of->collective)->mpi_name,
                   of->what);
    variable_register(component, variable, description, MCA_BASE_PVAR_CLASS_COUNTER,
                      &of->count->calls);
}

static void bytes_register(const mca_base_component_t *component, const struct outcome *of)
{
    char variable[64], description[192];
    (void)snprintf(variable, sizeof(variable), "%s_%s_bytes",
                   mca_coll_symm_form_text(of->collective, of->form), of->outcome);
    (void)snprintf(description, sizeof(description),
                   "%sBytes that this process contributed to the %scalls of %s %s", of->note,
                   forms[of->form], symm_collective_get(of->collective)->mpi_name, of->what);
    variable_register(component, variable, description, MCA_BASE_PVAR_CLASS_AGGREGATE,
                      &of->count->bytes);
}

/*
 * The variables of an outcome; also under its old name, if it has one.  Programs that go through
 * all variables know the others by their descriptions.
 */
static void outcome_register(const mca_base_component_t *component, const struct outcome *of,
                             bool has_bytes)
{
    struct outcome one = *of;
    one.note = "";
    while (one.outcome != NULL) {
        calls_register(component, &one);
        if (has_bytes) {
            bytes_register(component, &one);
        }
        one.outcome = symm_word_formerly(one.outcome);
        one.note = SYMM_OLD_VARIABLE;
    }
}

static void host_copy_register(const mca_base_component_t *component,
                               enum symm_mpi_function function)
{
    const char *name = mca_coll_symm_function_name(function);
    const struct symm_count *count = &pattern.host_copy[function];
    char variable[64], description[160];
    (void)snprintf(variable, sizeof(variable), "%s_host_copy_calls", name);
    (void)snprintf(description, sizeof(description),
                   "Calls of %s in this process that were made on copies of device buffers in host "
                   "memory",
                   name);
    variable_register(component, variable, description, MCA_BASE_PVAR_CLASS_COUNTER,
                      &count->calls);
    (void)snprintf(variable, sizeof(variable), "%s_host_copy_bytes", name);
    (void)snprintf(description, sizeof(description),
                   "Bytes that were copied from and to devices for such calls of %s", name);
    variable_register(component, variable, description, MCA_BASE_PVAR_CLASS_AGGREGATE,
                      &count->bytes);
}

static void served_register(const mca_base_component_t *component, enum symm_call_form form)
{
    char what[96];
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        const struct symm_algorithm_row *row = symm_algorithm_get((enum symm_algorithm)i);
        (void)snprintf(what, sizeof(what), "that the algorithm %s has served", row->name);
        const struct outcome of = {row->collective, form, row->name, what,
                                   &pattern.outcomes[form].served[i], ""};
        outcome_register(component, &of, true);
    }
}

static void fallback_register(const mca_base_component_t *component,
                              enum symm_collective collective, enum symm_call_form form)
{
    char outcome[32], what[128];
    for (int reason = SYMM_REASON_NONE + 1; reason < SYMM_REASON_COUNT; reason++) {
        if (!mca_coll_symm_reason_is_of((enum symm_reason)reason, collective)) {
            continue;
        }
        (void)snprintf(what, sizeof(what), "that went to the component below: %s",
                       mca_coll_symm_reason_text((enum symm_reason)reason));
        (void)snprintf(outcome, sizeof(outcome), "fallback_%s",
                       mca_coll_symm_reason_name((enum symm_reason)reason));
        const struct outcome of = {collective, form, outcome, what,
                                   &pattern.outcomes[form].fallback[collective][reason], ""};
        outcome_register(component, &of, false);
    }
}

static void nodes_register(const mca_base_component_t *component, enum symm_collective collective)
{
    const char *plan, *name = mca_coll_symm_form_text(collective, SYMM_CALL_BLOCKING);
    char variable[64], description[160];
    for (int i = 0; i < SYMM_NODES_PLAN_COUNT; i++) {
        plan = mca_coll_symm_plan_text((enum symm_nodes_plan)i);
        (void)snprintf(variable, sizeof(variable), "%s_nodes_%s_calls", name, plan);
        (void)snprintf(description, sizeof(description),
                       "The blocking calls of %s in this process over several nodes, by plan: %s",
                       symm_collective_get(collective)->mpi_name, plan);
        variable_register(component, variable, description, MCA_BASE_PVAR_CLASS_COUNTER,
                          &pattern.nodes[collective][i].calls);
    }
    (void)snprintf(variable, sizeof(variable), "%s_between_nodes_bytes", name);
    (void)snprintf(description, sizeof(description),
                   "Bytes that this process gave to steps of %s from node to node",
                   symm_collective_get(collective)->mpi_name);
    variable_register(component, variable, description, MCA_BASE_PVAR_CLASS_AGGREGATE,
                      &pattern.between[collective].bytes);
}

static void unserved_register(const mca_base_component_t *component)
{
    char name[64], description[128];
    for (int why = 0; why < SYMM_UNSERVED_COUNT; why++) {
        (void)snprintf(name, sizeof(name), "communicators_unserved_%s",
                       mca_coll_symm_unserved_name((enum symm_unserved)why));
        (void)snprintf(description, sizeof(description),
                       "Communicators of this process that are not served: %s",
                       mca_coll_symm_unserved_text((enum symm_unserved)why));
        variable_register(component, name, description, MCA_BASE_PVAR_CLASS_COUNTER,
                          &pattern.unserved[why]);
    }
}

static int refused_get(const struct mca_base_pvar_t *variable, void *value, void *object)
{
    const struct symm_process *process = mca_coll_symm_component.process;
    (void)variable;
    (void)object;
    *(unsigned long long *)value = process != NULL ? symm_process_refused(process) : 0;
    return OMPI_SUCCESS;
}

static void refused_register(const mca_base_component_t *component)
{
    (void)mca_base_component_pvar_register(
        component, "requests_refused",
        "Requests for memory of this process that were refused, because they came from no process "
        "of the job",
        OPAL_INFO_LVL_4, MCA_BASE_PVAR_CLASS_COUNTER, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
        MCA_BASE_VAR_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, refused_get, NULL, NULL,
        NULL);
}

static void outcomes_register(const mca_base_component_t *component, enum symm_call_form form)
{
    served_register(component, form);
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        enum symm_collective collective = (enum symm_collective)i;
        fallback_register(component, collective, form);
        const struct outcome of = {
            collective, form, "failed",
            "that ended in an error, such as ranks that made different calls",
            &pattern.outcomes[form].failed[i], ""};
        calls_register(component, &of);
    }
}

void mca_coll_symm_pvars_register(const mca_base_component_t *component)
{
    for (int form = 0; form < SYMM_CALL_FORM_COUNT; form++) {
        outcomes_register(component, (enum symm_call_form)form);
    }
    for (int i = 0; i < SYMM_MPI_FUNCTION_COUNT; i++) {
        if (mca_coll_symm_function_has_data((enum symm_mpi_function)i)) {
            host_copy_register(component, (enum symm_mpi_function)i);
        }
    }
#define NODES_REGISTER(NUMBER, name) nodes_register(component, SYMM_##NUMBER);
    SYMM_NODES_COLLECTIVES(NODES_REGISTER)
    unserved_register(component);
    refused_register(component);
}
