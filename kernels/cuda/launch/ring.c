/*
 * ring.c - starting kernels that pass an array on; see device.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/device_state.h"

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

enum symm_status symm_device_ring_start(struct symm_device *device, enum symm_cuda_type type,
                                        enum symm_cuda_op op, const struct symm_cuda_ring *ring,
                                        unsigned block_limit, struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    struct symm_cuda_ring launched = *ring;
    struct symm_launch launch = {
        .arguments = &launched,
        .finish = &launched.finish,
        .units = ring->tracks * SYMM_CUDA_BLOCK_THREADS,
        .block_limit = block_limit != 0 && block_limit < SYMM_CUDA_RING_TRACKS
                           ? block_limit : SYMM_CUDA_RING_TRACKS,
    };
    *completion = (struct symm_completion){0};
    if (!symm_device_can_ring(type, op) || !is_usable(ring)) {
        return SYMM_ERR_ARGUMENT;
    }
    enum symm_status status = symm_launch_begin(device, completion, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    launch.function = symm_functions_ring(&device->functions, type, op);
    status = symm_launch_kernel(device, device->kernels, &launch, completion);
    return symm_launch_end(device, completion, &scope, status);
}
