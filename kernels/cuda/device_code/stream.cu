/*
 * stream.cu - kernels on stream lanes: symm_stream_<type>_<operation> and, in two shots,
 * symm_stream_two_<type>_<operation>, for what programs mostly do; the same for all elements of up
 * to eight bytes, or of sixteen, wherever they lie; and copies.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/stream_folds.cuh"

#define REDUCTION(type, T, op)                                                                     \
    SYMM_CUDA_STREAM_KERNEL(symm_stream_##type##_##op,                                             \
                            symm::stream_reduce<symm::fold_of<symm::op<T>, T>>)                    \
    SYMM_CUDA_STREAM_KERNEL_2(symm_stream_two_##type##_##op,                                       \
                              symm::stream_two_shot<symm::fold_of<symm::op<T>, T>>)

SYMM_STREAM_OWN_FOLDS(REDUCTION)
#undef REDUCTION

SYMM_CUDA_STREAM_KERNEL(symm_stream_any_8, symm::stream_reduce<symm::fold_any<1>>)
SYMM_CUDA_STREAM_KERNEL(symm_stream_any_16, symm::stream_reduce<symm::fold_any<2>>)
SYMM_CUDA_STREAM_KERNEL_2(symm_stream_two_any_8, symm::stream_two_shot<symm::fold_any<1>>)
SYMM_CUDA_STREAM_KERNEL_2(symm_stream_two_any_16, symm::stream_two_shot<symm::fold_any<2>>)
SYMM_CUDA_STREAM_KERNEL(symm_stream_copy, symm::stream_copy<false>)
SYMM_CUDA_STREAM_KERNEL(symm_stream_copy_any, symm::stream_copy<true>)
