/*
 * slice.c - see slice.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/slice.h"

#include "heap/prefetch.h"

static size_t greatest_common_divisor(size_t a, size_t b)
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

size_t symm_slice_unit(size_t extent)
{
    return SYMM_CACHE_LINE / greatest_common_divisor(SYMM_CACHE_LINE, extent);
}

void symm_slice(size_t count, size_t extent, int rank, int ranks, size_t *begin, size_t *end)
{
    size_t unit = symm_slice_unit(extent);
    size_t slice = (count + (size_t)ranks - 1) / (size_t)ranks;
    slice = (slice + unit - 1) / unit * unit;
    size_t first = slice * (size_t)rank;
    *begin = first < count ? first : count;
    *end = count - *begin < slice ? count : *begin + slice;
}
