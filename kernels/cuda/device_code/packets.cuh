/*
 * packets.cuh - data and flags together: data come with the news that they have come.
 *
 * A packet is sixteen bytes: twice four bytes of data and the call's flag.  Each half is stored and
 * loaded at once, so whoever finds the flag has the data beside it, and nothing else has to be
 * ordered.  A rank stores packets to the peers' pads, polls its own, and waits for no round trip.
 * This is what NCCL calls LL, and MSCCL++ packets.
 *
 * The halves are relaxed accesses at system scope.  That a rank sees what a peer has stored through
 * another mapping of the same memory is not promised by PTX, which asks for a proxy fence.  It
 * rests on these accesses bypassing the first-level cache (STRONG.SYS in SASS), as NCCL's do.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_PACKETS_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_PACKETS_CUH

#include "kernels/cuda/device_code/reduce.cuh"

namespace symm {

/* Bytes of data in a packet, and the packet's own. */
static const uint64_t packet_data = 8, packet_bytes = 16;

/* Ranks that a thread sends to, or asks, at a time. */
static const int packet_lanes = 4;

/* A packet: the low half of the data in the low half of `low`, and so on; flags above them. */
struct packet {
    uint64_t low, high;
};

SYMM_DEVICE void packet_store(unsigned char *to, uint64_t data, uint64_t flag)
{
    const uint64_t low = flag << 32 | static_cast<uint32_t>(data), high = flag << 32 | data >> 32;
#ifdef __CUDACC__
    asm volatile("st.relaxed.sys.global.v2.b64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high)
                 : "memory");
#else
    uint64_t *halves = reinterpret_cast<uint64_t *>(to);
    __atomic_store_n(&halves[0], low, __ATOMIC_RELAXED);
    __atomic_store_n(&halves[1], high, __ATOMIC_RELAXED);
#endif
}

SYMM_DEVICE packet packet_load(const unsigned char *from)
{
    packet loaded;
#ifdef __CUDACC__
    asm volatile("ld.relaxed.sys.global.v2.b64 {%0, %1}, [%2];"
                 : "=l"(loaded.low), "=l"(loaded.high)
                 : "l"(from));
#else
    const uint64_t *halves = reinterpret_cast<const uint64_t *>(from);
    loaded.low = __atomic_load_n(&halves[0], __ATOMIC_RELAXED);
    loaded.high = __atomic_load_n(&halves[1], __ATOMIC_RELAXED);
#endif
    return loaded;
}

SYMM_DEVICE bool packet_has(const packet &one, uint64_t flag)
{
    return one.low >> 32 == flag && one.high >> 32 == flag;
}

SYMM_DEVICE uint64_t packet_content(const packet &one)
{
    return one.high << 32 | static_cast<uint32_t>(one.low);
}

/* ---- user memory, which may lie at any address, and end anywhere ----------------------------- */

/* The first of `left` bytes, up to the data of a packet.  What is missing is 0. */
SYMM_DEVICE uint64_t data_load(const unsigned char *from, uint64_t left)
{
    uint64_t data = 0;
    if (left >= packet_data && reinterpret_cast<uint64_t>(from) % packet_data == 0) {
        return *reinterpret_cast<const uint64_t *>(from);
    }
#pragma unroll 1
    for (uint64_t i = 0; i < packet_data && i < left; i++) {
        data |= static_cast<uint64_t>(from[i]) << 8 * i;
    }
    return data;
}

SYMM_DEVICE void data_store(unsigned char *to, uint64_t data, uint64_t left)
{
    if (left >= packet_data && reinterpret_cast<uint64_t>(to) % packet_data == 0) {
        *reinterpret_cast<uint64_t *>(to) = data;
        return;
    }
#pragma unroll 1
    for (uint64_t i = 0; i < packet_data && i < left; i++) {
        to[i] = static_cast<unsigned char>(data >> 8 * i);
    }
}

/* ---- sending --------------------------------------------------------------------------------- */

/*
 * A thread has several packets under way at a time: those of UNITS units, which lie `step` bytes
 * apart, to or from LANES ranks.  Between many ranks it is the ranks that are many.  Between two a
 * thread would wait for memory in each of its units, so there it takes some together.
 */
template <int PACKETS> struct between_two {
    static const int lanes = 2, units = 4 / PACKETS;
    static_assert(units > 0, "elements have no more than 32 bytes");
};

/*
 * Send units of PACKETS packets: their data are loaded side by side.  In place a thread stores
 * results only to where it has loaded, or where nobody loads, and it does so after this.
 */
