/*
 * private.h - the floor under a collective: its share of the work done by every rank at once in
 * memory of its own, where nobody waits for anybody. With N ranks and messages of B bytes, a rank
 *   all-reduce: reads N slices of B/N, adds them, writes the sum to N places
 *               bytes = N * B/N read + N * B/N written = 2 B
 *   all-gather: reads its block once and writes it to N places (N-1 in place)
 *               bytes = B read + N * B written
 *   all-to-all: reads N blocks and writes them to N places
 *               bytes = N * B read + N * B written
 *   reduce-scatter: reads N slices of B/N, adds them, writes the sum to one place
 *               bytes = N * B/N read + B/N written = (N+1)/N B
 *   scans: as an all-reduce, whose slices have as many results
 *   reduce: the same
 *   broadcast, gather, scatter: copies an array, or a block, once
 *               bytes = B read + B written
 *   floor = bytes / rate, where rate = bytes / time of just this work, measured in the same run
 * The work touches at most PRIVATE_LIMIT bytes; for larger messages the rate at the limit is used.
 * Two ways to write are tried, memcpy (after adding straight into the first place) and
 * non-temporal stores; the quicker one counts.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_PRIVATE_H
#define BENCH_PRIVATE_H

#include "call.h"

enum { PRIVATE_LIMIT = 256 << 20 };

/* Collective over `control`; the answer, in microseconds, is valid on its rank 0: the slowest
 * rank's median. */
double private_time(const struct call *call, MPI_Comm control);

#endif
