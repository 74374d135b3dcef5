/*
 * choose/table.c - see choose/table.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/table.h"

#include <stdio.h>
#include <string.h>

#include "mca/coll/symm/choose/built_in.h"
#include "mca/coll/symm/choose/model.h"

/* ---- a team's table -------------------------------------------------------------------------- */

static bool is_for(const struct symm_row *row, enum symm_collective collective,
                   enum symm_algorithm_memory memory, int ranks)
{
    return row->collective == collective && row->memory == memory && ranks >= row->ranks_least &&
           (ranks <= row->ranks_most || row->ranks_most == SYMM_ROW_RANKS_MOST);
}

/* Whether a row is for all numbers of ranks.  Such rows stand behind the preferred ones. */
static bool is_general(const struct symm_row *row)
{
    return row->ranks_least == 2 && row->ranks_most == SYMM_ROW_RANKS_MOST;
}

/* Whether built-in rows say for this number of ranks what is preferred. */
static bool is_measured(enum symm_collective collective, enum symm_algorithm_memory memory,
                        int ranks)
{
    if (memory == SYMM_ALGORITHM_HOST) {
        return true;
    }
    for (size_t i = 0; i < mca_coll_symm_built_in_count; i++) {
        const struct symm_row *row = &mca_coll_symm_built_in[i];
        if (is_for(row, collective, memory, ranks) && !is_general(row)) {
            return true;
        }
    }
    return false;
}

/* The table that is being filled. */
struct filling {
    struct symm_table *table;
    int ranks, count;
};

static void rows_add(struct filling *filling, const struct symm_row *rows, size_t count,
                     enum symm_collective collective, enum symm_algorithm_memory memory)
{
    for (size_t i = 0; i < count && filling->count < SYMM_TABLE_ROWS; i++) {
        if (is_for(&rows[i], collective, memory, filling->ranks)) {
            filling->table->rows[filling->count++] = rows[i];
        }
    }
}

static void model_add(struct filling *filling, enum symm_collective collective, bool measured)
{
    struct symm_row rows[SYMM_MODEL_ROWS];
    size_t count = mca_coll_symm_model_rows(collective, filling->ranks, measured, rows);
    rows_add(filling, rows, count, collective, SYMM_ALGORITHM_DEVICE);
}

void mca_coll_symm_table_fill(struct symm_table *table, int ranks, const struct symm_row *file,
                              size_t file_rows)
{
    struct filling filling = {.table = table, .ranks = ranks};
    memset(table, 0, sizeof(*table));
    for (int part = 0; part < SYMM_COLLECTIVE_COUNT * SYMM_ALGORITHM_MEMORIES; part++) {
        enum symm_collective collective = (enum symm_collective)(part / SYMM_ALGORITHM_MEMORIES);
        enum symm_algorithm_memory memory =
            (enum symm_algorithm_memory)(part % SYMM_ALGORITHM_MEMORIES);
        int begin = filling.count;
        rows_add(&filling, file, file_rows, collective, memory);
        int from_file = filling.count - begin;
        rows_add(&filling, mca_coll_symm_built_in_little, mca_coll_symm_built_in_little_count,
                 collective, memory);
        if (memory == SYMM_ALGORITHM_DEVICE) {
            model_add(&filling, collective, is_measured(collective, memory, ranks));
        }
        rows_add(&filling, mca_coll_symm_built_in, mca_coll_symm_built_in_count, collective,
                 memory);
        table->parts[collective][memory] =
            (struct symm_table_part){.begin = (uint16_t)begin,
                                     .count = (uint16_t)(filling.count - begin),
                                     .from_file = (uint16_t)from_file};
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *mca_coll_symm_table_word(int algorithm)
{
    return algorithm == SYMM_ALGORITHM_BELOW
               ? "below" : symm_algorithm_word(symm_algorithm_get((enum symm_algorithm)algorithm));
}

int mca_coll_symm_table_algorithm(enum symm_collective collective,
                                  enum symm_algorithm_memory memory, const char *word)
{
    for (int algorithm = 0; algorithm <= SYMM_ALGORITHM_BELOW; algorithm++) {
        if ((algorithm == SYMM_ALGORITHM_BELOW ||
             symm_algorithm_is_for(algorithm, collective, memory)) &&
            strcmp(mca_coll_symm_table_word(algorithm), word) == 0) {
            return algorithm;
        }
    }
    return -1;
}

static int ranks_format(const struct symm_row *row, char *text, size_t size)
{
    if (row->ranks_least == row->ranks_most) {
        return snprintf(text, size, "%u", row->ranks_least);
    }
    if (row->ranks_most != SYMM_ROW_RANKS_MOST) {
        return snprintf(text, size, "%u-%u", row->ranks_least, row->ranks_most);
    }
    return row->ranks_least == 2 ? snprintf(text, size, "any")
                                 : snprintf(text, size, "%u-", row->ranks_least);
}

static int bytes_format(uint64_t bytes, char *text, size_t size)
{
    static const char suffixes[] = {'G', 'M', 'K'};
    for (unsigned i = 0; i < sizeof(suffixes) && bytes > 0; i++) {
        unsigned shift = 30 - 10 * i;
        if (bytes % (UINT64_C(1) << shift) == 0) {
            return snprintf(text, size, "%llu%c", (unsigned long long)(bytes >> shift),
                            suffixes[i]);
        }
    }
    return snprintf(text, size, "%llu", (unsigned long long)bytes);
}

void mca_coll_symm_row_format(const struct symm_row *row, char text[SYMM_ROW_TEXT])
{
    static const char *const places[] = {"any", "out", "in"};
    static const char *const multicasts[] = {"any", "yes", "no"};
    char ranks[16], from[24], to[24] = "";
    (void)ranks_format(row, ranks, sizeof(ranks));
    (void)bytes_format(row->from, from, sizeof(from));
    if (row->to != UINT64_MAX) {
        to[0] = '-';
        (void)bytes_format(row->to, to + 1, sizeof(to) - 1);
    }
    (void)snprintf(text, SYMM_ROW_TEXT, "%s %s %s %s %s %s%s %s",
                   symm_collective_get((enum symm_collective)row->collective)->name,
                   row->memory == SYMM_ALGORITHM_HOST ? "host" : "device", ranks,
                   places[row->place], multicasts[row->multicast], from, to,
                   mca_coll_symm_table_word(row->algorithm));
}
