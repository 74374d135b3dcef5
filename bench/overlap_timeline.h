/*
 * overlap_timeline.h - when a collective and products began and ended in one run with both, on each
 * rank, on one clock.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_OVERLAP_TIMELINE_H
#define BENCH_OVERLAP_TIMELINE_H

#include "overlap_run.h"

/* The comments above the rows. */
void overlap_timeline_head(void);

/*
 * Collective over `control`, whose ranks are on one node: makes a few runs, and rank 0 prints the
 * middle one by length. A row is: timeline, collective, bytes, side, rank, lane, begin, end.
 */
void overlap_timeline_print(const struct overlap_case *plan, int products);

#endif
