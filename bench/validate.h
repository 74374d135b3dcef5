/*
 * validate.h - checks what a call delivers against an independent reference: every rank can compute
 * every other rank's random input from the seed, so nothing under test carries the answer.
 * Reductions add whole numbers so small that a sum of them is exact in any order, in float32 too.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_VALIDATE_H
#define BENCH_VALIDATE_H

#include "side.h"

/* Has `side` make the call with new data, several times if it is not very large, and checks result,
 * guard and input. Collective over `control`, which holds the same ranks. Every rank gets the same
 * answer. The first mismatch of every call is described on stderr, with the side's words. */
bool validate_call(const struct call *call, const struct side *side, MPI_Comm control,
                   uint64_t seed);

#endif
