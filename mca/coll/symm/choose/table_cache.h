/*
 * choose/table_cache.h - tables of teams that have been made before.
 *
 * Filling a table takes about 10 µs, nearly all of it in the model, which is as long as all the
 * rest of a set-up.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_CHOOSE_TABLE_CACHE_H
#define MCA_COLL_SYMM_CHOOSE_TABLE_CACHE_H

#include "mca/coll/symm/choose/table.h"

/*
 * As mca_coll_symm_table_fill() with the rows of the user's file.  Returns the bytes of *table that
 * count; those behind are not written.  Thread-safe.
 */
size_t mca_coll_symm_table_get(struct symm_table *table, int ranks);

#endif /* MCA_COLL_SYMM_CHOOSE_TABLE_CACHE_H */
