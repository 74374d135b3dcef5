/*
 * reduce.cu - the reduction kernels: symm_reduce_<type>_<operation>, one for each that MPI allows.
 *
 * Signed integers, bool and byte have kernels of their own only where their bits differ from the
 * bits of unsigned integers.  Only for sums of floats the number of ranks is a template argument,
 * as in symm_reduce_<type>_sum_<ranks>.  For all operations this would take minutes of compilation.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/reduce.cuh"

/* Units of an input that a thread loads at a time.  The number of registers limits them. */
#define UNROLL(T) (sizeof(T) >= 4 ? 4 : sizeof(T))

#define KERNEL(name, op, T, ranks, unroll)                                                         \
    SYMM_CUDA_KERNEL(name, symm_cuda_reduce, symm::reduce<symm::op<T>, T, ranks, unroll>)

#define REDUCTION(type, T, op) KERNEL(symm_reduce_##type##_##op, op, T, 0, UNROLL(T))
#define BITWISE(type, T, op) KERNEL(symm_reduce_##type##_##op, op, T, 0, 4)

#define ARITHMETIC(type, T)                                                                        \
    REDUCTION(type, T, sum);                                                                       \
    REDUCTION(type, T, prod)

#define ORDER(type, T)                                                                             \
    REDUCTION(type, T, min);                                                                       \
    REDUCTION(type, T, max)

#define LOGICAL_AND_BITWISE(type, T)                                                               \
    REDUCTION(type, T, land);                                                                      \
    REDUCTION(type, T, lor);                                                                       \
    REDUCTION(type, T, lxor);                                                                      \
    BITWISE(type, T, band);                                                                      \
    BITWISE(type, T, bor);                                                                       \
    BITWISE(type, T, bxor)

#define LOCATION(type, T)                                                                          \
    REDUCTION(type, T, minloc);                                                                    \
    REDUCTION(type, T, maxloc)

#define SUM_OF_RANKS(type, T)                                                                      \
    KERNEL(symm_reduce_##type##_sum_2, sum, T, 2, 8);                                              \
    KERNEL(symm_reduce_##type##_sum_4, sum, T, 4, 4);                                              \
    KERNEL(symm_reduce_##type##_sum_8, sum, T, 8, 2)

ORDER(int8, int8_t);
ORDER(int16, int16_t);
ORDER(int32, int32_t);
ORDER(int64, int64_t);

ARITHMETIC(uint8, uint8_t);
ARITHMETIC(uint16, uint16_t);
ARITHMETIC(uint32, uint32_t);
ARITHMETIC(uint64, uint64_t);
ORDER(uint8, uint8_t);
ORDER(uint16, uint16_t);
ORDER(uint32, uint32_t);
ORDER(uint64, uint64_t);
LOGICAL_AND_BITWISE(uint8, uint8_t);
LOGICAL_AND_BITWISE(uint16, uint16_t);
LOGICAL_AND_BITWISE(uint32, uint32_t);
LOGICAL_AND_BITWISE(uint64, uint64_t);

ARITHMETIC(float, float);
ARITHMETIC(double, double);
ARITHMETIC(half, symm::half);
ARITHMETIC(bfloat16, symm::bfloat16);
ORDER(float, float);
ORDER(double, double);
ORDER(half, symm::half);
ORDER(bfloat16, symm::bfloat16);
SUM_OF_RANKS(float, float);
SUM_OF_RANKS(half, symm::half);
SUM_OF_RANKS(bfloat16, symm::bfloat16);

ARITHMETIC(float_complex, symm::complex<float>);
ARITHMETIC(double_complex, symm::complex<double>);

LOCATION(float_int, symm::pair<float>);
LOCATION(double_int, symm::pair<double>);
LOCATION(long_int, symm::pair<int64_t>);
LOCATION(2int, symm::pair<int32_t>);
LOCATION(short_int, symm::pair<int16_t>);

#undef UNROLL
#undef KERNEL
#undef REDUCTION
#undef BITWISE
#undef ARITHMETIC
#undef ORDER
#undef LOGICAL_AND_BITWISE
#undef LOCATION
#undef SUM_OF_RANKS
