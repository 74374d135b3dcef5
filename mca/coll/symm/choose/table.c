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

#define KIB(n) ((uint64_t)(n) << 10)

/*
 * Bytes that travel in the slot: of a rank, and of all ranks together.  Every rank reads
 * everything, but in reduce-scatters, in all-to-all calls, in scans and in calls with a root
 * (bench/results/gpu-host-*.table, gpu-host-chosen.txt, gpu-host-slot.txt, gpu-host-slot-16K.txt).
 * At the upper end the heap's memory would be quicker than the slot by about as much as other
 * memory, which would be staged, is slower.  The ranks do not know yet which memory it is.  Runs
 * differ: from 16 to 64 KiB in all-gathers of eight ranks.
 */
struct slot_limits {
    uint64_t each, all;
};

static struct slot_limits slot_limits(const struct symm_collective_row *collective, int ranks)
{
    const bool is_many = ranks > 16;
    if (collective->has_tables) { /* bytes without the rank's own block, and with the table */
        uint64_t others = KIB(16) / (uint64_t)ranks * ((uint64_t)ranks - 1);
        return (struct slot_limits){.each = others + KIB(1), .all = UINT64_MAX};
    }
    if (collective->scatters || collective->from_root ||
        (collective->has_blocks && !collective->gathers)) {
        return (struct slot_limits){.each = KIB(16), .all = UINT64_MAX};
    }
    if (collective->to_root || collective->is_prefix) {
        return (struct slot_limits){.each = KIB(8), .all = KIB(64)};
    }
    if (collective->gathers) {
        return (struct slot_limits){.each = KIB(4), .all = is_many ? KIB(64) : KIB(16)};
    }
    return (struct slot_limits){.each = KIB(8), .all = is_many ? KIB(32) : KIB(16)};
}

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

/*
 * The first of so many rows of host memory that is for results of `bytes`, and for an algorithm
 * without the needs `unmet`; NULL: none.
 */
static const struct symm_row *first_for(const struct symm_table *table,
                                        const struct symm_table_part *part, int count,
                                        uint64_t bytes, unsigned unmet)
{
    for (int i = 0; i < count; i++) {
        const struct symm_row *row = &table->rows[part->begin + i];
        if (mca_coll_symm_row_has(row, bytes) && !symm_algorithm_has(row->algorithm, unmet)) {
            return row;
        }
    }
    return NULL;
}

static bool is_in_slot(const struct symm_row *row)
{
    return row->algorithm != SYMM_ALGORITHM_BELOW &&
           symm_algorithm_get((enum symm_algorithm)row->algorithm)->in_slot;
}

bool mca_coll_symm_table_inline(const struct symm_table *table, enum symm_collective collective,
                              int ranks, size_t bytes)
{
    const struct symm_collective_row *described = symm_collective_get(collective);
    const struct symm_table_part *part = &table->parts[collective][SYMM_ALGORITHM_HOST];
    const struct symm_row *row = first_for(table, part, part->from_file,
                                           symm_collective_result(described, bytes, ranks), 0);
    if (row != NULL) {
        return is_in_slot(row);
    }
    const struct slot_limits limits = slot_limits(described, ranks);
    return bytes <= limits.each && (uint64_t)bytes * (uint64_t)ranks <= limits.all;
}

bool mca_coll_symm_table_below(const struct symm_table *table, enum symm_collective collective,
                               int ranks, size_t bytes, unsigned unmet)
{
    const struct symm_collective_row *described = symm_collective_get(collective);
    const struct symm_table_part *part = &table->parts[collective][SYMM_ALGORITHM_HOST];
    const struct symm_row *row = first_for(table, part, part->count,
                                           symm_collective_result(described, bytes, ranks), unmet);
    return row != NULL && row->algorithm == SYMM_ALGORITHM_BELOW &&
           row->place == SYMM_ROW_ANYWHERE && row->multicast == SYMM_ROW_EITHER;
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
