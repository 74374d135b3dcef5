/*
 * ring.c - kernels that pass an array on; see kernel.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/kernel.h"

enum { VECTOR = 16 };

static bool is_usable(const struct symm_cuda_ring *ring)
{
    uint64_t addresses = (uint64_t)(uintptr_t)ring->own | (uint64_t)(uintptr_t)ring->sum |
                         (uint64_t)(uintptr_t)ring->output;
    return addresses % VECTOR == 0 && ring->done != NULL && ring->step > 0 &&
           ring->step <= SYMM_CUDA_RING_STEP && ring->tracks > 0 &&
           ring->tracks <= SYMM_CUDA_RING_TRACKS && ring->slots > 0 &&
           (ring->sum != NULL) == (ring->come != NULL) &&
           (ring->sum != NULL) == (ring->room != NULL) &&
           (ring->passed != NULL) == (ring->taken != NULL);
}

struct symm_kernel *symm_kernel_ring(struct symm_kernel *kernel, enum symm_cuda_type type,
                                     enum symm_cuda_op op, const struct symm_cuda_ring *ring,
                                     unsigned block_limit)
{
    if (!symm_device_can_ring(type, op) || !is_usable(ring)) {
        return symm_kernel_wrong(kernel);
    }
    kernel->arguments.ring = *ring;
    return symm_kernel_set(kernel, symm_function(SYMM_FUNCTION_RING, type, op),
                           SYMM_KERNEL_FINISH(ring), ring->tracks * SYMM_CUDA_BLOCK_THREADS,
                           block_limit != 0 && block_limit < SYMM_CUDA_RING_TRACKS
                               ? block_limit : SYMM_CUDA_RING_TRACKS, 0);
}
