/*
 * stream_packets.cuh - little data on a stream lane, by packets (packets.cuh): what ranks send to
 * each other comes with the epoch of the turn, in one way and at once.
 *
 * A body takes a fold, which is how units are reduced: that of one type and operation, or one that
 * looks for each unit what it is to do.  A rank's own data stay in its registers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_PACKETS_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_PACKETS_CUH

#include "kernels/cuda/device_code/stream_units.cuh"

namespace symm {

/* ---- from others ---------------------------------------------------------------------------- */

/* The unit of each of `sources`, from rank `base` on.  Sets `why` if it will not come. */
template <int PACKETS, int LANES>
SYMM_DEVICE void units_await(const symm_cuda_stream &arguments, const place &at, const turn &now,
                             const unit &one, uint32_t base, uint32_t sources,
                             uint64_t (&data)[LANES][PACKETS], uint32_t &why)
{
    const unsigned char *from = packets_of(arguments, arguments.own, at, now, base) + one.packets;
    uint32_t missing = sources, looks = 0;
#pragma unroll 1
    while (missing != 0) {
        packet loaded[LANES][PACKETS] = {};
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
#pragma unroll
            for (int i = 0; i < PACKETS; i++) {
                if ((missing >> lane & 1) != 0) {
                    loaded[lane][i] = packet_load(from + lane * arguments.row + i * packet_bytes);
                }
            }
        }
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            bool has_all = (missing >> lane & 1) != 0;
            if (!has_all) {
                continue;
            }
#pragma unroll
            for (int i = 0; i < PACKETS; i++) {
                const uint32_t differs = static_cast<uint32_t>(loaded[lane][i].low >> 32) ^
                                         now.flag;
                has_all = has_all && packet_has(loaded[lane][i], now.flag);
                /* This turn's, of another call. */
                if (differs != 0 && differs >> 12 == 0) {
                    why |= SYMM_STREAM_MISMATCHED;
                }
            }
            if (has_all) {
                missing &= ~(1u << lane);
#pragma unroll
                for (int i = 0; i < PACKETS; i++) {
                    data[lane][i] = packet_content(loaded[lane][i]);
                }
            }
        }
        if (why != SYMM_STREAM_SOUND ||
            waits_in_vain(arguments, missing << base, looks, why)) {
            return;
        }
    }
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Blocks are stored as they are. */
template <bool ANY> struct stream_copy {
    typedef first_unit<ANY, 1> early;

    static SYMM_DEVICE void send(const symm_cuda_stream &arguments, const place &at,
                                 const turn &now, const early &first)
    {
        units_send<ANY, 1>(arguments, at, now, first);
    }

    static SYMM_DEVICE void receive(const symm_cuda_stream &arguments, const place &at,
                                    const turn &now, const early &, uint32_t &why)
    {
#pragma unroll 1
        for (uint32_t i = 0; i < arguments.units; i++) {
            const unit one = unit_of<1>(arguments, at, i);
            if (one.at >= arguments.bytes) {
                return;
            }
            receive_unit(arguments, at, now, one, why);
        }
    }

    static SYMM_DEVICE void receive_unit(const symm_cuda_stream &arguments, const place &at,
                                         const turn &now, const unit &one, uint32_t &why)
    {
        const uint64_t left = arguments.bytes - one.at;
        const uint32_t own = 1u << arguments.rank;
        if ((arguments.sources & own) != 0 && arguments.output != NULL) {
            uint64_t data[1];
            unit_load<ANY, 1>(static_cast<const unsigned char *>(arguments.input) +
                                  arguments.rank * arguments.input_step + one.at,
                              left, data);
            unit_store<ANY, 1>(static_cast<unsigned char *>(arguments.output) + one.at +
                                   arguments.rank * arguments.output_step,
                               left, data);
        }
        const uint32_t others = arguments.sources & ~own;
        if (is_pair(arguments)) {
            take<1>(arguments, at, now, one, peer_of(arguments), others != 0, why);
            return;
        }
#pragma unroll 1
        for (uint32_t base = 0; base < arguments.ranks && why == SYMM_STREAM_SOUND;
             base += stream_lanes) {
            take<stream_lanes>(arguments, at, now, one, base,
                               others >> base & ((1u << stream_lanes) - 1), why);
        }
    }

    /* What comes from some of the ranks from `base` on. */
    template <int LANES>
    static SYMM_DEVICE void take(const symm_cuda_stream &arguments, const place &at,
                                 const turn &now, const unit &one, uint32_t base,
                                 uint32_t sources, uint32_t &why)
    {
        uint64_t data[LANES][1] = {};
        units_await<1, LANES>(arguments, at, now, one, base, sources, data, why);
        if (arguments.output == NULL || why != SYMM_STREAM_SOUND) {
            return;
        }
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            if ((sources >> lane & 1) != 0) {
                unit_store<ANY, 1>(static_cast<unsigned char *>(arguments.output) + one.at +
                                       (base + lane) * arguments.output_step,
                                   arguments.bytes - one.at, data[lane]);
            }
        }
    }
};

