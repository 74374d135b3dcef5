/*
 * ring.cu - kernels of rings: symm_ring_<type>_<operation>, for arithmetic on whole words.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/combinations.cuh"
#include "kernels/cuda/device_code/ring.cuh"

#define RING(type, T, op)                                                                          \
    SYMM_CUDA_PATIENT_KERNEL(symm_ring_##type##_##op, symm_cuda_ring, symm::ring_begin,            \
                             symm::ring_pass<symm::op<T>, T>);

SYMM_CUDA_RING_COMBINATIONS(RING)

#undef RING
