/*
 * multimem.cu - all-reduce and all-gather by NVLink multicast, for devices of compute capability
 * 9.0 on.
 *
 * symm_multimem_<type>_<operation>: two-shot.  A rank load-reduces its slice, once, and stores the
 * result to all.  Whatever order and rounding the switch has chosen, all ranks get the same bits,
 * and each byte crosses a link about once in each direction.  It is right in place.
 *
 * symm_multimem_one_shot_<type>_<operation>: each rank load-reduces everything and keeps the
 * result.  It is only for integers and bits: two loads of floats may round differently, and ranks
 * would disagree.
 *
 * symm_multimem_copy: an all-gather; a rank stores its block to all.
 *
 * Vectors that are aligned in input and output go through the switch.  The few elements beside them
 * are reduced at the unicast addresses, in rank order; so are all elements if input and output
 * differ modulo 16.  In vectors the switch determines MIN and MAX of floats: NaNs, and zeros of
 * both signs, may come out otherwise than by unicast, but alike on all ranks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/multimem.cuh"

namespace symm {

/* ---- all-reduce ------------------------------------------------------------------------------ */

/* Reduce the vectors at `offsets`.  All loads are made before the first result is used. */
template <class Op, class T, bool TO_ALL, int UNROLL>
SYMM_DEVICE void multimem_turn(const symm_cuda_multimem &arguments,
                               const uint64_t (&offsets)[UNROLL])
{
    uint4 vectors[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        vectors[u] = multimem_load<Op, T>::at(arguments, offsets[u]);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        if (TO_ALL) {
            multimem_store(arguments.output, arguments.unicast, offsets[u], vectors[u]);
        } else {
            char *own = static_cast<char *>(arguments.unicast.outputs[0]);
            *reinterpret_cast<uint4 *>(own + offsets[u]) = vectors[u];
        }
    }
}

template <class Op, class T, bool TO_ALL, int UNROLL>
SYMM_DEVICE void multimem_vectors(const symm_cuda_multimem &arguments, uint64_t first,
                                  uint64_t count, uint64_t thread, uint64_t threads)
{
    uint64_t vector = thread;
#pragma unroll 1
    for (; vector + (UNROLL - 1) * threads < count; vector += UNROLL * threads) {
        uint64_t offsets[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            offsets[u] = first + (vector + u * threads) * sizeof(uint4);
        }
        multimem_turn<Op, T, TO_ALL, UNROLL>(arguments, offsets);
    }
#pragma unroll 1
    for (; vector < count; vector += threads) {
        const uint64_t offsets[1] = {first + vector * sizeof(uint4)};
        multimem_turn<Op, T, TO_ALL, 1>(arguments, offsets);
    }
}

/*
 * Like reduce(): vectors first.  The threads with the highest numbers take the single elements
 * before and behind them.
 */
template <class Op, class T, bool TO_ALL, int UNROLL>
SYMM_DEVICE void multimem_reduce(const symm_cuda_multimem &arguments, uint64_t thread,
                                 uint64_t threads)
{
    const symm_cuda_reduce &unicast = arguments.unicast;
    const uint64_t count = unicast.end - unicast.begin, first = unicast.begin * sizeof(T);
    const uint64_t input = reinterpret_cast<uint64_t>(arguments.input);
    const uint64_t output =
        reinterpret_cast<uint64_t>(TO_ALL ? arguments.output : unicast.outputs[0]);
    const uint64_t last_thread = threads - 1 - thread;
    units single = {first, count, 0, count};
    if ((input | output) % sizeof(T) != 0) {
        reduce_units<Op, T, byte_unit<T>, 0, 1>(unicast, single, last_thread, threads);
        return;
    }
    const uint64_t gap = (0 - input - first) % sizeof(uint4), length = sizeof(uint4) / sizeof(T);
    if ((input ^ output) % sizeof(uint4) == 0 && gap / sizeof(T) <= count) {
        const uint64_t head = gap / sizeof(T), vectors = (count - head) / length;
        single = {first, head, vectors * length, count - vectors * length};
        multimem_vectors<Op, T, TO_ALL, UNROLL>(arguments, first + gap, vectors, thread, threads);
    }
    reduce_units<Op, T, element_unit<T>, 0, 1>(unicast, single, last_thread, threads);
}

/* ---- all-gather ------------------------------------------------------------------------------ */

/* Sixteen bytes from an address that is a multiple of the piece's size. */
template <class Piece> SYMM_DEVICE uint4 vector_from(const char *from)
{
    const int length = sizeof(uint4) / sizeof(Piece);
    Piece pieces[length];
#pragma unroll
    for (int i = 0; i < length; i++) {
        pieces[i] = reinterpret_cast<const Piece *>(from)[i];
    }
    uint4 vector;
    memcpy(&vector, pieces, sizeof(vector));
    return vector;
}

/*
 * Copy `count` vectors from byte `first` on.  The output is aligned there, and the input is aligned
 * for pieces.
 */
