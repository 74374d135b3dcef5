/*
 * multimem.h - starting work by NVLink multicast on a device.  The completions are as in device.h.
 *
 * This layer knows multicast addresses and the addresses of the replicas behind them, not how they
 * have been mapped.  The kernels come from multimem_functions.h.  In a build without multicast
 * (multimem_absent.c) nothing can be started.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_MULTIMEM_H
#define SYMM_KERNELS_CUDA_LAUNCH_MULTIMEM_H

#include "heap/team/multicast_groups.h"
#include "kernels/cuda/launch/device.h"

/*
 * Blocks unless the caller wants fewer.  By arithmetic they keep 1 MB in flight; not measured yet.
 */
enum { SYMM_MULTIMEM_BLOCKS = 16 };

/*
 * Start a reduction: two-shot if there is an `output`, otherwise one-shot.  The caller sets all of
 * `arguments` but `finish`; the arguments are copied.  It is quickest if input and output are equal
 * modulo 16.  Errors: as symm_device_reduce_start(), and ARGUMENT unless the kernels have been
 * loaded (symm_device_multimem_load()).
 */
enum symm_status
symm_device_multimem_start(struct symm_device *device, enum symm_cuda_type type,
                  enum symm_cuda_op op, const struct symm_cuda_multimem *arguments,
                  unsigned block_limit, struct symm_completion *completion);

/* Start to copy a block to all ranks.  Errors: as symm_device_multimem_start(). */
enum symm_status
symm_device_multimem_copy_start(struct symm_device *device,
                       const struct symm_cuda_multimem_copy *arguments,
                       unsigned block_limit, struct symm_completion *completion);

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
