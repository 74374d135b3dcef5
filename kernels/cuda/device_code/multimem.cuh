/*
 * multimem.cuh - memory accesses by NVLink multicast: one load that the switch answers with the
 * reduction of all replicas, one store that it sends to all of them.
 *
 * Both work on a vector of sixteen bytes.  A load takes as few instructions as the forms of the
 * instruction allow: one for 32-bit and 16-bit floats, two for numbers of 64 bits and for bits,
 * four for integers of 32 bits.  A store moves bits, whatever they mean, so it is always one.
 *
 * With SYMM_MULTIMEM_UNICAST, and when compiled for the host, each access is a loop over the
 * replicas at their unicast addresses, in rank order.  So everything around the accesses can be
 * tried where there is no multicast.
 *
 * Order, by the memory consistency model of the PTX ISA (chapter 8; 9.1 was read, and 9.4 for
 * fences):
 *
 * All accesses are relaxed, in system scope.
 *   - They are not weak, as accesses without qualifiers are.  The model promises whole elements
 *     only of strong accesses (8.10.3), and nothing forbids that a weak access is made again.  But
 *     two loads through the switch may round differently, and the value that has been loaded must
 *     be the value that is stored to all.
 *   - They are in system scope, because it alone takes in everyone who reaches the replicas.  No
 *     order is built on it: accesses through different addresses are not morally strong in any
 *     scope (8.7), and peers have mapped the replicas elsewhere.
 *   - They are neither acquire nor release.  No access says anything about another one: a kernel
 *     starts when the host has seen all ranks, and ends with symm_finish().  Acquire in each load
 *     would order the next load behind it (8.8), but the next load is what hides the latency of the
 *     one before.
 *
 * Accesses are kept apart by another fact: a kernel shares nothing with others while they run.
 * Only its owner loads and stores a slice, only its owner stores a block, and no peer reads what
 * one-shot stores.  In place, a thread loads a vector and afterwards stores to the same address
 * what it has loaded.  (An all-gather loads its block at another address than it stores to; but in
 * place it stores the bytes that are there.)  Single elements, at unicast addresses, have bytes of
 * their own.
 *
 * Between kernels, causality orders accesses (8.9.5).  For aliases, which are addresses of the same
 * location, it does so with an alias fence on the way.  The model does not say that a multicast
 * address is an alias of its replicas.  CUDA's programming guide treats it so, with the fence
 * between accesses by both.
 *   - Before: a kernel sees work that has ended when the kernel is launched, through whatever
 *     address this work has stored.  Synchronisation by CUDA's calls keeps proxies in order
 *     (8.9.4).  Kernels of ours have not ended when their flag is up, but they have an alias
 *     fence.
 *   - After: fence.proxy.alias in symm_finish().  Such a fence takes effect within its thread and
 *     composes with other synchronisation.  So each block has one, behind the barrier that orders
 *     all its threads, and in front of the count and the release from which all leads to the
 *     flag.  For kernels that are launched later this is enough.  A kernel of the program's that
 *     already runs when a call is made, and reads its result, needs an alias fence of its own.
 *
 * Left open are the order in which the replicas of one access are read, added or written, how sums
 * are rounded (only the precision of what is added up is given), and the order of the elements of a
 * vector, which is several accesses to the model (8.2.4).  Nothing depends on any of these.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_MULTIMEM_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_MULTIMEM_CUH

#include "kernels/cuda/device_code/reduce.cuh"

#if !defined(__CUDACC__) && !defined(SYMM_MULTIMEM_UNICAST)
#define SYMM_MULTIMEM_UNICAST
#endif

namespace symm {

#ifdef SYMM_MULTIMEM_UNICAST

/* The vector at `offset` from all replicas, reduced in rank order. */
template <class Op, class T> struct multimem_load {
    static SYMM_DEVICE uint4 at(const symm_cuda_multimem &arguments, uint64_t offset)
    {
        typedef vector_unit<T> unit;
        typename Op::accumulator results[unit::length] = {};
        T items[unit::length] = {};
#pragma unroll 1
        for (int rank = 0; rank < arguments.unicast.ranks; rank++) {
            unit::load(static_cast<const char *>(arguments.unicast.inputs[rank]) + offset, items);
#pragma unroll
            for (int i = 0; i < unit::length; i++) {
                const typename Op::accumulator next = Op::widen(items[i]);
                results[i] = rank == 0 ? next : Op::apply(results[i], next);
            }
        }
#pragma unroll
        for (int i = 0; i < unit::length; i++) {
            items[i] = Op::narrow(results[i]);
        }
        uint4 vector;
        memcpy(&vector, items, sizeof(vector));
        return vector;
    }
};

/*
 * Store the vector at `offset` to all replicas, which are unicast.outputs[].  `output` is their
 * multicast address.
 */
template <class Unicast>
SYMM_DEVICE void multimem_store(void *output, const Unicast &unicast, uint64_t offset, uint4 vector)
{
    (void)output;
#pragma unroll 1
    for (int replica = 0; replica < unicast.output_count; replica++) {
        *reinterpret_cast<uint4 *>(static_cast<char *>(unicast.outputs[replica]) + offset) = vector;
    }
}

