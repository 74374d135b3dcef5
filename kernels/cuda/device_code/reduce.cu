/*
 * reduce.cu - the reduction kernels: symm_reduce_<type>_<operation>, one for each that MPI allows.
 *
 * Only for sums of floats the number of ranks is a template argument,
 * as in symm_reduce_<type>_sum_<ranks>.  For all operations this would take minutes of compilation.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/combinations.cuh"
#include "kernels/cuda/device_code/held.cuh"
#include "kernels/cuda/device_code/reduce.cuh"

/* Units of an input that a thread loads at a time.  The number of registers limits them. */
#define UNROLL(T) (sizeof(T) >= 4 ? 4 : sizeof(T))

#define KERNEL(name, op, T, ranks, unroll)                                                         \
    SYMM_CUDA_HOLDING_KERNEL(name, symm_cuda_reduce, symm::hand_over,                              \
                             symm::reduce<symm::op<T>, T, ranks, unroll>)

#define REDUCTION(type, T, op) KERNEL(symm_reduce_##type##_##op, op, T, 0, UNROLL(T));
#define BITWISE(type, T, op) KERNEL(symm_reduce_##type##_##op, op, T, 0, 4);

#define SUM_OF_RANKS(type, T)                                                                      \
    KERNEL(symm_reduce_##type##_sum_2, sum, T, 2, 8);                                              \
    KERNEL(symm_reduce_##type##_sum_4, sum, T, 4, 4);                                              \
    KERNEL(symm_reduce_##type##_sum_8, sum, T, 8, 2)

SYMM_CUDA_COMBINATIONS(REDUCTION, BITWISE)

SUM_OF_RANKS(float, float);
SUM_OF_RANKS(half, symm::half);
SUM_OF_RANKS(bfloat16, symm::bfloat16);

#undef UNROLL
#undef KERNEL
#undef REDUCTION
#undef BITWISE
#undef SUM_OF_RANKS
