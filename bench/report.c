/*
 * report.c - what symm_bench prints for each collective. Rows are at most 100 columns wide.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "report.h"

#include "floor.h"
#include "form.h"
#include "report_form.h"

#include <stdio.h>
#include <string.h>

static bool is_on_gpu(const struct report *report)
{
    return memory_is_gpu(report->options->memory);
}

void report_calls(const struct options *options, enum collective collective)
{
    if (collective == COLLECTIVE_BARRIER) {
        printf("# no data\n");
        return;
    }
    if (call_reduces(collective)) {
        printf("# Size: bytes of the vector, %s sum", options_element_name(options->element));
    } else if (collective == COLLECTIVE_BCAST) {
        printf("# Size: bytes of the array");
    } else {
        printf("# Size: bytes of each rank's block");
    }
    printf(", %s%s%s memory, %s, access: %s\n", memory_name(options->memory),
           options->has_beside ? " and " : "",
           options->has_beside ? memory_name(options->beside) : "",
           options->in_place ? "in place" : "out of place",
           options->access == ACCESS_APP ? "app" : "osu");
}

static void settings_print(const struct report *report)
{
    const struct options *options = report->options;
    printf("\n# %s Latency Test%s\n", form_name(options->form, report->collective),
           options->compare ? ": with and without coll/symm, slowest rank"
           : options->rival ? " beside NCCL, slowest rank"
           : options->has_beside ? " in two kinds of memory, slowest rank" : "");
    report_calls(options, report->collective);
    if (options->form != FORM_BLOCKING) {
        report_form_remark(options);
    } else if (is_on_gpu(report)) {
        floor_print();
    }
}

/* Columns of calls on a GPU, in place of the machine's state. */
static void columns_gpu(struct table *table)
{
    table_add(table, "floor(us)", 10);
    table_add(table, "distance", 9);
    table_add(table, "GB/s", 8);
    table_add(table, "blocks", 7);
}

/* Everything of the OSU tables, then ours. */
static void columns_plain(struct report *report)
{
    struct table *table = &report->table;
    const struct options *options = report->options;
    table_add(table, "# Size", 10);
    table_add(table, "Avg Latency(us)", 16);
    if (options->full) {
        table_add(table, "Min Latency(us)", 16);
        table_add(table, "Max Latency(us)", 16);
        table_add(table, "Iterations", 11);
    }
    if (options->validate) {
        table_add(table, "Validation", 11);
    }
    if (is_on_gpu(report)) {
        columns_gpu(table);
        return;
    }
    if (!options->full) {
        table_add(table, "private(us)", 13);
    }
    table_add(table, "distance", 10);
    table_add(table, "state", 7);
    if (!options->full) {
        table_add(table, "trip(ns)", 10);
        table_add(table, "blocks", 8);
    }
}

/* Columns of compared calls on the host. */
static void columns_host(struct table *table)
{
    table_add(table, "private(us)", 12);
    table_add(table, "distance", 9);
    table_add(table, "state", 7);
    table_add(table, "trip(ns)", 9);
    table_add(table, "blocks", 7);
}

static void columns_compare(struct report *report)
{
    struct table *table = &report->table;
    table_add(table, "# Size", 10);
    table_add(table, "with(us)", 11);
    table_add(table, "without(us)", 12);
    table_add(table, "ratio", 7);
    table_add(table, "speed-up", 9);
    columns_host(table);
    if (report->options->validate) {
        table_add(table, "valid", 6);
    }
}

/* A column for each side: the rival's, or the other memory's. */
static void columns_sides(struct report *report)
{
    struct table *table = &report->table;
    int width = report->options->has_beside ? 19 : 10;
    table_add(table, "# Size", 11);
    for (int side = 0; side < report->sides->count; side++) {
        table_add(table, report->sides->side[side].head, width);
    }
    table_add(table, report->options->has_beside ? "ratio" : "speed-up", 9);
    if (is_on_gpu(report)) {
        columns_gpu(table);
    } else {
        columns_host(table);
    }
    if (report->options->validate) {
        table_add(table, "valid", 6);
    }
}

void report_begin(struct report *report, const struct options *options,
                  const struct sides *sides, enum collective collective)
{
    report->options = options;
    report->sides = sides;
    report->collective = collective;
    report->timed = 0;
    report->discarded = 0;
    report->wrong = 0;
    report->sizes = 0;
    settings_print(report);
    table_begin(&report->table, options->csv);
    if (options->form != FORM_BLOCKING) {
        report_form_columns(report);
    } else if (options->compare) {
        columns_compare(report);
    } else if (options->rival || options->has_beside) {
        columns_sides(report);
    } else {
        columns_plain(report);
    }
    table_print_head(&report->table);
}

static void trip_print(struct table *table, double trip_ns)
{
    if (trip_ns > 0) {
        table_count(table, trip_ns);
    } else {
        table_text(table, "-");
    }
}

/* How long the call takes, compared with its floor; a barrier has none. */
static void distance_print(struct table *table, double time, double floor)
{
    if (floor > 0) {
        table_number(table, time / floor);
    } else {
        table_text(table, "-");
    }
}

static void cells_gpu(struct table *table, const struct report_entry *entry,
                      const struct measure_row *row)
{
    double slowest = row->times[0].most;
    if (entry->floor_us > 0) {
        table_number(table, entry->floor_us);
        table_ratio(table, slowest / entry->floor_us);
    } else {
        table_text(table, "-");
        table_text(table, "-");
    }
    table_number(table, floor_link_bytes(entry->call) / slowest / 1e3);
    table_count(table, row->blocks);
}