template <class Piece, int UNROLL>
SYMM_DEVICE void multimem_copy_vectors(const symm_cuda_multimem_copy &arguments, uint64_t first,
                                       uint64_t count, uint64_t thread, uint64_t threads)
{
    const char *from = static_cast<const char *>(arguments.unicast.input) + first;
#pragma unroll 1
    for (uint64_t turn = thread; turn < count; turn += UNROLL * threads) {
        uint4 vectors[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const uint64_t vector = turn + u * threads;
            if (vector < count) {
                vectors[u] = vector_from<Piece>(from + vector * sizeof(uint4));
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const uint64_t vector = turn + u * threads;
            if (vector < count) {
                multimem_store(arguments.output, arguments.unicast,
                               first + vector * sizeof(uint4), vectors[u]);
            }
        }
    }
}

/* Bytes `begin` to `end`, which are few, by unicast. */
SYMM_DEVICE void copy_bytes(const symm_cuda_copy &unicast, uint64_t begin, uint64_t end,
                            uint64_t thread, uint64_t threads)
{
#pragma unroll 1
    for (uint64_t i = begin + thread; i < end; i += threads) {
        const char byte = static_cast<const char *>(unicast.input)[i];
#pragma unroll 1
        for (int output = 0; output < unicast.output_count; output++) {
            static_cast<char *>(unicast.outputs[output])[i] = byte;
        }
    }
}

/*
 * Copy vectors where the output is aligned.  The input is read in the largest pieces that are
 * aligned at these places.
 */
SYMM_DEVICE void multimem_copy(const symm_cuda_multimem_copy &arguments, uint64_t thread,
                               uint64_t threads)
{
    const symm_cuda_copy &unicast = arguments.unicast;
    const uint64_t output = reinterpret_cast<uint64_t>(arguments.output);
    const uint64_t differing = reinterpret_cast<uint64_t>(unicast.input) ^ output;
    const uint64_t gap = (0 - output) % sizeof(uint4), last_thread = threads - 1 - thread;
    const uint64_t head = gap < unicast.bytes ? gap : unicast.bytes;
    const uint64_t count = (unicast.bytes - head) / sizeof(uint4);
    if (differing % 16 == 0) {
        multimem_copy_vectors<uint4, 8>(arguments, head, count, thread, threads);
    } else if (differing % 8 == 0) {
        multimem_copy_vectors<uint64_t, 4>(arguments, head, count, thread, threads);
    } else if (differing % 4 == 0) {
        multimem_copy_vectors<uint32_t, 4>(arguments, head, count, thread, threads);
    } else {
        multimem_copy_vectors<uint8_t, 2>(arguments, head, count, thread, threads);
    }
    copy_bytes(unicast, 0, head, last_thread, threads);
    copy_bytes(unicast, head + count * sizeof(uint4), unicast.bytes, last_thread, threads);
}

} // namespace symm

/* ---- kernels --------------------------------------------------------------------------------- */

/*
 * `unroll`: vectors that a thread asks for at a time.  All types have as many accesses in flight.
 */
#define KERNEL(name, op, T, to_all, unroll)                                                        \
    SYMM_CUDA_KERNEL(name, symm_cuda_multimem,                                                     \
                     symm::multimem_reduce<symm::op<T>, T, to_all, unroll>)

#define TWO_SHOT(type, T, op) KERNEL(symm_multimem_##type##_##op, op, T, true, 8)

#define BOTH(type, T, op)                                                                          \
    KERNEL(symm_multimem_##type##_##op, op, T, true, 4);                                           \
    KERNEL(symm_multimem_one_shot_##type##_##op, op, T, false, 4)

TWO_SHOT(float, float, sum);
TWO_SHOT(double, double, sum);
TWO_SHOT(half, symm::half, sum);
TWO_SHOT(half, symm::half, min);
TWO_SHOT(half, symm::half, max);
TWO_SHOT(bfloat16, symm::bfloat16, sum);
TWO_SHOT(bfloat16, symm::bfloat16, min);
TWO_SHOT(bfloat16, symm::bfloat16, max);

BOTH(uint32, uint32_t, sum);
BOTH(uint32, uint32_t, min);
BOTH(uint32, uint32_t, max);
BOTH(int32, int32_t, min);
BOTH(int32, int32_t, max);
BOTH(uint64, uint64_t, sum);
BOTH(uint64, uint64_t, min);
BOTH(uint64, uint64_t, max);
BOTH(int64, int64_t, min);
BOTH(int64, int64_t, max);

/* Integers of all sizes, and bytes. */
BOTH(bits, uint8_t, band);
BOTH(bits, uint8_t, bor);
BOTH(bits, uint8_t, bxor);

SYMM_CUDA_KERNEL(symm_multimem_copy, symm_cuda_multimem_copy, symm::multimem_copy);

#undef KERNEL
#undef TWO_SHOT
#undef BOTH
