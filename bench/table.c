/*
 * table.c - see table.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "table.h"

#include <stdio.h>

void table_begin(struct table *table, bool csv)
{
    table->csv = csv;
    table->columns = 0;
    table->cell = 0;
}

void table_add(struct table *table, const char *head, int width)
{
    if (table->columns < TABLE_COLUMNS) {
        table->column[table->columns].head = head;
        table->column[table->columns].width = width;
        table->columns++;
    }
}

static void cell_print(const struct table *table, int cell, const char *text)
{
    int width = table->column[cell].width;
    if (table->csv) {
        printf("%s%s", cell == 0 ? "" : ",", text);
    } else {
        /* The space keeps columns apart even where a number is wider than its column. */
        printf("%s%*s", cell == 0 ? "" : " ", cell == 0 ? -width : width - 1, text);
    }
    if (cell + 1 == table->columns) {
        printf("\n");
        fflush(stdout);
    }
}

void table_print_head(const struct table *table)
{
    for (int cell = 0; cell < table->columns; cell++) {
        cell_print(table, cell, table->column[cell].head + (table->csv && cell == 0 ? 2 : 0));
    }
}

void table_text(struct table *table, const char *text)
{
    cell_print(table, table->cell, text);
    table->cell = (table->cell + 1) % table->columns;
}

void table_size(struct table *table, size_t bytes)
{
    char text[32];
    snprintf(text, sizeof(text), "%zu", bytes);
    table_text(table, text);
}

static void number_print(struct table *table, double value, int decimals)
{
    char text[32];
    snprintf(text, sizeof(text), "%.*f", decimals, value);
    table_text(table, text);
}

void table_count(struct table *table, double value)
{
    number_print(table, value, 0);
}

void table_ratio(struct table *table, double value)
{
    number_print(table, value, 2);
}

void table_number(struct table *table, double value)
{
    number_print(table, value, value < 1 ? 3 : value < 1000 ? 2 : value < 100000 ? 1 : 0);
}
