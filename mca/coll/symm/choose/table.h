/*
 * choose/table.h - which algorithm is preferred: one list of rows for people to read.
 *
 * A row says for which calls it is (collective, memory, number of ranks, in place or not, with
 * multicast or not, bytes) and names an algorithm.  Of the rows that apply to a call, in their
 * order, the first whose algorithm is possible wins.  choose/choose.c knows what is possible.
 *
 * A team has a table of its own, which rank 0 puts together for the number of ranks and hands to
 * the others in control memory: rows of the user's file (choose/table_file.h), then the built-in
 * ones that come from measurements, then the model's (choose/model.h) where nobody has measured.
 *
 * The table knows neither calls nor communicators.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_CHOOSE_TABLE_H
#define MCA_COLL_SYMM_CHOOSE_TABLE_H

#include <stdint.h>

#include "heap/team/control.h"
#include "kernels/algorithm.h"

/* Out of place: on all ranks.  In place: on some. */
enum symm_row_place { SYMM_ROW_ANYWHERE, SYMM_ROW_OUT, SYMM_ROW_IN };

/* Whether the call could be made by multicast. */
enum symm_row_multicast { SYMM_ROW_EITHER, SYMM_ROW_WITH, SYMM_ROW_WITHOUT };

enum symm_row_origin { SYMM_ROW_BUILT_IN, SYMM_ROW_MODEL, SYMM_ROW_FILE };

/* The component below, as a row's algorithm: always possible. */
enum { SYMM_ALGORITHM_BELOW = SYMM_ALGORITHM_COUNT };

struct symm_row {
    uint8_t collective; /* enum symm_collective */
    uint8_t memory;     /* enum symm_algorithm_memory */
    uint16_t ranks_least, ranks_most;
    uint8_t place, multicast; /* enum symm_row_place, enum symm_row_multicast */
    /*
     * The row is for results from `from` bytes on and below `to`.  They are bytes of a rank's
     * result (all-reduce: the array, all-gather: all blocks).
     */
    uint64_t from, to;
    uint8_t algorithm;  /* enum symm_algorithm, or SYMM_ALGORITHM_BELOW */
    uint8_t origin;
    uint16_t line;      /* of the file */
};

/*
 * A team's table has room for the rows that a file may have for one number of ranks, and for the
 * other rows of all collectives: the rows from measurements and the model's.
 * tests/unit/component/test_table.c compares the number of other rows with what the collectives
 * take.
 */
enum {
    SYMM_TABLE_FILE_MOST = 48, /* rows of a file for any one number of ranks */
    SYMM_TABLE_COLLECTIVE_MOST = 36, /* other rows of a collective, in both memories */
    SYMM_TABLE_ROWS = SYMM_TABLE_FILE_MOST + SYMM_COLLECTIVE_COUNT * SYMM_TABLE_COLLECTIVE_MOST,
    SYMM_ROW_RANKS_MOST = UINT16_MAX,
};

/* Rows of a collective in a memory. */
struct symm_table_part {
    uint16_t begin, count;
    uint16_t from_file; /* so many of the rows, the first ones, are the user's */
};

/*
 * What rank 0 has decided for a team: the same memory for all ranks, read-only once it is there.
 * Parameters may differ between processes; choices must not.
 */
struct symm_table {
    /*
     * Bytes that are worth staging: SYMM_SLOW_LARGE_BLOCKS, SYMM_SLOW_LARGE_BLOCKS_OF_MANY; and
     * bytes from one rank to another: SYMM_SLOW_TWO_COPIES.  UINT64_MAX: no limit.
     */
    uint64_t staged_max, staged_max_of_many, staged_share_max;
    struct symm_table_part parts[SYMM_COLLECTIVE_COUNT][SYMM_ALGORITHM_MEMORIES];
    uint8_t forced[SYMM_COLLECTIVE_COUNT]; /* the algorithm that is forced, plus 1; 0: none */
    struct symm_row rows[SYMM_TABLE_ROWS];
};

_Static_assert(SYMM_ALGORITHM_BELOW <= UINT8_MAX, "rows and `forced` have a byte for an algorithm");
_Static_assert(SYMM_TABLE_ROWS <= UINT16_MAX, "parts count rows in 16 bits");
_Static_assert(sizeof(struct symm_table) <= SYMM_EXTRA_MOST,
               "control memory has room for it: raise SYMM_EXTRA_MOST in heap/team/control.h");

/* All 17 blocking collectives will fit. */
_Static_assert((SYMM_TABLE_FILE_MOST + 17 * SYMM_TABLE_COLLECTIVE_MOST) * sizeof(struct symm_row) +
                       17 * (SYMM_ALGORITHM_MEMORIES * sizeof(struct symm_table_part) + 1) + 32 <=
                   SYMM_EXTRA_MOST, "see above");

/*
 * The table of a team of so many ranks.  No algorithm is forced, and nothing is staged.  `file`
 * may be NULL; its rows are for any number of ranks.
 */
void mca_coll_symm_table_fill(struct symm_table *table, int ranks, const struct symm_row *file,
                              size_t file_rows);

/*
 * Whether a row is for a result of so many bytes.  Rows of a team's table are for its number of
 * ranks.
 */
static inline bool mca_coll_symm_row_has(const struct symm_row *row, uint64_t bytes)
{
    return bytes >= row->from && bytes < row->to;
}

/* The rows of a collective in a memory. */
static inline const struct symm_row *mca_coll_symm_table_rows(const struct symm_table *table,
                                                              enum symm_collective collective,
                                                              enum symm_algorithm_memory memory,
                                                              int *count)
{
    const struct symm_table_part *part = &table->parts[collective][memory];
    *count = part->count;
    return &table->rows[part->begin];
}

/* ---- words ----------------------------------------------------------------------------------- */

/*
 * The word of a file for an algorithm: as the parameters have it, or "below".  A word is looked up
 * in a memory: the same word stands for an algorithm of the host's and its counterpart for devices.
 */
const char *mca_coll_symm_table_word(int algorithm);

/* The algorithm for a word; -1: a collective has none of that name in that memory. */
int mca_coll_symm_table_algorithm(enum symm_collective collective,
                                  enum symm_algorithm_memory memory, const char *word);

/* A row as it stands in a file: "allreduce device 4 any any 48M push". */
enum { SYMM_ROW_TEXT = 128 };
void mca_coll_symm_row_format(const struct symm_row *row, char text[SYMM_ROW_TEXT]);

#endif /* MCA_COLL_SYMM_CHOOSE_TABLE_H */
