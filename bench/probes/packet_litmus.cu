/*
 * packet_litmus.cu - a rank of the litmus test: rounds of packets to and from one peer, with the
 * stores and loads of the collectives (kernels/cuda/device_code/packets.cuh).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "bench/probes/packet_litmus.h"
#include "kernels/cuda/device_code/packets.cuh"

namespace {

/* Far enough behind the flags to be in other lines of the cache. */
const uint64_t apart_bytes = 64 << 10;

__device__ uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

__device__ uint64_t data_of(const litmus_arguments &arguments, uint32_t rank, uint32_t round,
                            uint32_t packet)
{
    return mix(arguments.seed + (static_cast<uint64_t>(round) << 16 | packet << 1 | rank));
}

/* Now and then a thread, or all, come late. */
__device__ void pause(const litmus_arguments &arguments, uint32_t round)
{
    const uint64_t chance = mix(data_of(arguments, arguments.rank, round, threadIdx.x) + 1);
    const uint64_t all = mix(data_of(arguments, arguments.rank, round, blockDim.x) + 1);
    if (chance % 1024 == 0) {
        __nanosleep(static_cast<unsigned>(chance >> 32) % 2000);
    }
    if (all % 16 == 0) {
        __nanosleep(static_cast<unsigned>(all >> 32) % 1000);
    }
}

/* Both have begun this round, so nobody reads what the one before has sent.  False: no peer. */
__device__ bool has_met(const litmus_arguments &arguments, uint32_t round)
{
    symm::patience left = {arguments.patience, 0};
    bool has_come = true;
    if (threadIdx.x == 0 && arguments.fault != LITMUS_UNMET) {
        uint32_t line;
        asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(arguments.peers_line), "r"(round)
                     : "memory");
        do {
            asm volatile("ld.acquire.sys.u32 %0, [%1];"
                         : "=r"(line)
                         : "l"(arguments.line)
                         : "memory");
            has_come = line >= round;
        } while (!has_come && !symm::is_over(left));
    }
    return __syncthreads_and(has_come) != 0;
}

__device__ void send(const litmus_arguments &arguments, uint32_t round, uint32_t packet)
{
    unsigned char *to = reinterpret_cast<unsigned char *>(arguments.peers_pad) +
                        packet * symm::packet_bytes;
    const uint64_t data = data_of(arguments, arguments.rank, round, packet);
    if (arguments.fault == LITMUS_APART) {
        symm::packet_store(to + apart_bytes, data, 0);
        symm::packet_store(to, 0, round);
    } else {
        symm::packet_store(to, data, round);
    }
}

__device__ void receive(const litmus_arguments &arguments, uint32_t round, uint32_t packet,
                        litmus_outcome &outcome)
{
    const unsigned char *from = reinterpret_cast<unsigned char *>(arguments.pad) +
                                packet * symm::packet_bytes;
    const uint64_t expected = data_of(arguments, arguments.rank ^ 1, round, packet);
    symm::patience left = {arguments.patience, 0};
    symm::packet one = symm::packet_load(from);
    uint64_t found = 0;
    bool has_come = symm::packet_has(one, round);
    while (!has_come && !symm::is_over(left)) {
        outcome.halves += (one.low >> 32 == round) != (one.high >> 32 == round);
        one = symm::packet_load(from);
        has_come = symm::packet_has(one, round);
    }
    if (has_come) {
        found = symm::packet_content(
            arguments.fault == LITMUS_APART ? symm::packet_load(from + apart_bytes) : one);
    }
    outcome.packets += has_come;
    outcome.lost += !has_come;
    outcome.wrong += has_come && found != expected;
    if (!has_come || found != expected) {
        outcome.round = round;
        outcome.thread = threadIdx.x;
        outcome.expected = expected;
        outcome.found = found;
    }
}

__device__ void add(uint64_t &to, uint64_t value)
{
    atomicAdd(reinterpret_cast<unsigned long long *>(&to), value);
}

} // namespace

extern "C" __global__ void packet_litmus(const __grid_constant__ litmus_arguments arguments)
{
    litmus_outcome mine = {};
    for (uint32_t round = 1; round <= arguments.rounds && has_met(arguments, round); round++) {
        pause(arguments, round);
        for (uint32_t i = 0; i < LITMUS_PACKETS; i++) {
            send(arguments, round, i * blockDim.x + threadIdx.x);
        }
        for (uint32_t i = 0; i < LITMUS_PACKETS; i++) {
            receive(arguments, round, i * blockDim.x + threadIdx.x, mine);
        }
        if (__syncthreads_or(mine.lost != 0 || mine.wrong != 0)) {
            break;
        }
    }
    litmus_outcome &all = *reinterpret_cast<litmus_outcome *>(arguments.outcome);
    add(all.packets, mine.packets);
    add(all.halves, mine.halves);
    add(all.wrong, mine.wrong);
    add(all.lost, mine.lost);
    if (mine.wrong != 0 || mine.lost != 0) {
        all.round = mine.round;
        all.thread = mine.thread;
        all.expected = mine.expected;
        all.found = mine.found;
    }
}
