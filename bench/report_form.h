/*
 * report_form.h - the tables of calls that are not blocking, as osu_iallreduce and its like print
 * them: the call, a computation, both at once, and how much of the call that hides.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_REPORT_FORM_H
#define BENCH_REPORT_FORM_H

#include "report.h"

/* The line that says what is beside a call. */
void report_form_remark(const struct options *options);

void report_form_columns(struct report *report);
void report_form_row(struct report *report, const struct report_entry *entry,
                     const struct measure_row *row, enum cacheline_state state);

#endif
