/*
 * reduce.cuh - the reduction: load from all, add in rank order, store.
 *
 * One-shot calls it with the whole array and one output, two-shot with a slice and all outputs.
 * What happens to an element depends on neither, so both give the same bits.  scan.cuh goes through
 * the units in the same way, with a turn of its own.
 *
 * A thread works on units: sixteen bytes where all buffers allow it, otherwise elements.  Loads in
 * flight hide the time that a load from a peer takes: a thread asks for several units before it
 * uses the first.  About 0.5 MB in flight fill a link of 340 GB/s.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_REDUCE_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_REDUCE_CUH

#include "kernels/cuda/device_code/operations.cuh"

namespace symm {

/* ---- units: how many elements, and how they are loaded and stored ---------------------------- */

/* Sixteen aligned bytes of elements without padding. */
template <class T> struct vector_unit {
    static const int length = sizeof(T) <= 16 ? 16 / sizeof(T) : 1;

    static SYMM_DEVICE void load(const void *from, T (&items)[length])
    {
        const uint4 bytes = *static_cast<const uint4 *>(from);
        memcpy(items, &bytes, sizeof(bytes));
    }

    static SYMM_DEVICE void store(void *to, const T (&items)[length])
    {
        uint4 bytes;
        memcpy(&bytes, items, sizeof(bytes));
        *static_cast<uint4 *>(to) = bytes;
    }
};

/* An element at an address that suits its type. */
template <class T> struct element_unit {
    static const int length = 1;

    static SYMM_DEVICE void load(const void *from, T (&items)[1])
    {
        items[0] = *static_cast<const T *>(from);
    }

    static SYMM_DEVICE void store(void *to, const T (&items)[1])
    {
        *static_cast<T *>(to) = items[0];
    }
};

/* Padding is neither read nor written: it may hold what is the program's. */
template <class V> struct element_unit<pair<V>> {
    static const int length = 1;

    static SYMM_DEVICE void load(const void *from, pair<V> (&items)[1])
    {
        const pair<V> *element = static_cast<const pair<V> *>(from);
        items[0].value = element->value;
        items[0].index = element->index;
    }

    static SYMM_DEVICE void store(void *to, const pair<V> (&items)[1])
    {
        pair<V> *element = static_cast<pair<V> *>(to);
        element->value = items[0].value;
        element->index = items[0].index;
    }
};

template <class T> SYMM_DEVICE T bytes_load(const unsigned char *from)
{
    unsigned char bytes[sizeof(T)];
    T value;
    for (size_t i = 0; i < sizeof(T); i++) {
        bytes[i] = from[i];
    }
    memcpy(&value, bytes, sizeof(value));
    return value;
}

template <class T> SYMM_DEVICE void bytes_store(unsigned char *to, T value)
{
    unsigned char bytes[sizeof(T)];
    memcpy(bytes, &value, sizeof(value));
    for (size_t i = 0; i < sizeof(T); i++) {
        to[i] = bytes[i];
    }
}

/*
 * An element anywhere.  MPI does not ask for alignment, and a device would stop at such an address.
 */
template <class T> struct byte_unit {
    static const int length = 1;

    static SYMM_DEVICE void load(const void *from, T (&items)[1])
    {
        items[0] = bytes_load<T>(static_cast<const unsigned char *>(from));
    }

    static SYMM_DEVICE void store(void *to, const T (&items)[1])
    {
        bytes_store(static_cast<unsigned char *>(to), items[0]);
    }
};

template <class V> struct byte_unit<pair<V>> {
    static const int length = 1;

    static SYMM_DEVICE void load(const void *from, pair<V> (&items)[1])
    {
        const unsigned char *bytes = static_cast<const unsigned char *>(from);
        items[0].value = bytes_load<V>(bytes);
        items[0].index = bytes_load<int32_t>(bytes + offsetof(pair<V>, index));
    }

    static SYMM_DEVICE void store(void *to, const pair<V> (&items)[1])
    {
        unsigned char *bytes = static_cast<unsigned char *>(to);
        bytes_store(bytes, items[0].value);
        bytes_store(bytes + offsetof(pair<V>, index), items[0].index);
    }
};

