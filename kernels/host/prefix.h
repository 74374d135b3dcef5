/*
 * prefix.h - reductions of the ranks before a rank, for scans.
 *
 * A prefix grows from left to right: the prefix of rank r is the one of rank r - 1 op the input of
 * rank r.  All algorithms take it so, and give the same bits.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_HOST_PREFIX_H
#define SYMM_KERNELS_HOST_PREFIX_H

#include <stddef.h>

#include "kernels/reduction.h"

/* target = before op input, for `count` elements.  `target` overlaps neither. */
void symm_prefix_join(const struct symm_reduction *reduction, const void *before,
                      const void *input, void *target, size_t count);

/*
 * target = inputs[0] op inputs[1] op ... op inputs[ranks - 1], for `count` elements, which have no
 * more than SYMM_SCRATCH_SIZE bytes together.  `target` overlaps no input.
 */
void symm_prefix_fold(const struct symm_reduction *reduction, int ranks, const void *const *inputs,
                      size_t offset, void *target, size_t count);

#endif /* SYMM_KERNELS_HOST_PREFIX_H */
