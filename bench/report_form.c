/*
 * report_form.c - see report_form.h. Rows are at most 100 columns wide.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "report_form.h"

#include <stdio.h>

static bool is_on_gpu(const struct report *report)
{
    return memory_is_gpu(report->options->memory);
}

void report_form_remark(const struct options *options)
{
    printf("# c: a computation beside the call, as long as the slowest call alone, %d MPI_Test\n",
           options->tests);
}

static void columns_compare(struct report *report)
{
    struct table *table = &report->table;
    table_add(table, "# Size", 9);
    table_add(table, "with(us)", 9);
    table_add(table, "without(us)", 12);
    table_add(table, "ratio", 6);
    table_add(table, "compute(us)", 12);
    table_add(table, "with+c(us)", 11);
    table_add(table, "without+c(us)", 14);
    table_add(table, "with(%)", 8);
    table_add(table, "without(%)", 11);
}

static void columns_plain(struct report *report)
{
    struct table *table = &report->table;
    table_add(table, "# Size", 10);
    table_add(table, "Overall(us)", 12);
    table_add(table, "Compute(us)", 12);
    table_add(table, "Pure Comm.(us)", 15);
    table_add(table, "Overlap(%)", 11);
    table_add(table, "Blocking(us)", 13);
}

void report_form_columns(struct report *report)
{
    if (report->options->compare) {
        columns_compare(report);
    } else {
        columns_plain(report);
    }
    if (report->options->validate) {
        table_add(&report->table, "valid", 6);
    }
    if (!is_on_gpu(report)) {
        table_add(&report->table, "state", 7);
    }
    if (!report->options->compare) {
        table_add(&report->table, "blocks", 7);
    }
}

/* The part of the call, in percent, by which both at once take less than one after the other. */
static double hidden(double call, double compute, double beside)
{
    double percent = 100 * (call + compute - beside) / call;
    return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

static void cells_compare(struct table *table, const struct measure_row *row)
{
    double with = row->times[SIDES_CALL].most;
    double without = row->times[SIDES_WITHOUT].most;
    double compute = row->times[SIDES_COMPUTE].most;
    double with_beside = row->times[SIDES_BESIDE].most;
    double without_beside = row->times[SIDES_WITHOUT_BESIDE].most;
    table_number(table, with);
    table_number(table, without);
    table_ratio(table, with / without);
    table_number(table, compute);
    table_number(table, with_beside);
    table_number(table, without_beside);
    table_count(table, hidden(with, compute, with_beside));
    table_count(table, hidden(without, compute, without_beside));
}

static void cells_plain(struct table *table, const struct measure_row *row)
{
    double call = row->times[SIDES_CALL].average;
    double compute = row->times[SIDES_COMPUTE].average;
    double beside = row->times[SIDES_BESIDE].average;
    table_number(table, beside);
    table_number(table, compute);
    table_number(table, call);
    table_count(table, hidden(call, compute, beside));
    table_number(table, row->times[SIDES_BLOCKING].average);
}

void report_form_row(struct report *report, const struct report_entry *entry,
                     const struct measure_row *row, enum cacheline_state state)
{
    struct table *table = &report->table;
    table_size(table, entry->call->bytes);
    if (report->options->compare) {
        cells_compare(table, row);
    } else {
        cells_plain(table, row);
    }
    if (report->options->validate) {
        table_text(table, entry->right ? "Pass" : "Fail");
    }
    if (!is_on_gpu(report)) {
        table_text(table, cacheline_state_name(state));
    }
    if (!report->options->compare) {
        table_count(table, row->blocks);
    }
}
