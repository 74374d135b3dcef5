/*
 * report/rows.h - what a report says, row by row, for those who print or write it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REPORT_ROWS_H
#define MCA_COLL_SYMM_REPORT_ROWS_H

#include "mca/coll/symm/report/counters.h"

/* What has been counted on a node. */
struct symm_report {
    const char *node;
    size_t processes; /* that are counted in the sum */
    size_t missing;   /* processes of the node that are not */
    struct symm_tally sum;
};

/* Calls of a collective with an outcome, such as "served", and a detail, such as "two_shot". */
typedef void symm_report_row(void *context, const char *collective, const char *outcome,
                             const char *detail, uint64_t calls, uint64_t bytes);

/* Hand over each row that has calls. */
void mca_coll_symm_report_rows(const struct symm_report *report, symm_report_row *row,
                               void *context);

#endif /* MCA_COLL_SYMM_REPORT_ROWS_H */
