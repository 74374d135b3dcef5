/*
 * gather.cu - symm_copy: copy one block to one or several places.
 *
 * An all-gather by kernel stores a rank's block to all outputs; an all-gather by copy engines has its
 * own block copied by a few blocks of it, since the engines are slow within a device (GPU.md).  The
 * block is loaded once, and a thread asks for UNROLL units of it before it stores the first.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/kernel.cuh"

namespace symm {

/* Copy `count` units, the first at byte `first` of input and outputs. */
template <class Unit, int UNROLL>
SYMM_DEVICE void copy_units(const symm_cuda_copy &arguments, uint64_t first, uint64_t count,
                            uint64_t thread, uint64_t threads)
{
    const Unit *from =
        reinterpret_cast<const Unit *>(static_cast<const char *>(arguments.input) + first);
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
        for (int output = 0; output < arguments.output_count; output++) {
            Unit *to =
                reinterpret_cast<Unit *>(static_cast<char *>(arguments.outputs[output]) + first);
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                if (turn + u * threads < count) {
                    to[turn + u * threads] = loaded[u];
                }
            }
        }
    }
}

/* Whole units from the first address on that suits them; bytes before and behind. */
template <class Unit>
SYMM_DEVICE void copy_aligned(const symm_cuda_copy &arguments, uint64_t thread, uint64_t threads)
{
    const uint64_t last_thread = threads - 1 - thread;
    const uint64_t gap = (0 - reinterpret_cast<uint64_t>(arguments.input)) % sizeof(Unit);
    const uint64_t head = gap < arguments.bytes ? gap : arguments.bytes;
    const uint64_t count = (arguments.bytes - head) / sizeof(Unit);
    const uint64_t tail = head + count * sizeof(Unit);
    copy_units<Unit, 4>(arguments, head, count, thread, threads);
    if (sizeof(Unit) > 1) {
        copy_units<uint8_t, 1>(arguments, 0, head, last_thread, threads);
        copy_units<uint8_t, 1>(arguments, tail, arguments.bytes - tail, last_thread, threads);
    }
}

/* In the largest units whose borders coincide in all buffers. */
SYMM_DEVICE void copy(const symm_cuda_copy &arguments, uint64_t thread, uint64_t threads)
{
    const uint64_t address = reinterpret_cast<uint64_t>(arguments.input);
    uint64_t differing = 0;
#pragma unroll 1
    for (int output = 0; output < arguments.output_count; output++) {
        differing |= reinterpret_cast<uint64_t>(arguments.outputs[output]) ^ address;
    }
    if (differing % 16 == 0) {
        copy_aligned<uint4>(arguments, thread, threads);
    } else if (differing % 8 == 0) {
        copy_aligned<uint64_t>(arguments, thread, threads);
    } else if (differing % 4 == 0) {
        copy_aligned<uint32_t>(arguments, thread, threads);
    } else if (differing % 2 == 0) {
        copy_aligned<uint16_t>(arguments, thread, threads);
    } else {
        copy_aligned<uint8_t>(arguments, thread, threads);
    }
}

} // namespace symm

SYMM_CUDA_KERNEL(symm_copy, symm_cuda_copy, symm::copy);
