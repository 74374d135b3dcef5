/*
 * scan.cu - the kernels of scans: symm_scan_<type>_<operation>, for the types and operations of
 * reductions.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/combinations.cuh"
#include "kernels/cuda/device_code/scan.cuh"

#define KERNEL(type, T, op)                                                                        \
    SYMM_CUDA_KERNEL(symm_scan_##type##_##op, symm_cuda_reduce, symm::scan<symm::op<T>, T>);

SYMM_CUDA_COMBINATIONS(KERNEL, KERNEL)

#undef KERNEL