#else

/* A type and operation without a specialisation in this file has no instruction. */
template <class Op, class T> struct multimem_load;

SYMM_DEVICE uint64_t global_address(const void *base, uint64_t offset)
{
    return __cvta_generic_to_global(base) + offset;
}

/* These are macros, because asm needs the instructions' names as constants. */
#define LOAD(op, T, ...)                                                                           \
    template <> struct multimem_load<op<T>, T> {                                                   \
        static SYMM_DEVICE uint4 at(const symm_cuda_multimem &arguments, uint64_t offset)          \
        {                                                                                          \
            const uint64_t address = global_address(arguments.input, offset);                      \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

#define LOAD_OF_4(name)                                                                            \
    uint4 all;                                                                                     \
    asm volatile("multimem.ld_reduce.relaxed.sys.global." name " {%0, %1, %2, %3}, [%4];"          \
                 : "=r"(all.x), "=r"(all.y), "=r"(all.z), "=r"(all.w) : "l"(address) : "memory");  \
    return all;

#define LOAD_TWICE(name)                                                                           \
    ulonglong2 all;                                                                                \
    asm volatile("multimem.ld_reduce.relaxed.sys.global." name " %0, [%1];"                        \
                 : "=l"(all.x) : "l"(address) : "memory");                                         \
    asm volatile("multimem.ld_reduce.relaxed.sys.global." name " %0, [%1+8];"                      \
                 : "=l"(all.y) : "l"(address) : "memory");                                         \
    return bits_as<uint4>(all);

#define LOAD_FOUR_TIMES(name)                                                                      \
    uint4 all;                                                                                     \
    asm volatile("multimem.ld_reduce.relaxed.sys.global." name " %0, [%1];"                        \
                 : "=r"(all.x) : "l"(address) : "memory");                                         \
    asm volatile("multimem.ld_reduce.relaxed.sys.global." name " %0, [%1+4];"                      \
                 : "=r"(all.y) : "l"(address) : "memory");                                         \
    asm volatile("multimem.ld_reduce.relaxed.sys.global." name " %0, [%1+8];"                      \
                 : "=r"(all.z) : "l"(address) : "memory");                                         \
    asm volatile("multimem.ld_reduce.relaxed.sys.global." name " %0, [%1+12];"                     \
                 : "=r"(all.w) : "l"(address) : "memory");                                         \
    return all;

LOAD(sum, float, LOAD_OF_4("add.v4.f32"));
LOAD(sum, double, LOAD_TWICE("add.f64"));

/* Sums of 16-bit floats are added in 32 bits and rounded once, as everywhere else. */
LOAD(sum, half, LOAD_OF_4("add.acc::f32.v4.f16x2"));
LOAD(min, half, LOAD_OF_4("min.v4.f16x2"));
LOAD(max, half, LOAD_OF_4("max.v4.f16x2"));
LOAD(sum, bfloat16, LOAD_OF_4("add.acc::f32.v4.bf16x2"));
LOAD(min, bfloat16, LOAD_OF_4("min.v4.bf16x2"));
LOAD(max, bfloat16, LOAD_OF_4("max.v4.bf16x2"));

LOAD(sum, uint32_t, LOAD_FOUR_TIMES("add.u32"));
LOAD(min, uint32_t, LOAD_FOUR_TIMES("min.u32"));
LOAD(max, uint32_t, LOAD_FOUR_TIMES("max.u32"));
LOAD(min, int32_t, LOAD_FOUR_TIMES("min.s32"));
LOAD(max, int32_t, LOAD_FOUR_TIMES("max.s32"));

LOAD(sum, uint64_t, LOAD_TWICE("add.u64"));
LOAD(min, uint64_t, LOAD_TWICE("min.u64"));
LOAD(max, uint64_t, LOAD_TWICE("max.u64"));
LOAD(min, int64_t, LOAD_TWICE("min.s64"));
LOAD(max, int64_t, LOAD_TWICE("max.s64"));

/* Bits are the same in units of any size.  Units of 64 bits take the fewest instructions. */
LOAD(band, uint8_t, LOAD_TWICE("and.b64"));
LOAD(bor, uint8_t, LOAD_TWICE("or.b64"));
LOAD(bxor, uint8_t, LOAD_TWICE("xor.b64"));

#undef LOAD
#undef LOAD_OF_4
#undef LOAD_TWICE
#undef LOAD_FOUR_TIMES

template <class Unicast>
SYMM_DEVICE void multimem_store(void *output, const Unicast &unicast, uint64_t offset, uint4 vector)
{
    (void)unicast;
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(global_address(output, offset)), "r"(vector.x), "r"(vector.y),
                   "r"(vector.z), "r"(vector.w)
                 : "memory");
}

#endif /* SYMM_MULTIMEM_UNICAST */

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_MULTIMEM_CUH */
