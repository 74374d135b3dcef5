/*
 * packets_few.cuh - packets of few ranks, with a unit for each thread: what small calls of programs
 * mostly are.
 *
 * What counts here is how much code has to be fetched before a thread has sent, and before it has
 * its result: the kernels of packets.cuh take 1.3 us more for the same (launch_time, 1 KiB).  So
 * there are no loops but the one that waits, all addresses are multiples of eight, and only the
 * last unit may be half of a packet.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_PACKETS_FEW_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_PACKETS_FEW_CUH

#include "kernels/cuda/device_code/packets.cuh"

namespace symm {

static const int few_ranks = SYMM_CUDA_FEW_RANKS;

/* Eight bytes, or the last four. */
SYMM_DEVICE uint64_t few_load(const unsigned char *from, bool is_whole)
{
    return is_whole ? *reinterpret_cast<const uint64_t *>(from)
                    : *reinterpret_cast<const uint32_t *>(from);
}

SYMM_DEVICE void few_store(unsigned char *to, uint64_t data, bool is_whole)
{
    if (is_whole) {
        *reinterpret_cast<uint64_t *>(to) = data;
    } else {
        *reinterpret_cast<uint32_t *>(to) = static_cast<uint32_t>(data);
    }
}

/* Whether packet `i` of the unit at byte `at` has eight bytes. */
SYMM_DEVICE bool few_is_whole(const symm_cuda_few_packets &arguments, uint32_t at, int i)
{
    return at + (i + 1) * packet_data <= arguments.bytes;
}

template <int PACKETS>
SYMM_DEVICE void few_send(const symm_cuda_few_packets &arguments, uint64_t thread, uint64_t)
{
    const uint32_t at = static_cast<uint32_t>(thread) * PACKETS * 8;
    const unsigned char *input = static_cast<const unsigned char *>(arguments.input) + at;
    uint64_t data[few_ranks][PACKETS] = {};
    if (at >= arguments.bytes) {
        return;
    }
#pragma unroll
    for (int rank = 0; rank < few_ranks; rank++) {
#pragma unroll
        for (int i = 0; i < PACKETS; i++) {
            if (arguments.rows[rank] != NULL) {
                data[rank][i] = few_load(input + rank * arguments.input_step + i * packet_data,
                                         few_is_whole(arguments, at, i));
            }
        }
    }
#pragma unroll
    for (int rank = 0; rank < few_ranks; rank++) {
#pragma unroll
        for (int i = 0; i < PACKETS; i++) {
            if (arguments.rows[rank] != NULL) {
                packet_store(static_cast<unsigned char *>(arguments.rows[rank]) + 2 * at +
                                 i * packet_bytes,
                             data[rank][i], arguments.flag);
            }
        }
    }
}

/* Wait for the unit at byte `at` of all sources.  False: something has not come in time. */
template <int PACKETS>
SYMM_DEVICE bool few_await(const symm_cuda_few_packets &arguments, uint32_t at, patience &left,
                           uint64_t (&data)[few_ranks][PACKETS])
{
    const unsigned char *pad = static_cast<const unsigned char *>(arguments.pad) + 2 * at;
    uint32_t missing = arguments.sources;
#pragma unroll 1
    for (;;) {
        packet loaded[few_ranks][PACKETS] = {};
#pragma unroll
        for (int rank = 0; rank < few_ranks; rank++) {
#pragma unroll
            for (int i = 0; i < PACKETS; i++) {
                if ((missing >> rank & 1) != 0) {
                    loaded[rank][i] = packet_load(pad + rank * static_cast<uint64_t>(
                                                                   arguments.pad_row) +
                                                  i * packet_bytes);
                }
            }
        }
#pragma unroll
        for (int rank = 0; rank < few_ranks; rank++) {
            bool has_all = (missing >> rank & 1) != 0;
#pragma unroll
            for (int i = 0; i < PACKETS; i++) {
                has_all = has_all && packet_has(loaded[rank][i], arguments.flag);
            }
            if (has_all) {
                missing &= ~(1u << rank);
#pragma unroll
                for (int i = 0; i < PACKETS; i++) {
                    data[rank][i] = packet_content(loaded[rank][i]);
                }
            }
        }
        if (missing == 0) {
            return true;
        }
        if (is_over(left)) {
            return false;
        }
    }
}

/* Elements with padding are stored without it, others as the packets that they fill. */
template <class T> struct few_result {
    template <int PACKETS, int LENGTH>
    static SYMM_DEVICE void store(const symm_cuda_few_packets &arguments, uint32_t at,
                                  const T (&items)[LENGTH])
    {
        unsigned char *to = static_cast<unsigned char *>(arguments.output) + at;
        uint64_t data[PACKETS];
        memcpy(data, items, sizeof(data));
#pragma unroll
        for (int i = 0; i < PACKETS; i++) {
            few_store(to + i * packet_data, data[i], few_is_whole(arguments, at, i));
        }
    }
};

template <class V> struct few_result<pair<V>> {
    template <int PACKETS, int LENGTH>
    static SYMM_DEVICE void store(const symm_cuda_few_packets &arguments, uint32_t at,
                                  const pair<V> (&items)[LENGTH])
    {
        element_unit<pair<V>>::store(static_cast<unsigned char *>(arguments.output) + at, items);
    }
};

template <class Op, class T>
SYMM_DEVICE bool few_reduce(const symm_cuda_few_packets &arguments, uint64_t thread, uint64_t,
                            patience &left)
{
    const int PACKETS = packed<T>::packets, LENGTH = packed<T>::length;
    const uint32_t at = static_cast<uint32_t>(thread) * PACKETS * 8;
    uint64_t data[few_ranks][PACKETS] = {};
    typename Op::accumulator results[LENGTH] = {};
    bool is_first = true;
    if (at >= arguments.bytes || arguments.sources == 0) {
        return true;
    }
    if (!few_await<PACKETS>(arguments, at, left, data)) {
        return false;
    }
    packets_fold<Op, T>(arguments.sources, data, is_first, results);
    T narrowed[LENGTH];
    packets_narrow<Op>(results, narrowed);
    few_result<T>::template store<PACKETS>(arguments, at, narrowed);
    return true;
}

SYMM_DEVICE bool few_copy(const symm_cuda_few_packets &arguments, uint64_t thread, uint64_t,
                          patience &left)
{
    const uint32_t at = static_cast<uint32_t>(thread) * 8;
    uint64_t data[few_ranks][1] = {};
    if (at >= arguments.bytes || arguments.sources == 0) {
        return true;
    }
    if (!few_await<1>(arguments, at, left, data)) {
        return false;
    }
#pragma unroll
    for (int rank = 0; rank < few_ranks; rank++) {
        if ((arguments.sources >> rank & 1) != 0) {
            few_store(static_cast<unsigned char *>(arguments.output) +
                          rank * arguments.output_step + at,
                      data[rank][0], few_is_whole(arguments, at, 0));
        }
    }
    return true;
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_PACKETS_FEW_CUH */