template <int PACKETS, int LANES, int UNITS>
SYMM_DEVICE void packets_send_by(const symm_cuda_packets &arguments, uint64_t thread,
                                 uint64_t threads)
{
    const uint64_t unit = PACKETS * packet_data, step = threads * unit;
    const int ranks = LANES == between_two<PACKETS>::lanes ? LANES : SYMM_CUDA_SMALL_RANKS;
#pragma unroll 1
    for (uint64_t first = thread * unit; first < arguments.bytes; first += UNITS * step) {
        const unsigned char *input = static_cast<const unsigned char *>(arguments.input) + first;
#pragma unroll 1
        for (int base = 0; base < ranks; base += LANES) {
            void *const *rows = arguments.rows + base;
            uint64_t data[UNITS][LANES][PACKETS] = {};
#pragma unroll
            for (int i = 0; i < UNITS * LANES * PACKETS; i++) {
                const int lane = i / PACKETS % LANES;
                const uint64_t before = i / (LANES * PACKETS) * step + i % PACKETS * packet_data;
                if (rows[lane] != NULL && first + before < arguments.bytes) {
                    data[i / (LANES * PACKETS)][lane][i % PACKETS] =
                        data_load(input + (base + lane) * arguments.input_step + before,
                                  arguments.bytes - first - before);
                }
            }
#pragma unroll
            for (int i = 0; i < UNITS * LANES * PACKETS; i++) {
                const int lane = i / PACKETS % LANES, number = i / (LANES * PACKETS);
                const uint64_t at = first + number * step;
                unsigned char *row = static_cast<unsigned char *>(rows[lane]);
                if (row != NULL && at < arguments.bytes) {
                    packet_store(row + 2 * at + i % PACKETS * packet_bytes,
                                 data[number][lane][i % PACKETS], arguments.flag);
                }
            }
        }
    }
}

template <int PACKETS>
SYMM_DEVICE void packets_send(const symm_cuda_packets &arguments, uint64_t thread, uint64_t threads)
{
    typedef between_two<PACKETS> two;
    if (arguments.is_between_two != 0) {
        packets_send_by<PACKETS, two::lanes, two::units>(arguments, thread, threads);
    } else {
        packets_send_by<PACKETS, packet_lanes, 1>(arguments, thread, threads);
    }
}

/* ---- receiving ------------------------------------------------------------------------------- */

/*
 * Wait for the units at byte `first`, `first` + `step`, and so on, of the sources among ranks
 * `base`, `base` + 1, and so on.  False: something has not come in time.
 */
template <int PACKETS, int LANES, int UNITS>
SYMM_DEVICE bool packets_await(const symm_cuda_packets &arguments, uint64_t first, uint64_t step,
                               int base, patience &left, uint64_t (&data)[UNITS][LANES][PACKETS])
{
    const unsigned char *pad =
        static_cast<const unsigned char *>(arguments.pad) + base * arguments.pad_row + 2 * first;
    const uint32_t sources =
        static_cast<uint32_t>(arguments.sources >> base) & ((1u << LANES) - 1);
    uint32_t missing = 0; /* a bit for each lane of each unit */
#pragma unroll
    for (int number = 0; number < UNITS; number++) {
        missing |= first + number * step < arguments.bytes ? sources << number * LANES : 0;
    }
#pragma unroll 1
    while (missing != 0) {
        packet loaded[UNITS * LANES][PACKETS];
#pragma unroll
        for (int one = 0; one < UNITS * LANES; one++) {
#pragma unroll
            for (int i = 0; i < PACKETS; i++) {
                if ((missing >> one & 1) != 0) {
                    loaded[one][i] =
                        packet_load(pad + one % LANES * arguments.pad_row +
                                    one / LANES * 2 * step + i * packet_bytes);
                }
            }
        }
#pragma unroll
        for (int one = 0; one < UNITS * LANES; one++) {
            if ((missing >> one & 1) == 0) {
                continue;
            }
            bool has_all = true;
#pragma unroll
            for (int i = 0; i < PACKETS; i++) {
                has_all = has_all && packet_has(loaded[one][i], arguments.flag);
                data[one / LANES][one % LANES][i] = packet_content(loaded[one][i]);
            }
            missing &= has_all ? ~(1u << one) : ~0u;
        }
        if (missing != 0 && is_over(left)) {
            return false;
        }
    }
    return true;
}

