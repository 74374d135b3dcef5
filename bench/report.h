/*
 * report.h - what symm_bench prints for each collective: which columns there are, and what goes
 * into them. Only rank 0 uses it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "measure.h"
#include "table.h"

struct report {
    const struct options *options;
    const struct sides *sides;
    enum collective collective;
    struct table table;
    int timed;     /* blocks, over all sizes */
    int discarded;
    int wrong;     /* sizes that failed validation */
    int sizes;
};

/* One size: what was found out about it. */
struct report_entry {
    const struct call *call;
    bool right;         /* the validation's outcome, if there was one */
    double floor_us; /* 0: not known */
    const struct measure_result *result;
};

/* The line that says what the calls of a table are. */
void report_calls(const struct options *options, enum collective collective);

void report_begin(struct report *report, const struct options *options,
                  const struct sides *sides, enum collective collective);
void report_size(struct report *report, const struct report_entry *entry);
void report_end(const struct report *report);

#endif
