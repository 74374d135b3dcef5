/*
 * stream_folds.cuh - how units of packets are reduced on a stream lane.
 *
 * A fold of one type and operation is for what programs mostly do.  The others share one, which
 * looks for each unit what it is to do, since there are a hundred of them, and each would be a
 * kernel to load.  Both do what other kernels do (operations.cuh), so results have the same bits.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_FOLDS_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_FOLDS_CUH

#include "kernels/cuda/device_code/combinations.cuh"
#include "kernels/cuda/device_code/stream_packets.cuh"

/* F(type, T, op) for each that has a fold, and so kernels, of its own. */
#define SYMM_STREAM_OWN_FOLDS(F)                                                                   \
    F(float, float, sum)                                                                           \
    F(double, double, sum)                                                                         \
    F(half, symm::half, sum)                                                                       \
    F(bfloat16, symm::bfloat16, sum)                                                               \
    F(uint32, uint32_t, sum)                                                                       \
    F(uint64, uint64_t, sum)                                                                       \
    SYMM_CUDA_ORDER(F, float, float)                                                               \
    SYMM_CUDA_ORDER(F, double, double)                                                             \
    SYMM_CUDA_ORDER(F, int32, int32_t)                                                             \
    SYMM_CUDA_ORDER(F, int64, int64_t)