/* ---- reductions ------------------------------------------------------------------------------ */

/* The same between two ranks, of which both give something. */
template <class Fold>
SYMM_DEVICE void pair_reduce(const symm_cuda_stream &arguments, const place &at, const turn &now,
                             const unit &one, const uint64_t (&own)[Fold::packets],
                             typename Fold::sum &sum, uint32_t &why)
{
    uint64_t data[1][Fold::packets] = {};
    units_await<Fold::packets, 1>(arguments, at, now, one, peer_of(arguments), 1, data, why);
    if (arguments.rank == 0) {
        Fold::add(arguments, own, true, sum);
        Fold::add(arguments, data[0], false, sum);
    } else {
        Fold::add(arguments, data[0], true, sum);
        Fold::add(arguments, own, false, sum);
    }
}

/* Wait for a unit of all sources and reduce it, in rank order; `own` are this rank's data. */
template <class Fold>
SYMM_DEVICE void unit_reduce(const symm_cuda_stream &arguments, const place &at, const turn &now,
                             const unit &one, const uint64_t (&own)[Fold::packets],
                             typename Fold::sum &sum, uint32_t &why)
{
    bool is_first = true;
    if (is_pair(arguments)) {
        pair_reduce<Fold>(arguments, at, now, one, own, sum, why);
        return;
    }
#pragma unroll 1
    for (uint32_t base = 0; base < arguments.ranks && why == SYMM_STREAM_SOUND;
         base += Fold::lanes) {
        const uint32_t sources = arguments.sources >> base & ((1u << Fold::lanes) - 1);
        const uint32_t me = arguments.rank - base; /* too large, if it is not among them */
        const uint32_t mine = me < Fold::lanes ? 1u << me : 0;
        uint64_t data[Fold::lanes][Fold::packets] = {};
        units_await<Fold::packets, Fold::lanes>(arguments, at, now, one, base, sources & ~mine,
                                                data, why);
#pragma unroll
        for (int lane = 0; lane < Fold::lanes; lane++) {
            if ((sources >> lane & 1) == 0) {
                continue;
            }
#pragma unroll
            for (int i = 0; i < Fold::packets; i++) {
                data[lane][i] = (mine >> lane & 1) != 0 ? own[i] : data[lane][i];
            }
            Fold::add(arguments, data[lane], is_first, sum);
            is_first = false;
        }
    }
}

