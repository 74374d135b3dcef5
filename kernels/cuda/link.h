/*
 * link.h - bytes that cross a GPU's link in its busier direction by unicast, for the rows of
 * algorithms (symm_algorithm_cost in kernels/algorithm.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LINK_H
#define SYMM_KERNELS_CUDA_LINK_H

/* Each rank loads the arrays of all others. */
static inline double symm_link_bytes_of_arrays(double ranks, double bytes)
{
    return (ranks - 1) * bytes;
}

/* All slices but the rank's own are reduced elsewhere and come back. */
static inline double symm_link_bytes_of_slices(double ranks, double bytes)
{
    return 2 * (ranks - 1) / ranks * bytes;
}

/* The blocks of all others enter. */
static inline double symm_link_bytes_of_blocks(double ranks, double bytes)
{
    return (ranks - 1) / ranks * bytes;
}

#endif /* SYMM_KERNELS_CUDA_LINK_H */
