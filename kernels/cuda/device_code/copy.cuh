/*
 * copy.cuh - copying a block to one or several places, in the largest units that suit all of them.
 *
 * A block is loaded once, and a thread asks for UNROLL units of it before it stores the first.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_COPY_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_COPY_CUH

#include "kernels/cuda/device_code/kernel.cuh"

namespace symm {

/* What is to be copied.  An array of outputs stays in constant memory. */
struct block {
    const void *input;
    void *const *outputs;
    int output_count;
    uint64_t bytes;
};

/* Copy `count` units, the first at byte `first` of input and outputs. */
template <class Unit, int UNROLL>
SYMM_DEVICE void copy_units(const block &from_to, uint64_t first, uint64_t count, uint64_t thread,
                            uint64_t threads)
{
    const Unit *from =
        reinterpret_cast<const Unit *>(static_cast<const char *>(from_to.input) + first);
#pragma unroll 1
    for (uint64_t turn = thread; turn < count; turn += UNROLL * threads) {
        Unit loaded[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            memset(&loaded[u], 0, sizeof(Unit));
            if (turn + u * threads < count) {
                loaded[u] = from[turn + u * threads];
            }
        }
#pragma unroll 1
        for (int output = 0; output < from_to.output_count; output++) {
            Unit *to =
                reinterpret_cast<Unit *>(static_cast<char *>(from_to.outputs[output]) + first);
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                if (turn + u * threads < count) {
                    to[turn + u * threads] = loaded[u];
                }
            }
        }
    }
}

/* Copy whole units from the first address that suits them, and bytes before and behind them. */
template <class Unit>
SYMM_DEVICE void copy_aligned(const block &from_to, uint64_t thread, uint64_t threads)
{
    const uint64_t last_thread = threads - 1 - thread;
    const uint64_t gap = (0 - reinterpret_cast<uint64_t>(from_to.input)) % sizeof(Unit);
    const uint64_t head = gap < from_to.bytes ? gap : from_to.bytes;
    const uint64_t count = (from_to.bytes - head) / sizeof(Unit);
    const uint64_t tail = head + count * sizeof(Unit);
    copy_units<Unit, 4>(from_to, head, count, thread, threads);
    if (sizeof(Unit) > 1) {
        copy_units<uint8_t, 1>(from_to, 0, head, last_thread, threads);
        copy_units<uint8_t, 1>(from_to, tail, from_to.bytes - tail, last_thread, threads);
    }
}

/* Copy a block in the largest units whose borders coincide in all buffers. */
SYMM_DEVICE void copy_block(const block &from_to, uint64_t thread, uint64_t threads)
{
    const uint64_t address = reinterpret_cast<uint64_t>(from_to.input);
    uint64_t differing = 0;
#pragma unroll 1
    for (int output = 0; output < from_to.output_count; output++) {
        differing |= reinterpret_cast<uint64_t>(from_to.outputs[output]) ^ address;
    }
    if (differing % 16 == 0) {
        copy_aligned<uint4>(from_to, thread, threads);
    } else if (differing % 8 == 0) {
        copy_aligned<uint64_t>(from_to, thread, threads);
    } else if (differing % 4 == 0) {
        copy_aligned<uint32_t>(from_to, thread, threads);
    } else if (differing % 2 == 0) {
        copy_aligned<uint16_t>(from_to, thread, threads);
    } else {
        copy_aligned<uint8_t>(from_to, thread, threads);
    }
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_COPY_CUH */
