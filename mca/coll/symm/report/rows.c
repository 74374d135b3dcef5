/*
 * report/rows.c - see report/rows.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/report/rows.h"

#include "mca/coll/symm/report/words.h"

/* Who gets the rows. */
struct reader {
    symm_report_row *row;
    void *context;
};

static void row_give(const struct reader *reader, const char *collective, const char *outcome,
                     const char *detail, const struct symm_count *count)
{
    if (count->calls > 0) {
        reader->row(reader->context, collective, outcome, detail, count->calls, count->bytes);
    }
}

static void collective_give(const struct reader *reader, const struct symm_tally *sum,
                            enum symm_collective collective, enum symm_call_form form)
{
    const struct symm_outcomes *outcomes = &sum->outcomes[form];
    const char *name = mca_coll_symm_form_text(collective, form);
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        const struct symm_algorithm_row *row = symm_algorithm_get((enum symm_algorithm)i);
        if (row->collective == collective) {
            row_give(reader, name, "served", row->name, &outcomes->served[i]);
        }
    }
    for (int reason = 0; reason < SYMM_REASON_COUNT; reason++) {
        row_give(reader, name, "fell back", mca_coll_symm_reason_text((enum symm_reason)reason),
                 &outcomes->fallback[collective][reason]);
    }
    row_give(reader, name, "failed", "an MPI error, as for calls that differ",
             &outcomes->failed[collective]);
}

static void nodes_give(const struct reader *reader, const struct symm_tally *sum)
{
    static const char over_nodes[] = "over nodes";
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        const char *name = mca_coll_symm_form_text((enum symm_collective)i, SYMM_CALL_BLOCKING);
        for (int plan = 0; plan < SYMM_NODES_PLAN_COUNT; plan++) {
            row_give(reader, name, over_nodes, mca_coll_symm_plan_text((enum symm_nodes_plan)plan),
                     &sum->nodes[i][plan]);
        }
        row_give(reader, name, over_nodes, "steps between them", &sum->between[i]);
    }
}

static void host_copy_give(const struct reader *reader, enum symm_mpi_function function,
                           enum symm_host_copy_why why, const struct symm_count *count)
{
    row_give(reader, mca_coll_symm_function_name(function), "on host copies",
             mca_coll_symm_host_copy_why_text(function, why), count);
}

/* The blocking calls of collectives that are served, by reason; then all other calls. */
static void host_copies_give(const struct reader *reader, const struct symm_tally *sum)
{
    for (int why = 0; why < SYMM_HOST_COPY_WHY_COUNT; why++) {
        for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
            host_copy_give(reader,
                           mca_coll_symm_function_of((enum symm_collective)i, SYMM_CALL_BLOCKING),
                           (enum symm_host_copy_why)why, &sum->host_copy_why[i][why]);
        }
    }
    for (int i = 0; i < SYMM_MPI_FUNCTION_COUNT; i++) {
        enum symm_mpi_function function = (enum symm_mpi_function)i;
        if (mca_coll_symm_function_row(function) == NULL ||
            mca_coll_symm_function_form(function) != SYMM_CALL_BLOCKING) {
            host_copy_give(reader, function, SYMM_HOST_COPY_KIND, &sum->host_copy[i]);
        }
    }
}

void mca_coll_symm_report_rows(const struct symm_report *report, symm_report_row *row,
                               void *context)
{
    const struct reader reader = {row, context};
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        for (int form = 0; form < SYMM_CALL_FORM_COUNT; form++) {
            collective_give(&reader, &report->sum, (enum symm_collective)i,
                            (enum symm_call_form)form);
        }
    }
    nodes_give(&reader, &report->sum);
    host_copies_give(&reader, &report->sum);
}
