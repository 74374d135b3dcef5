/*
 * small.cu - kernels for little data: symm_small_<type>_<operation>, one for each that MPI allows,
 * and symm_small_push.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/combinations.cuh"
#include "kernels/cuda/device_code/small.cuh"

#define REDUCTION(type, T, op)                                                                     \
    SYMM_CUDA_KERNEL(symm_small_##type##_##op, symm_cuda_small, symm::reduce_small<symm::op<T>, T>);

SYMM_CUDA_COMBINATIONS(REDUCTION, REDUCTION)

#undef REDUCTION

namespace symm {

/* Each block of data has as many threads as the others: a unit for each. */
SYMM_DEVICE void push_small(const symm_cuda_small_pushes &arguments, uint64_t thread, uint64_t)
{
    const uint32_t number = static_cast<uint32_t>(thread) / arguments.threads;
    const uint32_t unit = static_cast<uint32_t>(thread) % arguments.threads;
    if (number >= SYMM_CUDA_SMALL_RANKS) { /* the last block has threads to spare */
        return;
    }
    const symm_cuda_small_push &one = arguments.pushes[number];
    if (unit < one.vectors) {
        static_cast<uint4 *>(one.output)[unit] = static_cast<const uint4 *>(one.input)[unit];
    } else if (unit - one.vectors < one.rest) {
        const uint32_t byte = one.vectors * 16 + (unit - one.vectors);
        static_cast<uint8_t *>(one.output)[byte] = static_cast<const uint8_t *>(one.input)[byte];
    }
}

} // namespace symm

SYMM_CUDA_KERNEL(symm_small_push, symm_cuda_small_pushes, symm::push_small);