static void cells_host(struct table *table, const struct report_entry *entry,
                       const struct measure_row *row, enum cacheline_state state)
{
    table_number(table, entry->floor_us);
    distance_print(table, row->times[0].most, entry->floor_us);
    table_text(table, cacheline_state_name(state));
    trip_print(table, row->trip_ns);
    table_count(table, row->blocks);
}

static void row_plain(struct report *report, const struct report_entry *entry,
                      const struct measure_row *row, enum cacheline_state state)
{
    const struct options *options = report->options;
    struct table *table = &report->table;
    table_size(table, entry->call->bytes);
    table_number(table, row->times[0].average);
    if (options->full) {
        table_number(table, row->times[0].least);
        table_number(table, row->times[0].most);
        table_count(table, row->blocks * entry->result->calls);
    }
    if (options->validate) {
        table_text(table, entry->right ? "Pass" : "Fail");
    }
    if (is_on_gpu(report)) {
        cells_gpu(table, entry, row);
        return;
    }
    if (!options->full) {
        table_number(table, entry->floor_us);
    }
    distance_print(table, row->times[0].most, entry->floor_us);
    table_text(table, cacheline_state_name(state));
    if (!options->full) {
        trip_print(table, row->trip_ns);
        table_count(table, row->blocks);
    }
}

static void row_compare(struct report *report, const struct report_entry *entry,
                        const struct measure_row *row, enum cacheline_state state)
{
    struct table *table = &report->table;
    double with = row->times[0].most;
    double without = row->times[1].most;
    table_size(table, entry->call->bytes);
    table_number(table, with);
    table_number(table, without);
    table_ratio(table, with / without);
    table_ratio(table, without / with);
    cells_host(table, entry, row, state);
    if (report->options->validate) {
        table_text(table, entry->right ? "Pass" : "Fail");
    }
}

/* Times of all sides, and the ratio of the quickest other one to the first. */
static void row_sides(struct report *report, const struct report_entry *entry,
                      const struct measure_row *row, enum cacheline_state state)
{
    struct table *table = &report->table;
    double best = row->times[1].most;
    table_size(table, entry->call->bytes);
    for (int side = 0; side < report->sides->count; side++) {
        double slowest = row->times[side].most;
        table_number(table, slowest);
        best = side > 1 && slowest < best ? slowest : best;
    }
    table_ratio(table, best / row->times[0].most);
    if (is_on_gpu(report)) {
        cells_gpu(table, entry, row);
    } else {
        cells_host(table, entry, row, state);
    }
    if (report->options->validate) {
        table_text(table, entry->right ? "Pass" : "Fail");
    }
}

/* The OSU columns of each side, as a remark: the row has no room for them. */
static void row_remark(const struct report *report, const struct measure_row *row, int calls)
{
    for (int side = 0; side < report->sides->count; side++) {
        const char *head = report->sides->side[side].head;
        const struct measure_times *times = &row->times[side];
        int width = (int)strcspn(head, "(");
        printf("#   %-9.*s avg %.2f, min %.2f, max %.2f us, %d iterations\n", width, head,
               times->average, times->least, times->most, row->blocks * calls);
    }
}

static void row_print(struct report *report, const struct report_entry *entry,
                      enum cacheline_state state)
{
    const struct options *options = report->options;
    const struct measure_row *row = &entry->result->row[state];
    if (options->form != FORM_BLOCKING) {
        report_form_row(report, entry, row, state);
    } else if (options->compare) {
        row_compare(report, entry, row, state);
    } else if (options->rival || options->has_beside) {
        row_sides(report, entry, row, state);
    } else {
        row_plain(report, entry, row, state);
    }
    bool several = options->compare || options->rival || options->has_beside ||
                   options->form != FORM_BLOCKING;
    if (options->full && several) {
        row_remark(report, row, entry->result->calls);
    }
}

static void size_without_row(const struct report_entry *entry)
{
    const struct measure_result *result = entry->result;
    printf("# %zu: no state has 3 blocks on every side (near %d, far %d, shared %d,"
           " discarded %d)\n", entry->call->bytes, result->row[CACHELINE_NEAR].blocks,
           result->row[CACHELINE_FAR].blocks, result->row[CACHELINE_SHARED].blocks,
           result->discarded);
    fflush(stdout);
}

void report_size(struct report *report, const struct report_entry *entry)
{
    const struct measure_result *result = entry->result;
    bool printed = false;
    for (int i = 0; i < CACHELINE_STATES; i++) {
        enum cacheline_state state = (enum cacheline_state)i;
        if (result->row[state].enough) {
            printed = true;
            row_print(report, entry, state);
        }
    }
    if (!printed) {
        size_without_row(entry);
    }
    report->timed += result->timed;
    report->discarded += result->discarded;
    report->wrong += !entry->right;
    report->sizes++;
}

void report_end(const struct report *report)
{
    if (is_on_gpu(report)) {
        printf("# %d blocks timed\n", report->timed);
    } else {
        printf("# %d blocks timed, %d discarded because the round trip changed around them\n",
               report->timed, report->discarded);
    }
    if (report->options->validate) {
        printf("# validation: %d of %d sizes right%s\n", report->sizes - report->wrong,
               report->sizes, report->wrong > 0 ? ", the others WRONG" : "");
    }
    fflush(stdout);
}