template <class Fold> struct stream_reduce {
    static const int packets = Fold::packets;
    typedef first_unit<Fold::any, packets> early;

    static SYMM_DEVICE void send(const symm_cuda_stream &arguments, const place &at,
                                 const turn &now, const early &first)
    {
        units_send<Fold::any, packets>(arguments, at, now, first);
    }

    static SYMM_DEVICE void receive(const symm_cuda_stream &arguments, const place &at,
                                    const turn &now, const early &first, uint32_t &why)
    {
        const uint64_t own_block = arguments.rank * arguments.input_step;
#pragma unroll 1
        for (uint32_t i = 0; i < arguments.units && arguments.sources != 0; i++) {
            const unit one = unit_of<packets>(arguments, at, i);
            if (one.at >= arguments.bytes) {
                return;
            }
            uint64_t own[packets];
            typename Fold::sum sum = {};
            if (early::is_own(arguments, i)) {
#pragma unroll
                for (int j = 0; j < packets; j++) {
                    own[j] = first.data[j];
                }
            } else {
                unit_load<Fold::any, packets>(
                    static_cast<const unsigned char *>(arguments.input) + own_block + one.at,
                    arguments.bytes - one.at, own);
            }
            unit_reduce<Fold>(arguments, at, now, one, own, sum, why);
            if (why != SYMM_STREAM_SOUND) {
                return;
            }
            uint64_t reduced[packets];
            Fold::end(arguments, sum, reduced);
            Fold::store(arguments, static_cast<unsigned char *>(arguments.output) + one.at,
                        arguments.bytes - one.at, reduced);
        }
    }
};

/* In two shots, with one unit for each thread. */
template <class Fold> struct stream_two_shot {
    static const int packets = Fold::packets;

    struct result {
        uint64_t data[Fold::packets];
    };

    static SYMM_DEVICE void send(const symm_cuda_stream &arguments, const place &at,
                                 const turn &now)
    {
        blocks_send<Fold::any, packets>(arguments, at, now, arguments.bytes, arguments.total);
    }

    static SYMM_DEVICE void store(const symm_cuda_stream &arguments, uint32_t rank, uint64_t at,
                                  const uint64_t (&data)[Fold::packets])
    {
        const uint64_t begin = rank * static_cast<uint64_t>(arguments.bytes) + at;
        if (begin < arguments.total) {
            Fold::store(arguments, static_cast<unsigned char *>(arguments.output) + begin,
                        arguments.total - begin, data);
        }
    }

    static SYMM_DEVICE void reduce(const symm_cuda_stream &arguments, const place &at,
                                   const turn &now, result &reduced, uint32_t &why)
    {
        const unit one = unit_of<packets>(arguments, at, 0);
        const uint64_t begin = arguments.rank * static_cast<uint64_t>(arguments.bytes) + one.at;
        uint64_t own[packets] = {};
        typename Fold::sum sum = {};
        if (one.at >= arguments.bytes) {
            return;
        }
        if (begin < arguments.total) {
            unit_load<Fold::any, packets>(static_cast<const unsigned char *>(arguments.input) +
                                              begin,
                                          arguments.total - begin, own);
        }
        unit_reduce<Fold>(arguments, at, now, one, own, sum, why);
        Fold::end(arguments, sum, reduced.data);
    }

    static SYMM_DEVICE void send_result(const symm_cuda_stream &arguments, const place &at,
                                        const turn &now, const result &reduced)
    {
        const unit one = unit_of<packets>(arguments, at, 0);
        if (one.at >= arguments.bytes) {
            return;
        }
        unit_send_all<packets>(arguments, at, now, one, reduced.data);
        store(arguments, arguments.rank, one.at, reduced.data);
    }

    static SYMM_DEVICE void receive_result(const symm_cuda_stream &arguments, const place &at,
                                           const turn &now, uint32_t &why)
    {
        const unit one = unit_of<packets>(arguments, at, 0);
        if (one.at >= arguments.bytes) {
            return;
        }
#pragma unroll 1
        for (uint32_t base = 0; base < arguments.ranks && why == SYMM_STREAM_SOUND;
             base += Fold::lanes) {
            const uint32_t sources = (arguments.sources & ~(1u << arguments.rank)) >> base &
                                     ((1u << Fold::lanes) - 1);
            uint64_t data[Fold::lanes][packets] = {};
            units_await<packets, Fold::lanes>(arguments, at, now, one, base, sources, data, why);
#pragma unroll
            for (int lane = 0; lane < Fold::lanes; lane++) {
                if ((sources >> lane & 1) != 0 && why == SYMM_STREAM_SOUND) {
                    store(arguments, base + lane, one.at, data[lane]);
                }
            }
        }
    }
};

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_PACKETS_CUH */
