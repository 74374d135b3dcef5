/*
 * small.h - what is little data, and what the kernels for it get (small.cu).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_SMALL_H
#define SYMM_KERNELS_CUDA_LAUNCH_SMALL_H

#include "kernels/cuda/launch/device.h"

/*
 * Data are little if each unit has a thread of its own, in at most `block_limit` blocks (0:
 * SYMM_DEVICE_BLOCKS).  Buffers of more than SYMM_CUDA_SMALL_RANKS ranks are left to the other
 * kernels, and so are those at addresses that are no multiple of an element.
 *
 * The functions return the number of units, and set all of `small` but `finish`.  0: not little.
 */
uint64_t symm_small_reduce(enum symm_cuda_type type, const struct symm_cuda_reduce *arguments,
                           unsigned block_limit, struct symm_cuda_small *small);

/*
 * The same for `count` blocks to copy.  Each byte that fills no vector is a unit.  Other kernels
 * copy one block after the other, in as many blocks of threads as the largest one takes; where only
 * these have flags of their own, they are quicker.
 */
uint64_t symm_small_push(const struct symm_cuda_push *pushes, int count, unsigned block_limit,
                         struct symm_cuda_small_pushes *small);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_SMALL_H */
