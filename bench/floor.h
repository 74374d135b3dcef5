/*
 * floor.h - the floor under a blocking collective on GPU memory, one GPU a rank, from rates that
 * were measured apart from any collective:
 *   floor = 2 * handshake + launch + bytes that must enter each GPU / rate of a link
 * Ranks have to meet before and after (a handshake through one cache line a rank each), a kernel
 * has to be launched in between and its end to be seen, and with N ranks there must enter each GPU
 *   all-reduce of B bytes: 2 (N-1)/N B  (its slice of the others' inputs, then the others' results)
 *   all-gather of blocks of B bytes: (N-1) B
 *   reduce-scatter of B bytes: (N-1)/N B  (this rank's block of the others' inputs)
 *   scan of B bytes: B  (the result of the rank before)
 *   broadcast or reduce of B bytes: B  (into each of the others; into the root)
 *   gather or scatter of blocks of B bytes: (N-1) B  (into the root, or out of it)
 * The rates are those of H200 GPUs on NVLink 4; other machines have other floors.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include "call.h"

/* Microseconds. */
double floor_time(const struct call *call);

/* Bytes that must enter each GPU. The bus bandwidth is this divided by the time of a call. */
double floor_link_bytes(const struct call *call);

/* The formula with its numbers, for the head of a table. */
void floor_print(void);

#endif
