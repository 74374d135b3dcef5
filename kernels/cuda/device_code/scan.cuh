/*
 * scan.cuh - prefixes: load from all, add in rank order, store each prefix to its rank.
 *
 * Units, and the way through them, are those of reduce.cuh.  An accumulator is rounded for each
 * store, and goes on unrounded.  So a prefix has the bits of a reduction of as many inputs.
 *
 * The loads from the next ranks are under way before the prefixes of these ranks are stored.  So a
 * rank's input is read before the prefix of the ranks before it is stored, and the output of an
 * exclusive scan may be the input of its own rank.  Both then have one address, and a thread's
 * accesses to one address stay in order.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_SCAN_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_SCAN_CUH

#include "kernels/cuda/device_code/reduce.cuh"

namespace symm {

template <class T, class Unit, int LANES>
SYMM_DEVICE void scan_load(const symm_cuda_reduce &arguments, int ranks, int base, uint64_t offset,
                           T (&loaded)[LANES][Unit::length])
{
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        if (base + lane < ranks) {
            Unit::load(static_cast<const char *>(arguments.inputs[base + lane]) + offset,
                       loaded[lane]);
        }
    }
}

/*
 * Always one unit: the loads in flight are those from several ranks.  Two ranks at a time and two
 * ahead make the image a third smaller than four and four.  Small units are few, so they are taken
 * from one rank at a time and one ahead.
 */
struct scan_turn {
    static const int lanes = 2, element_unroll = 1;

    template <class Op, class T, class Unit, int LANES_MOST, int UNROLL>
    static SYMM_DEVICE void take(const symm_cuda_reduce &arguments, int ranks,
                                 const uint64_t (&offsets)[UNROLL])
    {
        static_assert(UNROLL == 1, "a unit a turn");
        const int LENGTH = Unit::length, LANES = LENGTH * sizeof(T) >= 16 ? LANES_MOST : 1;
        typename Op::accumulator prefix[LENGTH] = {};
        T loaded[LANES][LENGTH] = {};
        scan_load<T, Unit, LANES>(arguments, ranks, 0, offsets[0], loaded);
#pragma unroll 1
        for (int base = 0; base < ranks; base += LANES) {
            T next[LANES][LENGTH] = {};
            scan_load<T, Unit, LANES>(arguments, ranks, base + LANES, offsets[0], next);
#pragma unroll
            for (int lane = 0; lane < LANES; lane++) {
                if (base + lane < ranks) {
                    T narrowed[LENGTH];
#pragma unroll
                    for (int i = 0; i < LENGTH; i++) {
                        const typename Op::accumulator operand = Op::widen(loaded[lane][i]);
                        prefix[i] = lane == 0 && base == 0 ? operand
                                                           : Op::apply(prefix[i], operand);
                        narrowed[i] = Op::narrow(prefix[i]);
                    }
                    Unit::store(static_cast<char *>(arguments.outputs[base + lane]) + offsets[0],
                                narrowed);
                }
            }
            memcpy(loaded, next, sizeof(loaded));
        }
    }
};

template <class Op, class T>
SYMM_DEVICE void scan(const symm_cuda_reduce &arguments, uint64_t thread, uint64_t threads)
{
    reduce<Op, T, 0, 1, scan_turn>(arguments, thread, threads);
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_SCAN_CUH */
