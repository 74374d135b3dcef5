/*
 * combinations.cuh - the types and operations that reductions and scans have kernels for.
 *
 * Signed integers, bool and byte have kernels of their own only where their bits differ from the
 * bits of unsigned integers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_COMBINATIONS_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_COMBINATIONS_CUH

#define SYMM_CUDA_ARITHMETIC(F, type, T) F(type, T, sum) F(type, T, prod)

#define SYMM_CUDA_ORDER(F, type, T) F(type, T, min) F(type, T, max)

#define SYMM_CUDA_LOCATION(F, type, T) F(type, T, minloc) F(type, T, maxloc)

#define SYMM_CUDA_UNSIGNED(F, BITWISE, type, T)                                                    \
    SYMM_CUDA_ARITHMETIC(F, type, T)                                                               \
    SYMM_CUDA_ORDER(F, type, T)                                                                    \
    F(type, T, land)                                                                               \
    F(type, T, lor)                                                                                \
    F(type, T, lxor)                                                                               \
    BITWISE(type, T, band)                                                                         \
    BITWISE(type, T, bor)                                                                          \
    BITWISE(type, T, bxor)

#define SYMM_CUDA_FLOATING(F, type, T) SYMM_CUDA_ARITHMETIC(F, type, T) SYMM_CUDA_ORDER(F, type, T)

/* F(type, T, op) for each, but BITWISE(type, T, op) for bitwise operations. */
#define SYMM_CUDA_COMBINATIONS(F, BITWISE)                                                         \
    SYMM_CUDA_ORDER(F, int8, int8_t)                                                               \
    SYMM_CUDA_ORDER(F, int16, int16_t)                                                             \
    SYMM_CUDA_ORDER(F, int32, int32_t)                                                             \
    SYMM_CUDA_ORDER(F, int64, int64_t)                                                             \
    SYMM_CUDA_UNSIGNED(F, BITWISE, uint8, uint8_t)                                                 \
    SYMM_CUDA_UNSIGNED(F, BITWISE, uint16, uint16_t)                                               \
    SYMM_CUDA_UNSIGNED(F, BITWISE, uint32, uint32_t)                                               \
    SYMM_CUDA_UNSIGNED(F, BITWISE, uint64, uint64_t)                                               \
    SYMM_CUDA_FLOATING(F, float, float)                                                            \
    SYMM_CUDA_FLOATING(F, double, double)                                                          \
    SYMM_CUDA_FLOATING(F, half, symm::half)                                                        \
    SYMM_CUDA_FLOATING(F, bfloat16, symm::bfloat16)                                                \
    SYMM_CUDA_ARITHMETIC(F, float_complex, symm::complex<float>)                                   \
    SYMM_CUDA_ARITHMETIC(F, double_complex, symm::complex<double>)                                 \
    SYMM_CUDA_LOCATION(F, float_int, symm::pair<float>)                                            \
    SYMM_CUDA_LOCATION(F, double_int, symm::pair<double>)                                          \
    SYMM_CUDA_LOCATION(F, long_int, symm::pair<int64_t>)                                           \
    SYMM_CUDA_LOCATION(F, 2int, symm::pair<int32_t>)                                               \
    SYMM_CUDA_LOCATION(F, short_int, symm::pair<int16_t>)

/* Those of rings, as symm_device_can_ring() has them. */
#define SYMM_CUDA_RING_COMBINATIONS(F)                                                             \
    SYMM_CUDA_ORDER(F, int32, int32_t)                                                             \
    SYMM_CUDA_ORDER(F, int64, int64_t)                                                             \
    SYMM_CUDA_ARITHMETIC(F, uint32, uint32_t)                                                      \
    SYMM_CUDA_ORDER(F, uint32, uint32_t)                                                           \
    SYMM_CUDA_ARITHMETIC(F, uint64, uint64_t)                                                      \
    SYMM_CUDA_ORDER(F, uint64, uint64_t)                                                           \
    SYMM_CUDA_FLOATING(F, float, float)                                                            \
    SYMM_CUDA_FLOATING(F, double, double)

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_COMBINATIONS_CUH */
