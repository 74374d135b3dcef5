/*
 * multimem.h - kernels of NVLink multicast, as values; see kernel.h.
 *
 * This layer knows multicast addresses and the addresses of the replicas behind them, not how they
 * have been mapped.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_MULTIMEM_H
#define SYMM_KERNELS_CUDA_LAUNCH_MULTIMEM_H

#include "heap/team/multicast_groups.h"
#include "kernels/cuda/launch/kernel.h"

/*
 * Whether the switch can reduce this: sums of floats and of integers of 32 and 64 bits, MIN and MAX
 * of integers of 32 and 64 bits and of 16-bit floats, bitwise operations.  `one_shot`: whether it
 * also gives the same bits each time, so that each rank may load for itself; floats do not.
 */
SYMM_PRIVATE bool symm_multimem_can_reduce(enum symm_cuda_type type, enum symm_cuda_op op,
                                           bool one_shot);

/*
 * Load the kernels of multicast on this device.  A process without multicast memory does not need
 * them.  Call this before ranks agree to use them; after a success, further calls cost nothing.
 * Errors: NOT_FOUND (not built, or the device is older than compute capability 9.0), NO_MEMORY,
 * SYSTEM.
 */
SYMM_PRIVATE enum symm_status symm_device_multimem_load(struct symm_device *device);

/*
 * Blocks unless the caller wants fewer.  By arithmetic they keep 1 MB in flight; not measured yet.
 */
enum { SYMM_MULTIMEM_BLOCKS = 16 };

/*
 * A reduction: two-shot if there is an `output`, otherwise one-shot.  It is quickest if input and
 * output are equal modulo 16.  Its start returns ARGUMENT unless the kernels have been loaded
 * (symm_device_multimem_load()).
 */
struct symm_kernel *symm_kernel_multimem(struct symm_kernel *kernel, enum symm_cuda_type type,
                                         enum symm_cuda_op op,
                                         const struct symm_cuda_multimem *arguments,
                                         unsigned block_limit);

/* Copies of a block to all ranks, likewise. */
struct symm_kernel *symm_kernel_multimem_copy(struct symm_kernel *kernel,
                                              const struct symm_cuda_multimem_copy *arguments,
                                              unsigned block_limit);

/*
 * A multicast address for a kernel.  A build with loops over the replicas has no such address, and
 * a kernel only looks at the alignment, which is the alignment of this rank's buffer.
 */
static inline void *symm_multimem_pointer(const struct symm_multicast_address *multicast,
                                          const void *own)
{
#ifdef MULTICAST_UNICAST
    (void)multicast;
    return (void *)(uintptr_t)own;
#else
    (void)own;
    return multicast->address;
#endif
}

#endif /* SYMM_KERNELS_CUDA_LAUNCH_MULTIMEM_H */
