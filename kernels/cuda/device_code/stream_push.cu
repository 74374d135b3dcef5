/*
 * stream_push.cu - kernels on stream lanes for long calls: symm_stream_push_<type>_<operation> for
 * what programs mostly do; the same for all elements of up to eight bytes, or of sixteen, wherever
 * they lie; and copies.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/stream_push.cuh"

#define REDUCTION(type, T, op)                                                                     \
    SYMM_CUDA_STREAM_KERNEL_PUSH(symm_stream_push_##type##_##op,                                   \
                                 symm::push_reduce<symm::fold_of<symm::op<T>, T>>)

SYMM_STREAM_OWN_FOLDS(REDUCTION)
#undef REDUCTION

SYMM_CUDA_STREAM_KERNEL_PUSH(symm_stream_push_any_8, symm::push_reduce<symm::fold_any<1>>)
SYMM_CUDA_STREAM_KERNEL_PUSH(symm_stream_push_any_16, symm::push_reduce<symm::fold_any<2>>)
SYMM_CUDA_STREAM_KERNEL_PUSH(symm_stream_push_copy, symm::push_copy<false>)
SYMM_CUDA_STREAM_KERNEL_PUSH(symm_stream_push_copy_any, symm::push_copy<true>)
