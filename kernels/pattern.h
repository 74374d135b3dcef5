/*
 * pattern.h - who sends which of its data to whom, in a collective in which each rank sends to
 * others once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_PATTERN_H
#define SYMM_KERNELS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/collective.h"

/*
 * Rank r is sent what lies at r * input_step of the input, and what it sends goes to r *
 * output_step of the output, or is reduced with the others'.
 */
struct symm_pattern {
    uint32_t targets, sources; /* a bit for each rank; the own one where own data move */
    size_t input_step, output_step; /* bytes; 0: one array */
};

/* A call as a rank makes it. */
struct symm_pattern_call {
    enum symm_collective collective;
    int rank, ranks, root; /* up to 32 ranks */
    const void *input;
    const void *output;
    size_t block; /* bytes of a block, or of the array */
};

/* False: that collective has no such pattern.  Of a reduce-scatter blocks are equally long. */
bool symm_pattern_get(const struct symm_pattern_call *call, struct symm_pattern *pattern);

#endif /* SYMM_KERNELS_PATTERN_H */
