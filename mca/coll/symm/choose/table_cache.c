/*
 * choose/table_cache.c - see choose/table_cache.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/table_cache.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "mca/coll/symm/choose/table_file.h"

/* Numbers of ranks that are remembered: a grid has communicators of a few sizes. */
enum { REMEMBERED = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct remembered {
    int ranks; /* 0: none */
    size_t size;
    struct symm_table table;
} cache[REMEMBERED];
static int next; /* to be overwritten */

static size_t size_of(const struct symm_table *table)
{
    size_t rows = 0;
    for (int part = 0; part < SYMM_COLLECTIVE_COUNT * SYMM_ALGORITHM_MEMORIES; part++) {
        const struct symm_table_part *one =
            &table->parts[part / SYMM_ALGORITHM_MEMORIES][part % SYMM_ALGORITHM_MEMORIES];
        size_t end = (size_t)one->begin + one->count;
        rows = end > rows ? end : rows;
    }
    return offsetof(struct symm_table, rows) + rows * sizeof(table->rows[0]);
}

static const struct remembered *remembered_get(int ranks)
{
    size_t count;
    for (int i = 0; i < REMEMBERED; i++) {
        if (cache[i].ranks == ranks) {
            return &cache[i];
        }
    }
    struct remembered *made = &cache[next];
    next = (next + 1) % REMEMBERED;
    const struct symm_row *rows = mca_coll_symm_table_file_rows(&count);
    mca_coll_symm_table_fill(&made->table, ranks, rows, count);
    made->size = size_of(&made->table);
    made->ranks = ranks;
    return made;
}

size_t mca_coll_symm_table_get(struct symm_table *table, int ranks)
{
    (void)pthread_mutex_lock(&mutex);
    const struct remembered *found = remembered_get(ranks);
    size_t size = found->size;
    memcpy(table, &found->table, size);
    (void)pthread_mutex_unlock(&mutex);
    return size;
}
