/*
 * slice.h - which part of an array each rank reduces for all.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_SLICE_H
#define SYMM_KERNELS_SLICE_H

#include <stddef.h>

/* The fewest elements of `extent` bytes that fill whole cache lines. */
size_t symm_slice_unit(size_t extent);

/*
 * The elements [*begin, *end) of `count` that rank `rank` of `ranks` reduces for all.  Borders of
 * slices lie on cache lines where the element size allows.
 */
void symm_slice(size_t count, size_t extent, int rank, int ranks, size_t *begin, size_t *end);

#endif /* SYMM_KERNELS_SLICE_H */
