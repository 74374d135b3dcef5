/*
 * small.cuh - reductions of little data: a unit for each thread, and no loop.
 *
 * Where there is little to do, what counts is how soon a thread has asked for its data, and how
 * much code has to be fetched for that: the kernels of reduce.cuh go through some 200 instructions
 * in six places.  Here a thread asks all ranks at once.  What happens to an element is the same.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_SMALL_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_SMALL_CUH

#include "kernels/cuda/device_code/reduce.cuh"

namespace symm {

/* The unit at byte `offset`. */
template <class Op, class T, class Unit>
SYMM_DEVICE void reduce_unit(const symm_cuda_small &arguments, uint32_t offset)
{
    const int LENGTH = Unit::length;
    T loaded[SYMM_CUDA_SMALL_RANKS][LENGTH] = {};
#pragma unroll
    for (int rank = 0; rank < SYMM_CUDA_SMALL_RANKS; rank++) {
        if (rank == 0 || rank < arguments.ranks) {
            Unit::load(static_cast<const char *>(arguments.inputs[rank]) + offset, loaded[rank]);
        }
    }
    typename Op::accumulator results[LENGTH] = {};
#pragma unroll
    for (int rank = 0; rank < SYMM_CUDA_SMALL_RANKS; rank++) {
        if (rank == 0 || rank < arguments.ranks) {
#pragma unroll
            for (int i = 0; i < LENGTH; i++) {
                const typename Op::accumulator next = Op::widen(loaded[rank][i]);
                results[i] = rank == 0 ? next : Op::apply(results[i], next);
            }
        }
    }
    T narrowed[LENGTH];
#pragma unroll
    for (int i = 0; i < LENGTH; i++) {
        narrowed[i] = Op::narrow(results[i]);
    }
#pragma unroll 1
    for (int output = 0; output < arguments.output_count; output++) {
        Unit::store(static_cast<char *>(arguments.outputs[output]) + offset, narrowed);
    }
}

/* Vectors first, and single elements behind them.  Elements with padding are never vectors. */
template <class Op, class T>
SYMM_DEVICE void reduce_small(const symm_cuda_small &arguments, uint64_t thread, uint64_t)
{
    typedef typename on_vectors<Op, T>::operation operation;
    typedef typename on_vectors<Op, T>::element element;
    const uint32_t unit = static_cast<uint32_t>(thread);
    if (layout<T>::used == sizeof(T) && unit < arguments.vectors) {
        reduce_unit<operation, element, vector_unit<element>>(arguments, unit * 16);
    } else if (unit - arguments.vectors < arguments.rest) {
        const uint32_t single = unit - arguments.vectors;
        reduce_unit<Op, T, element_unit<T>>(
            arguments, arguments.vectors * 16 + single * static_cast<uint32_t>(sizeof(T)));
    }
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_SMALL_CUH */
