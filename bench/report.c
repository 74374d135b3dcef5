/*
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What symm_bench prints for each collective. Rows are at most 100 columns wide.
 */
#include "report.h"

#include <stdio.h>

static void settings_print(const struct options *options, enum collective collective)
{
    bool reduce = COLLECTIVE_ALLREDUCE == collective;

    printf("\n# %s Latency Test%s\n", call_name(collective),
           options->compare ? ": with and without coll/symm, slowest rank" : "");
    printf("# %s, %s memory, %s, access: %s\n",
           reduce ? "Size: bytes of the vector, float32 sum" : "Size: bytes of each rank's block",
           MEMORY_ALLOC == options->memory ? "MPI_Alloc_mem" : "malloc",
           options->in_place ? "in place" : "out of place",
           ACCESS_APP == options->access ? "app" : "osu");
}

/* Everything of the OSU tables, then ours. */
static void columns_plain(struct table *table, const struct options *options)
{
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

static void columns_compare(struct table *table, const struct options *options)
{
    table_add(table, "# Size", 10);
    table_add(table, "with(us)", 11);
    table_add(table, "without(us)", 12);
    table_add(table, "ratio", 7);
    table_add(table, "speed-up", 9);
    table_add(table, "private(us)", 12);
    table_add(table, "distance", 9);
    table_add(table, "state", 7);
    table_add(table, "trip(ns)", 9);
    table_add(table, "blocks", 7);
    if (options->validate) {
        table_add(table, "valid", 6);
    }
}

void report_begin(struct report *report, const struct options *options,
                  enum collective collective)
{
    report->options = options;
    report->timed = 0;
    report->discarded = 0;
    report->wrong = 0;
    report->sizes = 0;
    settings_print(options, collective);
    table_begin(&report->table, options->csv);
    if (options->compare) {
        columns_compare(&report->table, options);
    } else {
        columns_plain(&report->table, options);
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

static void row_plain(struct report *report, const struct report_entry *entry,
                      const struct measure_row *row, enum cacheline_state state)
{
    const struct options *options = report->options;
    struct table *table = &report->table;

    table_size(table, entry->bytes);
    table_number(table, row->times[0].average);
    if (options->full) {
        table_number(table, row->times[0].least);
        table_number(table, row->times[0].most);
        table_count(table, row->blocks * entry->result->calls);
    }
    if (options->validate) {
        table_text(table, entry->right ? "Pass" : "Fail");
    }
    if (!options->full) {
        table_number(table, entry->private_us);
    }
    table_number(table, row->times[0].most / entry->private_us);
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

    table_size(table, entry->bytes);
    table_number(table, with);
    table_number(table, without);
    table_ratio(table, with / without);
    table_ratio(table, without / with);
    table_number(table, entry->private_us);
    table_number(table, with / entry->private_us);
    table_text(table, cacheline_state_name(state));
    trip_print(table, row->trip_ns);
    table_count(table, row->blocks);
    if (report->options->validate) {
        table_text(table, entry->right ? "Pass" : "Fail");
    }
}

/* What the OSU columns say of each side, as a remark: there is no room for it in the row. */
static void row_remark(const struct measure_row *row, int calls)
{
    static const char *const names[MEASURE_SIDES] = {"with", "without"};

    for (int side = 0; side < MEASURE_SIDES; side++) {
        const struct measure_times *times = &row->times[side];
        printf("#   %-7s avg %.2f, min %.2f, max %.2f us, %d iterations\n", names[side],
               times->average, times->least, times->most, row->blocks * calls);
    }
}

static void size_without_row(const struct report_entry *entry)
{
    const struct measure_result *result = entry->result;

    printf("# %zu: no state has 3 blocks on every side (near %d, far %d, shared %d,"
           " discarded %d)\n", entry->bytes, result->row[CACHELINE_NEAR].blocks,
           result->row[CACHELINE_FAR].blocks, result->row[CACHELINE_SHARED].blocks,
           result->discarded);
    fflush(stdout);
}

void report_size(struct report *report, const struct report_entry *entry)
{
    const struct measure_result *result = entry->result;
    bool printed = false;

    for (int i = 0; i < CACHELINE_STATES; i++) {
        enum cacheline_state state = (enum cacheline_state) i;
        const struct measure_row *row = &result->row[state];
        if (!row->enough) {
            continue;
        }
        printed = true;
        if (report->options->compare) {
            row_compare(report, entry, row, state);
        } else {
            row_plain(report, entry, row, state);
        }
        if (report->options->compare && report->options->full) {
            row_remark(row, result->calls);
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
    printf("# %d blocks timed, %d discarded because the round trip changed around them\n",
           report->timed, report->discarded);
    if (report->options->validate) {
        printf("# validation: %d of %d sizes right%s\n", report->sizes - report->wrong,
               report->sizes, report->wrong > 0 ? ", the others WRONG" : "");
    }
    fflush(stdout);
}