namespace symm {

/* ---- factors --------------------------------------------------------------------------------- */

/* Sums of floats are multiplied by a factor before they are rounded, if there is one. */
template <class Op> struct scaling {
    template <class T> static SYMM_DEVICE T apply(T value, uint64_t) { return value; }
};

template <class T> struct scaling<symm::sum<T>> {
    template <class V> static SYMM_DEVICE V apply(V value, uint64_t) { return value; }
    static SYMM_DEVICE float apply(float value, uint64_t factor)
    {
        return factor != 0 ? value * bits_as<float>(static_cast<uint32_t>(factor)) : value;
    }
    static SYMM_DEVICE double apply(double value, uint64_t factor)
    {
        return factor != 0 ? value * bits_as<double>(factor) : value;
    }
};

/* ---- one type and operation ------------------------------------------------------------------ */

template <class Op, class T> struct fold_of {
    static const int packets = packed<T>::packets, length = packed<T>::length;
    static const int lanes = stream_lanes; /* ranks that are waited for side by side */
    static const bool any = false;

    struct sum {
        typename Op::accumulator of[length];
    };

    static SYMM_DEVICE void add(const symm_cuda_stream &, const uint64_t (&data)[packets],
                                bool is_first, sum &so_far)
    {
        T items[length];
        memcpy(items, data, sizeof(items));
#pragma unroll
        for (int i = 0; i < length; i++) {
            const typename Op::accumulator next = Op::widen(items[i]);
            so_far.of[i] = is_first ? next : Op::apply(so_far.of[i], next);
        }
    }

    static SYMM_DEVICE void end(const symm_cuda_stream &arguments, const sum &all,
                                uint64_t (&data)[packets])
    {
        sum result;
        T items[length];
#pragma unroll
        for (int i = 0; i < length; i++) {
            result.of[i] = scaling<Op>::apply(all.of[i], arguments.factor);
        }
        packets_narrow<Op>(result.of, items);
        memcpy(data, items, sizeof(items));
    }

    /* Never of elements with padding. */
    static SYMM_DEVICE void store(const symm_cuda_stream &, unsigned char *to, uint64_t left,
                                  const uint64_t (&data)[packets])
    {
        unit_store<any, packets>(to, left, data);
    }
};

/* ---- all types and operations ---------------------------------------------------------------- */

/* Elements of up to eight bytes, or of sixteen. */
template <int PACKETS> struct fold_any {
    static const int packets = PACKETS, lanes = 1;
    static const bool any = true;

    struct sum {
        uint64_t of[2]; /* four floats, for 16-bit ones */
    };

    template <class Op, class T, bool FITS> struct as {
        static SYMM_DEVICE void add(const symm_cuda_stream &, const uint64_t (&)[packets], bool,
                                    sum &)
        {
        }
        static SYMM_DEVICE void end(const symm_cuda_stream &, const sum &, uint64_t (&)[packets]) {}
    };

    template <class Op, class T> struct as<Op, T, true> {
        typedef fold_of<Op, T> fold;
        static_assert(sizeof(typename fold::sum) <= sizeof(sum), "room for what is reduced");

        static SYMM_DEVICE void add(const symm_cuda_stream &arguments,
                                    const uint64_t (&data)[packets], bool is_first, sum &so_far)
        {
            typename fold::sum own;
            memcpy(&own, so_far.of, sizeof(own));
            fold::add(arguments, data, is_first, own);
            memcpy(so_far.of, &own, sizeof(own));
        }

        static SYMM_DEVICE void end(const symm_cuda_stream &arguments, const sum &all,
                                    uint64_t (&data)[packets])
        {
            typename fold::sum own;
            memcpy(&own, all.of, sizeof(own));
            fold::end(arguments, own, data);
        }
    };

#define SYMM_STREAM_NUMBER_int8 SYMM_CUDA_INT8
#define SYMM_STREAM_NUMBER_int16 SYMM_CUDA_INT16
#define SYMM_STREAM_NUMBER_int32 SYMM_CUDA_INT32
#define SYMM_STREAM_NUMBER_int64 SYMM_CUDA_INT64
#define SYMM_STREAM_NUMBER_uint8 SYMM_CUDA_UINT8
#define SYMM_STREAM_NUMBER_uint16 SYMM_CUDA_UINT16
#define SYMM_STREAM_NUMBER_uint32 SYMM_CUDA_UINT32
#define SYMM_STREAM_NUMBER_uint64 SYMM_CUDA_UINT64
#define SYMM_STREAM_NUMBER_float SYMM_CUDA_FLOAT
#define SYMM_STREAM_NUMBER_double SYMM_CUDA_DOUBLE
#define SYMM_STREAM_NUMBER_half SYMM_CUDA_HALF
#define SYMM_STREAM_NUMBER_bfloat16 SYMM_CUDA_BFLOAT16
#define SYMM_STREAM_NUMBER_float_complex SYMM_CUDA_FLOAT_COMPLEX
#define SYMM_STREAM_NUMBER_double_complex SYMM_CUDA_DOUBLE_COMPLEX
#define SYMM_STREAM_NUMBER_float_int SYMM_CUDA_FLOAT_INT
#define SYMM_STREAM_NUMBER_double_int SYMM_CUDA_DOUBLE_INT
#define SYMM_STREAM_NUMBER_long_int SYMM_CUDA_LONG_INT
#define SYMM_STREAM_NUMBER_2int SYMM_CUDA_2INT
#define SYMM_STREAM_NUMBER_short_int SYMM_CUDA_SHORT_INT
#define SYMM_STREAM_NUMBER_sum SYMM_CUDA_SUM
#define SYMM_STREAM_NUMBER_prod SYMM_CUDA_PROD
#define SYMM_STREAM_NUMBER_min SYMM_CUDA_MIN
#define SYMM_STREAM_NUMBER_max SYMM_CUDA_MAX
#define SYMM_STREAM_NUMBER_land SYMM_CUDA_LAND
#define SYMM_STREAM_NUMBER_lor SYMM_CUDA_LOR
#define SYMM_STREAM_NUMBER_lxor SYMM_CUDA_LXOR
#define SYMM_STREAM_NUMBER_band SYMM_CUDA_BAND
#define SYMM_STREAM_NUMBER_bor SYMM_CUDA_BOR
#define SYMM_STREAM_NUMBER_bxor SYMM_CUDA_BXOR
#define SYMM_STREAM_NUMBER_minloc SYMM_CUDA_MINLOC
#define SYMM_STREAM_NUMBER_maxloc SYMM_CUDA_MAXLOC

#define SYMM_STREAM_CASE(type, T, op, ...)                                                         \
    case SYMM_STREAM_NUMBER_##type * SYMM_CUDA_OP_COUNT + SYMM_STREAM_NUMBER_##op:                 \
        as<symm::op<T>, T, packed<T>::packets == PACKETS>::__VA_ARGS__;                            \
        break;

    static SYMM_DEVICE void add(const symm_cuda_stream &arguments, const uint64_t (&data)[packets],
                                bool is_first, sum &so_far)
    {
#define SYMM_STREAM_ADD(type, T, op)                                                               \
    SYMM_STREAM_CASE(type, T, op, add(arguments, data, is_first, so_far))
        switch (arguments.type * SYMM_CUDA_OP_COUNT + arguments.op) {
            SYMM_CUDA_COMBINATIONS(SYMM_STREAM_ADD, SYMM_STREAM_ADD)
        default:
            break;
        }
    }

    static SYMM_DEVICE void end(const symm_cuda_stream &arguments, const sum &all,
                                uint64_t (&data)[packets])
    {
#define SYMM_STREAM_END(type, T, op) SYMM_STREAM_CASE(type, T, op, end(arguments, all, data))
        switch (arguments.type * SYMM_CUDA_OP_COUNT + arguments.op) {
            SYMM_CUDA_COMBINATIONS(SYMM_STREAM_END, SYMM_STREAM_END)
        default:
            break;
        }
    }

    template <class V>
    static SYMM_DEVICE void pair_store(unsigned char *to, const uint64_t (&data)[packets])
    {
        pair<V> items[1];
        memcpy(items, data, sizeof(items[0]) <= sizeof(data) ? sizeof(items[0]) : sizeof(data));
        byte_unit<pair<V>>::store(to, items);
    }

    static SYMM_DEVICE void store(const symm_cuda_stream &arguments, unsigned char *to,
                                  uint64_t left, const uint64_t (&data)[packets])
    {
        if (packets == 1 && arguments.type == SYMM_CUDA_SHORT_INT) {
            pair_store<int16_t>(to, data);
        } else if (packets == 2 && arguments.type == SYMM_CUDA_LONG_INT) {
            pair_store<int64_t>(to, data);
        } else if (packets == 2 && arguments.type == SYMM_CUDA_DOUBLE_INT) {
            pair_store<double>(to, data);
        } else {
            unit_store<any, packets>(to, left, data);
        }
    }
};

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_FOLDS_CUH */
