/*
 * meeting.h - how long two ranks take to meet by the words in control memory: before a call's work
 * by lines, and after it by phases.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_MEETING_H
#define BENCH_MEETING_H

#include <stdbool.h>

struct meeting_times {
    double agree_us, depart_us; /* of one meeting, mean of many in a row */
};

/*
 * Measures with a process that is forked for it: call this before anything that does not survive a
 * fork, such as CUDA. Returns false if there is no control memory or no process.
 */
bool meeting_measure(struct meeting_times *times);

#endif
