/*
 * nests.cuh - symm_nests: copy elements with gaps to where they lie packed, or back.
 *
 * Each thread computes the place of a unit from its number, by as many divisions as the nest has
 * loops.  Neighbouring threads have neighbouring packed units.  In memory these are neighbours
 * within a run.  Where runs are short, the rest of what the device has fetched with one is in its
 * cache when the next loop's turn comes to it.
 *
 * The analogue in the field is the pack kernel of a CUDA-aware MPI, as MVAPICH and TEMPI have them
 * (Pearson et al., TEMPI: An Interposed MPI Library with a Canonical Representation of CUDA-aware
 * Datatypes, HPDC 2021).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_NESTS_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_NESTS_CUH

#include "kernels/cuda/device_code/kernel.cuh"

namespace symm {

/* Where a unit lies, in bytes from the beginning of both. */
struct nest_place {
    int64_t memory;
    uint64_t packed;
};

/* `Number` is as short as the nest allows: divisions of 64 bits take several times as long. */
template <class Number>
SYMM_DEVICE nest_place nest_find(const symm_cuda_nest &nest, Number run_units, Number number)
{
    const Number in_run = number % run_units * static_cast<Number>(nest.unit);
    nest_place place = {static_cast<int64_t>(in_run), in_run};
    Number left = number / run_units;
#pragma unroll 1
    for (uint32_t i = 0; i < nest.depth; i++) {
        const symm_cuda_loop &loop = nest.loops[i];
        const Number turns = static_cast<Number>(loop.turns), turn = left % turns;
        left /= turns;
        place.memory += static_cast<int64_t>(turn) * loop.memory_step;
        place.packed += static_cast<uint64_t>(turn) * loop.packed_step;
    }
    return place;
}

/* A thread asks for UNROLL units before it stores the first. */
template <class Unit, class Number>
SYMM_DEVICE void nest_copy(const symm_cuda_nest &nest, bool unpacks, uint64_t units,
                           uint64_t thread, uint64_t threads)
{
    constexpr int UNROLL = 4;
    const Number run_units = static_cast<Number>(nest.run / sizeof(Unit));
    char *const memory = static_cast<char *>(nest.memory);
    char *const packed = static_cast<char *>(nest.packed);
#pragma unroll 1
    for (uint64_t first = thread; first < units; first += UNROLL * threads) {
        Unit loaded[UNROLL];
        nest_place places[UNROLL];
        bool is_there[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const uint64_t number = first + u * threads;
            memset(&loaded[u], 0, sizeof(Unit));
            is_there[u] = number < units;
            if (is_there[u]) {
                places[u] = nest_find(nest, run_units, static_cast<Number>(number));
                is_there[u] = places[u].packed < nest.limit;
            }
            if (is_there[u]) {
                loaded[u] = unpacks
                                ? *reinterpret_cast<const Unit *>(packed + places[u].packed)
                                : *reinterpret_cast<const Unit *>(memory + places[u].memory);
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (is_there[u]) {
                *reinterpret_cast<Unit *>(unpacks ? memory + places[u].memory
                                                  : packed + places[u].packed) = loaded[u];
            }
        }
    }
}

template <class Unit>
SYMM_DEVICE void nest_copy_units(const symm_cuda_nest &nest, bool unpacks, uint64_t thread,
                                 uint64_t threads)
{
    uint64_t units = nest.run / sizeof(Unit);
#pragma unroll 1
    for (uint32_t i = 0; i < nest.depth; i++) {
        units *= nest.loops[i].turns;
    }
    /* Numbers of units that a thread has behind the last one may not wrap round either. */
    if (units * sizeof(Unit) < uint64_t(1) << 31) {
        nest_copy<Unit, uint32_t>(nest, unpacks, units, thread, threads);
    } else {
        nest_copy<Unit, uint64_t>(nest, unpacks, units, thread, threads);
    }
}

template <class Arguments>
SYMM_DEVICE void nests(const Arguments &arguments, uint64_t thread, uint64_t threads)
{
    const bool unpacks = arguments.unpacks != 0;
#pragma unroll 1
    for (uint64_t i = 0; i < arguments.count; i++) {
        const symm_cuda_nest &nest = arguments.nests[i];
        switch (nest.unit) {
        case 16:
            nest_copy_units<uint4>(nest, unpacks, thread, threads);
            break;
        case 8:
            nest_copy_units<uint64_t>(nest, unpacks, thread, threads);
            break;
        case 4:
            nest_copy_units<uint32_t>(nest, unpacks, thread, threads);
            break;
        case 2:
            nest_copy_units<uint16_t>(nest, unpacks, thread, threads);
            break;
        default:
            nest_copy_units<uint8_t>(nest, unpacks, thread, threads);
        }
    }
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_NESTS_CUH */
