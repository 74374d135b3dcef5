/*
 * prefix.h - whose inputs are part of a rank's result in a scan.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_PREFIX_H
#define SYMM_KERNELS_PREFIX_H

#include "kernels/run.h"

/* Whether ranks' own inputs are part of their results: a scan that is not exclusive. */
static inline bool symm_prefix_is_inclusive(const struct symm_work *work)
{
    return symm_algorithm_get(work->algorithm)->collective == SYMM_SCAN;
}

/* The ranks whose inputs are part of a rank's result: 0 to the number before this. */
static inline int symm_prefix_length(const struct symm_work *work, int rank)
{
    return symm_prefix_is_inclusive(work) ? rank + 1 : rank;
}

#endif /* SYMM_KERNELS_PREFIX_H */
