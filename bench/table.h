/*
 * table.h - a table on standard output, row by row: columns as the OSU micro-benchmarks set them
 * (sizes to the left, numbers to the right, a head that begins with '#'), or values separated by
 * commas.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { TABLE_COLUMNS = 12 };

struct table {
    bool csv;
    int columns;
    int cell; /* the next one to print in this row */
    struct {
        const char *head;
        int width;
    } column[TABLE_COLUMNS];
};

void table_begin(struct table *table, bool csv);
/* Columns in order; the text of the head must outlive the table. */
void table_add(struct table *table, const char *head, int width);
void table_print_head(const struct table *table);

/* The cells of a row in order; the last one ends the line. */
void table_size(struct table *table, size_t bytes);
void table_count(struct table *table, double value);
void table_ratio(struct table *table, double value);
/* Two decimals, three below 1, fewer from 1000 on. */
void table_number(struct table *table, double value);
void table_text(struct table *table, const char *text);

#endif
