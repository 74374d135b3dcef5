/*
 * stream_units.cuh - the units of little data on a stream lane: where they are, and how they are
 * sent.
 *
 * A unit is a packet's data, or as many packets as an element fills.  Thread t of block b has the
 * units t, t + threads and so on of those of its block.  So each block has a unit for every rank
 * that it sends to: all blocks of a call hear of all their peers.
 *
 * ANY: addresses are no multiples of eight, or `bytes` is none of four.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_UNITS_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_UNITS_CUH

#include "kernels/cuda/device_code/packets.cuh"
#include "kernels/cuda/device_code/stream.cuh"

namespace symm {

/* Ranks that a thread sends to, or asks, at a time. */
static const int stream_lanes = 4;

/* ---- the data of a unit ---------------------------------------------------------------------- */

/* `left` bytes are there, or more. */
template <bool ANY, int PACKETS>
SYMM_DEVICE void unit_load(const unsigned char *from, uint64_t left, uint64_t (&data)[PACKETS])
{
#pragma unroll
    for (int i = 0; i < PACKETS; i++) {
        const uint64_t before = i * packet_data;
        data[i] = 0;
        if (ANY && before < left) {
            data[i] = data_load(from + before, left - before);
        } else if (!ANY && before + packet_data <= left) {
            data[i] = *reinterpret_cast<const uint64_t *>(from + before);
        } else if (!ANY && before < left) {
            data[i] = *reinterpret_cast<const uint32_t *>(from + before);
        }
    }
}

template <bool ANY, int PACKETS>
SYMM_DEVICE void unit_store(unsigned char *to, uint64_t left, const uint64_t (&data)[PACKETS])
{
#pragma unroll
    for (int i = 0; i < PACKETS; i++) {
        const uint64_t before = i * packet_data;
        if (ANY && before < left) {
            data_store(to + before, data[i], left - before);
        } else if (!ANY && before + packet_data <= left) {
            *reinterpret_cast<uint64_t *>(to + before) = data[i];
        } else if (!ANY && before < left) {
            *reinterpret_cast<uint32_t *>(to + before) = static_cast<uint32_t>(data[i]);
        }
    }
}

/* ---- where a unit is ------------------------------------------------------------------------- */

/* Number `i` of a thread. */
struct unit {
    uint32_t packets; /* byte of a region where its packets are */
    uint64_t at;      /* byte of the data */
};

template <int PACKETS>
SYMM_DEVICE unit unit_of(const symm_cuda_stream &arguments, const place &at, uint32_t i)
{
    const uint32_t number = i * at.threads + at.thread;
    return {number * PACKETS * static_cast<uint32_t>(packet_bytes),
            (static_cast<uint64_t>(at.block) * arguments.units * at.threads + number) * PACKETS *
                packet_data};
}

/* ---- sending -------------------------------------------------------------------------------- */

template <int PACKETS>
SYMM_DEVICE void unit_send(const symm_cuda_stream &arguments, const place &at, const turn &now,
                           const unit &one, uint32_t rank, const uint64_t (&data)[PACKETS])
{
    unsigned char *to =
        packets_of(arguments, arguments.lanes[rank], at, now, arguments.rank) + one.packets;
#pragma unroll
    for (int i = 0; i < PACKETS; i++) {
        packet_store(to + i * packet_bytes, data[i], now.flag);
    }
}

/* Between two ranks there is no other to think of. */
SYMM_DEVICE bool is_pair(const symm_cuda_stream &arguments)
{
    return arguments.ranks == 2;
}

SYMM_DEVICE uint32_t peer_of(const symm_cuda_stream &arguments)
{
    return 1 - arguments.rank;
}

/* What all targets get alike, or the only one of a pair. */
SYMM_DEVICE bool is_one_array(const symm_cuda_stream &arguments)
{
    return arguments.input_step == 0 || is_pair(arguments);
}

/*
 * A thread's first unit, if there is one array.  It is loaded before the thread knows its turn, so
 * that it comes while the block's state does.
 */