/* ---- what differs by type -------------------------------------------------------------------- */

/* Alignment that loads and stores of an element need, and bytes of it that are not padding. */
template <class T> struct layout {
    static const size_t alignment = sizeof(T), used = sizeof(T);
};
template <class T> struct layout<complex<T>> {
    static const size_t alignment = sizeof(T), used = 2 * sizeof(T);
};
template <class V> struct layout<pair<V>> {
    static const size_t alignment = alignof(pair<V>), used = sizeof(V) + sizeof(int32_t);
};

/* An operation on vectors of another type that gives the same bits with less work. */
template <class Op, class T> struct on_vectors {
    typedef Op operation;
    typedef T element;
};
template <class T> struct on_vectors<band<T>, T> {
    typedef band<uint32_t> operation;
    typedef uint32_t element;
};
template <class T> struct on_vectors<bor<T>, T> {
    typedef bor<uint32_t> operation;
    typedef uint32_t element;
};
template <class T> struct on_vectors<bxor<T>, T> {
    typedef bxor<uint32_t> operation;
    typedef uint32_t element;
};

/* ---- the reduction --------------------------------------------------------------------------- */

/*
 * `count` units.  The first is at byte `first` of every buffer, and each follows the one before.
 * Only between unit `head` - 1 and unit `head`, `skipped` units are left out.
 */
struct units {
    uint64_t first, head, skipped, count;
};

/*
 * A turn takes the units at `offsets`: load from all, add in rank order, store to all.  Loads from
 * LANES ranks are under way at a time.  `lanes`: ranks at a time where a turn has one unit.
 * `element_unroll`: units in a turn where a unit is an element.
 */
struct reduce_turn {
    static const int lanes = 4, element_unroll = 4;

    template <class Op, class T, class Unit, int LANES, int UNROLL>
    static SYMM_DEVICE void take(const symm_cuda_reduce &arguments, int ranks,
                                 const uint64_t (&offsets)[UNROLL])
    {
        const int LENGTH = Unit::length;
        typename Op::accumulator results[UNROLL][LENGTH] = {};
        int base = 0;
#pragma unroll 1
        do {
            T loaded[LANES][UNROLL][LENGTH] = {};
#pragma unroll
            for (int lane = 0; lane < LANES; lane++) {
                if (lane == 0 || base + lane < ranks) {
                    const char *input = static_cast<const char *>(arguments.inputs[base + lane]);
#pragma unroll
                    for (int u = 0; u < UNROLL; u++) {
                        Unit::load(input + offsets[u], loaded[lane][u]);
                    }
                }
            }
#pragma unroll
            for (int lane = 0; lane < LANES; lane++) {
                if (lane == 0 || base + lane < ranks) {
                    const bool is_first = lane == 0 && base == 0;
#pragma unroll
                    for (int u = 0; u < UNROLL; u++) {
#pragma unroll
                        for (int i = 0; i < LENGTH; i++) {
                            const typename Op::accumulator next = Op::widen(loaded[lane][u][i]);
                            results[u][i] = is_first ? next : Op::apply(results[u][i], next);
                        }
                    }
                }
            }
            base += LANES;
        } while (base < ranks);

        T narrowed[UNROLL][LENGTH];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int i = 0; i < LENGTH; i++) {
                narrowed[u][i] = Op::narrow(results[u][i]);
            }
        }
#pragma unroll 1
        for (int output = 0; output < arguments.output_count; output++) {
            char *to = static_cast<char *>(arguments.outputs[output]);
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                Unit::store(to + offsets[u], narrowed[u]);
            }
        }
    }
};

SYMM_DEVICE uint64_t unit_offset(const units &range, uint64_t unit, uint64_t size)
{
    return range.first + (unit + (unit < range.head ? 0 : range.skipped)) * size;
}

