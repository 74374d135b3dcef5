/*
 * gather.cu - symm_copy: copy one block to one or several places; symm_push: several blocks, each
 * to a place of its own; symm_nests: blocks with gaps (nests.cuh).
 *
 * An all-gather by kernel stores a rank's block to all outputs.  An all-gather by copy engines has
 * its own block copied by a few blocks of this kernel, since the engines are slow within a device.
 * An all-reduce by pushing sends each slice to its owner.  A block is loaded once, and a thread
 * asks for UNROLL units of it before it stores the first.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/kernel.cuh"
#include "kernels/cuda/device_code/nests.cuh"

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

SYMM_DEVICE void copy(const symm_cuda_copy &arguments, uint64_t thread, uint64_t threads)
{
    const block all = {arguments.input, arguments.outputs, arguments.output_count,
                       arguments.bytes};
    copy_block(all, thread, threads);
}

/*
 * Copy one block after the other.  Ranks that begin with different peers then do not meet at one.
 * The last block may have threads of its own: a rank's own block does not cross a link, and is
 * copied meanwhile.
 */
SYMM_DEVICE void push(const symm_cuda_pushes &arguments, uint64_t thread, uint64_t threads)
{
    const uint64_t others = threads - arguments.apart;
    const bool is_apart = thread >= others;
    const int begin = is_apart ? arguments.count - 1 : 0;
    const int end = arguments.count - (arguments.apart != 0 && !is_apart ? 1 : 0);
    thread -= is_apart ? others : 0;
    threads = is_apart ? arguments.apart : others;
#pragma unroll 1
    for (int i = begin; i < end; i++) {
        const block one = {arguments.pushes[i].input, &arguments.pushes[i].output, 1,
                           arguments.pushes[i].bytes};
        copy_block(one, thread, threads);
    }
}

} // namespace symm

SYMM_CUDA_KERNEL(symm_copy, symm_cuda_copy, symm::copy);
SYMM_CUDA_KERNEL(symm_push, symm_cuda_pushes, symm::push);
SYMM_CUDA_KERNEL(symm_nests, symm_cuda_nests, symm::nests<symm_cuda_nests>);
SYMM_CUDA_KERNEL(symm_few_nests, symm_cuda_few_nests, symm::nests<symm_cuda_few_nests>);