template <bool ANY, int PACKETS> struct first_unit {
    uint64_t data[PACKETS];

    SYMM_DEVICE first_unit(const symm_cuda_stream &arguments, const place &at) : data()
    {
        const unit one = unit_of<PACKETS>(arguments, at, 0);
        if (is_one_array(arguments) && one.at < arguments.bytes) {
            array_load(arguments, one, data);
        }
    }

    /* Nothing, of a call without data; what the rank has of its own, if it sends nothing. */
    static SYMM_DEVICE void array_load(const symm_cuda_stream &arguments, const unit &one,
                                       uint64_t (&to)[PACKETS])
    {
        const uint64_t rank = arguments.targets != 0 ? peer_of(arguments) : arguments.rank;
        if (arguments.input != NULL) {
            unit_load<ANY, PACKETS>(static_cast<const unsigned char *>(arguments.input) +
                                        rank * arguments.input_step + one.at,
                                    arguments.bytes - one.at, to);
        }
    }

    /* Whether unit `i` of this rank's own block is the same. */
    static SYMM_DEVICE bool is_own(const symm_cuda_stream &arguments, uint32_t i)
    {
        return i == 0 && arguments.input_step == 0;
    }
};

template <int PACKETS>
SYMM_DEVICE void unit_send_all(const symm_cuda_stream &arguments, const place &at,
                               const turn &now, const unit &one, const uint64_t (&data)[PACKETS])
{
#pragma unroll 1
    for (uint32_t left = arguments.targets; left != 0; left &= left - 1) {
        unit_send<PACKETS>(arguments, at, now, one, first_bit(left), data);
    }
}

template <bool ANY, int PACKETS>
SYMM_DEVICE void array_send(const symm_cuda_stream &arguments, const place &at, const turn &now,
                            const first_unit<ANY, PACKETS> &first)
{
    unit one = unit_of<PACKETS>(arguments, at, 0);
    if (one.at < arguments.bytes) {
        unit_send_all<PACKETS>(arguments, at, now, one, first.data);
    }
#pragma unroll 1
    for (uint32_t i = 1; i < arguments.units; i++) {
        uint64_t data[PACKETS] = {};
        one = unit_of<PACKETS>(arguments, at, i);
        if (one.at < arguments.bytes) {
            first_unit<ANY, PACKETS>::array_load(arguments, one, data);
            unit_send_all<PACKETS>(arguments, at, now, one, data);
        }
    }
}

/* All units of this thread that it sends; `step` bytes from one rank's block to the next. */
template <bool ANY, int PACKETS>
SYMM_DEVICE void blocks_send(const symm_cuda_stream &arguments, const place &at, const turn &now,
                             uint64_t step, uint64_t total)
{
#pragma unroll 1
    for (uint32_t i = 0; i < arguments.units; i++) {
        const unit one = unit_of<PACKETS>(arguments, at, i);
        if (one.at >= arguments.bytes) {
            return;
        }
        const unsigned char *input = static_cast<const unsigned char *>(arguments.input) + one.at;
#pragma unroll 1
        for (uint32_t base = 0; base < arguments.ranks; base += stream_lanes) {
            const uint32_t targets = arguments.targets >> base;
            uint64_t data[stream_lanes][PACKETS] = {};
#pragma unroll
            for (int lane = 0; lane < stream_lanes; lane++) {
                const uint64_t before = (base + lane) * step;
                const uint64_t end = total == 0 ? arguments.bytes : total - before;
                if ((targets >> lane & 1) != 0 && arguments.input != NULL &&
                    (total == 0 || before + one.at < total)) {
                    unit_load<ANY, PACKETS>(input + before, end - one.at, data[lane]);
                }
            }
#pragma unroll
            for (int lane = 0; lane < stream_lanes; lane++) {
                if ((targets >> lane & 1) != 0) {
                    unit_send<PACKETS>(arguments, at, now, one, base + lane, data[lane]);
                }
            }
        }
    }
}

template <bool ANY, int PACKETS>
SYMM_DEVICE void units_send(const symm_cuda_stream &arguments, const place &at, const turn &now,
                            const first_unit<ANY, PACKETS> &first)
{
    if (is_one_array(arguments)) {
        array_send<ANY, PACKETS>(arguments, at, now, first);
    } else {
        blocks_send<ANY, PACKETS>(arguments, at, now, arguments.input_step, 0);
    }
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_UNITS_CUH */