/*
 * A thread takes UNROLL units a turn as long as there are so many, which gives bandwidth.  Then it
 * takes one unit a turn, but from several ranks, which takes least time where there is little to
 * do.
 *
 * RANKS is the number of inputs if the compiler is to know it, otherwise 0.
 */
template <class Op, class T, class Unit, int RANKS, int UNROLL, class Turn = reduce_turn>
SYMM_DEVICE void reduce_units(const symm_cuda_reduce &arguments, const units &range,
                              uint64_t thread, uint64_t threads)
{
    const uint64_t size = Unit::length * sizeof(T);
    const int ranks = RANKS != 0 ? RANKS : arguments.ranks;
    uint64_t unit = thread;
    if (UNROLL > 1) {
#pragma unroll 1
        for (; unit + (UNROLL - 1) * threads < range.count; unit += UNROLL * threads) {
            uint64_t offsets[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                offsets[u] = unit_offset(range, unit + u * threads, size);
            }
            Turn::template take<Op, T, Unit, RANKS != 0 ? RANKS : 1, UNROLL>(arguments, ranks,
                                                                             offsets);
        }
    }
#pragma unroll 1
    for (; unit < range.count; unit += threads) {
        const uint64_t offsets[1] = {unit_offset(range, unit, size)};
        Turn::template take<Op, T, Unit, RANKS != 0 ? RANKS : Turn::lanes, 1>(arguments, ranks,
                                                                              offsets);
    }
}

/* `address`: of the first buffer.  `differing`: the bits in which the buffers' addresses differ. */
struct placement {
    uint64_t address, differing;
};

SYMM_DEVICE placement placement_of(const symm_cuda_reduce &arguments)
{
    placement place = {reinterpret_cast<uint64_t>(arguments.inputs[0]), 0};
#pragma unroll 1
    for (int rank = 1; rank < arguments.ranks; rank++) {
        place.differing |= reinterpret_cast<uint64_t>(arguments.inputs[rank]) ^ place.address;
    }
#pragma unroll 1
    for (int output = 0; output < arguments.output_count; output++) {
        place.differing |= reinterpret_cast<uint64_t>(arguments.outputs[output]) ^ place.address;
    }
    return place;
}

/*
 * Vectors begin at the first address that is a multiple of sixteen in all buffers.  The threads
 * with the highest numbers take the single elements before and behind the vectors, because these
 * threads have nothing else to do where there is little to do.
 */
template <class Op, class T, int RANKS, int UNROLL, class Turn = reduce_turn>
SYMM_DEVICE void reduce(const symm_cuda_reduce &arguments, uint64_t thread, uint64_t threads)
{
    const placement place = placement_of(arguments);
    const uint64_t count = arguments.end - arguments.begin, first = arguments.begin * sizeof(T);
    const uint64_t last_thread = threads - 1 - thread;
    units single = {first, count, 0, count};
    if ((place.address | place.differing) % layout<T>::alignment != 0) {
        reduce_units<Op, T, byte_unit<T>, 0, 1, Turn>(arguments, single, last_thread, threads);
        return;
    }
    if (layout<T>::used == sizeof(T) && place.differing % 16 == 0) {
        const uint64_t length = vector_unit<T>::length, gap = (0 - place.address - first) % 16;
        if (gap % sizeof(T) == 0 && gap / sizeof(T) <= count) {
            const uint64_t head = gap / sizeof(T), vectors = (count - head) / length;
            const units aligned = {first + gap, vectors, 0, vectors};
            single = {first, head, vectors * length, count - vectors * length};
            typedef typename on_vectors<Op, T>::operation operation;
            typedef typename on_vectors<Op, T>::element element;
            reduce_units<operation, element, vector_unit<element>, RANKS, UNROLL, Turn>(
                arguments, aligned, thread, threads);
        }
    }
    reduce_units<Op, T, element_unit<T>, 0, Turn::element_unroll, Turn>(arguments, single,
                                                                        last_thread, threads);
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_REDUCE_CUH */
