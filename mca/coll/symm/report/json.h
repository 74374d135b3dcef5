/*
 * report/json.h - the report as a file for programs: one object of JSON.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REPORT_JSON_H
#define MCA_COLL_SYMM_REPORT_JSON_H

#include "mca/coll/symm/report/rows.h"

/*
 * Write the report to a file of that name, which must not exist; links are not followed.  A message
 * says so if it cannot be written.
 */
void mca_coll_symm_report_json(const struct symm_report *report, const char *path);

#endif /* MCA_COLL_SYMM_REPORT_JSON_H */
