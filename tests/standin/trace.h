/*
 * trace.h - what programs give to streams, written to a file.
 *
 * Two builds of a library that start the same work have equal traces.  Each function is called
 * under the driver's lock, and does nothing unless a trace is asked for.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STANDIN_TRACE_H
#define SYMM_TESTS_STANDIN_TRACE_H

#include "tests/standin/launches.h"

/* A kernel: "kernel", as a stream does it, or "capture", as it is added to a graph. */
void standin_trace_kernel(const char *what, const struct standin_kept_launch *launch,
                          CUstream stream);

/* A graph whose work follows. */
void standin_trace_graph(CUstream stream);

/* A copy of `rows` runs of `bytes`. */
void standin_trace_copy(enum standin_place target, enum standin_place source, size_t bytes,
                        size_t rows, CUstream stream);

void standin_trace_fill(unsigned value, size_t bytes, CUstream stream);

#endif /* SYMM_TESTS_STANDIN_TRACE_H */
