/*
 * choose/table_file.h - the rows of a user's file (parameter coll_symm_table): a strict reader.
 *
 * One row a line, of seven words; what follows a # is a comment:
 *
 *   collective  allreduce, allgather
 *   memory      host, device
 *   ranks       4, 3-8, 3- or any
 *   place       out: of place on all ranks; in: in place on some; any
 *   multicast   whether the call could be made by multicast: yes, no, any
 *   bytes       of a rank's result: 64K (from there on), 64K-1M (below 1M); suffixes K, M, G
 *   algorithm   as the parameter of the collective has them; below: the component below
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_CHOOSE_TABLE_FILE_H
#define MCA_COLL_SYMM_CHOOSE_TABLE_FILE_H

#include <stdio.h>

#include "mca/coll/symm/choose/table.h"

enum { SYMM_TABLE_FILE_ROWS = 1024, SYMM_TABLE_FILE_TEXT = 160 };

/* What is wrong with a file. */
struct symm_table_fault {
    unsigned line;
    char value[SYMM_TABLE_FILE_TEXT];   /* the invalid word or line */
    char allowed[SYMM_TABLE_FILE_TEXT]; /* what is valid in its place */
};

/*
 * Read all rows.  *rows is malloc'd, and NULL if there are none.  Returns false if the file is
 * invalid or cannot be read: `fault` says why.  A line of 0 means that there is no memory, or that
 * the file cannot be read.
 */
bool mca_coll_symm_table_read(FILE *file, struct symm_row **rows, size_t *count,
                              struct symm_table_fault *fault);

/*
 * Read the file that the parameter names, if it names one.  If the file cannot be used, the user is
 * told and this process has the built-in choices.  The rows of the file count on the communicators
 * whose rank 0 this process is.
 */
void mca_coll_symm_table_open(const char *path);
void mca_coll_symm_table_close(void);

/* The rows of the file that the parameter names.  *count may be 0. */
const struct symm_row *mca_coll_symm_table_file_rows(size_t *count);

#endif /* MCA_COLL_SYMM_CHOOSE_TABLE_FILE_H */