/* Store what a unit has been reduced to: elements that are there, without their padding. */
template <class T, int PACKETS, int LENGTH>
SYMM_DEVICE void results_store(unsigned char *to, uint64_t left, const T (&items)[LENGTH])
{
    if (layout<T>::used == sizeof(T) && left >= sizeof(items) &&
        reinterpret_cast<uint64_t>(to) % packet_data == 0) {
        uint64_t data[PACKETS];
        memcpy(data, items, sizeof(data));
#pragma unroll
        for (int i = 0; i < PACKETS; i++) {
            reinterpret_cast<uint64_t *>(to)[i] = data[i];
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < LENGTH; i++) {
        const T item[1] = {items[i]};
        if (i * sizeof(T) < left) {
            byte_unit<T>::store(to + i * sizeof(T), item);
        }
    }
}

/* As many packets as an element needs, or as many elements as fill a packet. */
template <class T> struct packed {
    static const int packets = sizeof(T) > 8 ? sizeof(T) / 8 : 1;
    static const int length = packets * 8 / sizeof(T);
};

/* Reduce what has come from the ranks of `sources` onto `results`, in their order. */
template <class Op, class T, int RANKS, int PACKETS, int LENGTH>
SYMM_DEVICE void packets_fold(uint64_t sources, const uint64_t (&data)[RANKS][PACKETS],
                              bool &is_first, typename Op::accumulator (&results)[LENGTH])
{
#pragma unroll
    for (int rank = 0; rank < RANKS; rank++) {
        if ((sources >> rank & 1) == 0) {
            continue;
        }
        T items[LENGTH];
        memcpy(items, data[rank], sizeof(items));
#pragma unroll
        for (int i = 0; i < LENGTH; i++) {
            const typename Op::accumulator next = Op::widen(items[i]);
            results[i] = is_first ? next : Op::apply(results[i], next);
        }
        is_first = false;
    }
}

template <class Op, class T, int LENGTH>
SYMM_DEVICE void packets_narrow(const typename Op::accumulator (&results)[LENGTH],
                                T (&items)[LENGTH])
{
#pragma unroll
    for (int i = 0; i < LENGTH; i++) {
        items[i] = Op::narrow(results[i]);
    }
}

/*
 * The units at byte `first`, `first` + `step`, and so on.  False: something is not there in time.
 */
template <class Op, class T, int LANES, int UNITS>
SYMM_DEVICE bool packets_reduce_units(const symm_cuda_packets &arguments, uint64_t first,
                                      uint64_t step, patience &left)
{
    const int PACKETS = packed<T>::packets, LENGTH = packed<T>::length;
    typename Op::accumulator results[UNITS][LENGTH] = {};
    bool is_first = true;
#pragma unroll 1
    for (int base = 0; arguments.sources >> base != 0; base += LANES) {
        uint64_t data[UNITS][LANES][PACKETS] = {};
        if (!packets_await<PACKETS, LANES, UNITS>(arguments, first, step, base, left, data)) {
            return false;
        }
        const bool was_first = is_first;
#pragma unroll
        for (int number = 0; number < UNITS; number++) {
            is_first = was_first;
            packets_fold<Op, T>(arguments.sources >> base, data[number], is_first,
                                results[number]);
        }
    }
#pragma unroll
    for (int number = 0; number < UNITS; number++) {
        const uint64_t at = first + number * step;
        T narrowed[LENGTH];
        packets_narrow<Op>(results[number], narrowed);
        if (at < arguments.bytes) {
            results_store<T, PACKETS>(static_cast<unsigned char *>(arguments.output) + at,
                                      arguments.bytes - at, narrowed);
        }
    }
    return true;
}

template <class Op, class T, int LANES, int UNITS>
SYMM_DEVICE bool packets_reduce_by(const symm_cuda_packets &arguments, uint64_t thread,
                                   uint64_t threads, patience &left)
{
    const uint64_t unit = packed<T>::packets * packet_data, step = threads * unit;
    const uint64_t bytes = arguments.sources != 0 ? arguments.bytes : 0;
    bool has_all = true;
#pragma unroll 1
    for (uint64_t first = thread * unit; first < bytes; first += UNITS * step) {
        has_all &= packets_reduce_units<Op, T, LANES, UNITS>(arguments, first, step, left);
    }
    return has_all;
}

template <class Op, class T>
SYMM_DEVICE bool packets_reduce(const symm_cuda_packets &arguments, uint64_t thread,
                                uint64_t threads, patience &left)
{
    typedef between_two<packed<T>::packets> two;
    return arguments.is_between_two != 0
               ? packets_reduce_by<Op, T, two::lanes, two::units>(arguments, thread, threads, left)
               : packets_reduce_by<Op, T, packet_lanes, 1>(arguments, thread, threads, left);
}

/* Blocks are stored as they are. */
template <int LANES, int UNITS>
SYMM_DEVICE bool packets_copy_by(const symm_cuda_packets &arguments, uint64_t thread,
                                 uint64_t threads, patience &left)
{
    const uint64_t bytes = arguments.sources != 0 ? arguments.bytes : 0;
    const uint64_t step = threads * packet_data;
    bool has_all = true;
#pragma unroll 1
    for (uint64_t first = thread * packet_data; first < bytes; first += UNITS * step) {
#pragma unroll 1
        for (int base = 0; arguments.sources >> base != 0; base += LANES) {
            uint64_t data[UNITS][LANES][1] = {};
            if (!packets_await<1, LANES, UNITS>(arguments, first, step, base, left, data)) {
                has_all = false;
                continue;
            }
#pragma unroll
            for (int one = 0; one < UNITS * LANES; one++) {
                const uint64_t at = first + one / LANES * step;
                const int rank = base + one % LANES;
                if ((arguments.sources >> rank & 1) != 0 && at < bytes) {
                    data_store(static_cast<unsigned char *>(arguments.output) +
                                   rank * arguments.output_step + at,
                               data[one / LANES][one % LANES][0], bytes - at);
                }
            }
        }
    }
    return has_all;
}

SYMM_DEVICE bool packets_copy(const symm_cuda_packets &arguments, uint64_t thread, uint64_t threads,
                              patience &left)
{
    typedef between_two<1> two;
    return arguments.is_between_two != 0
               ? packets_copy_by<two::lanes, two::units>(arguments, thread, threads, left)
               : packets_copy_by<packet_lanes, 1>(arguments, thread, threads, left);
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_PACKETS_CUH */
