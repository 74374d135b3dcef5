/*
 * choose/table_open.c - the file of choices that a parameter names: from choose/table_file.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/table_file.h"

#include <errno.h>

#include "mca/coll/symm/report/verbose.h"
#include "mca/help.h"
#include "mca/once.h"

static struct symm_row *rows;
static size_t row_count;

const struct symm_row *mca_coll_symm_table_file_rows(size_t *count)
{
    *count = row_count;
    return rows;
}

static void unreadable_tell(const char *path, const char *why)
{
    if (symm_once("table unreadable")) {
        symm_help_show("help-coll-symm.txt", "table unreadable", path, why);
    }
}

/* Processes have the same file, as a rule: one speaks for all. */
static void fault_tell(const char *path, const struct symm_table_fault *fault)
{
    if (fault->line == 0) {
        unreadable_tell(path, fault->value);
    } else if (symm_once("table refused")) {
        symm_help_show("help-coll-symm.txt", "table refused", path, fault->line, fault->value,
                       fault->allowed);
    }
}

void mca_coll_symm_table_open(const char *path)
{
    struct symm_table_fault fault;
    if (path == NULL || *path == '\0' || strcmp(path, "none") == 0) {
        return;
    }
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        unreadable_tell(path, strerror(errno));
        return;
    }
    if (!mca_coll_symm_table_read(file, &rows, &row_count, &fault)) {
        fault_tell(path, &fault);
    } else if (opal_process_info.my_local_rank == 0) {
        mca_coll_symm_verbose(SYMM_VERBOSE_COMMUNICATORS, "%zu rows of choices from %s", row_count,
                              path);
    }
    (void)fclose(file);
}

void mca_coll_symm_table_close(void)
{
    free(rows);
    rows = NULL;
    row_count = 0;
}
