/*
 * kernel.cuh - what makes a body a kernel: its threads, and how its end is made known.
 *
 *     SYMM_CUDA_KERNEL(name, arguments_type, body);
 *
 * makes a kernel `name` of the function body(const arguments_type &, thread, threads).  The body is
 * run by `threads` threads, 0 to threads - 1, uses neither shared memory nor barriers, and waits
 * for nobody.
 *
 *     SYMM_CUDA_PATIENT_KERNEL(name, arguments_type, send, receive);
 *
 * makes a kernel of two such functions.  All threads run send().  Then they run receive(), which
 * gets a symm::patience behind `threads`, and waits for what other devices send, but not for ever.
 * It returns whether everything has come; where it has not, a flag says so.  It may have barriers
 * of a block if on the host, where threads run one after the other, one of them does what all have
 * to.
 *
 *     SYMM_CUDA_HOLDING_KERNEL(name, arguments_type, hand_over, body);
 *
 * makes a kernel of a body as the first one, behind which hand_over(arguments, blocks) is run by
 * all threads if arguments.hold asks for it.  It waits like a receive(), and has barriers of a
 * block on a device.  On the host it is run once.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_KERNEL_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_KERNEL_CUH

#include "kernels/cuda/device_code/arguments.h"

#ifndef __CUDACC__
#include "kernels/cuda/device_code/host_shim.h"
#else

#include <cstddef>
#include <cstdint>
#include <cstring>

#define SYMM_DEVICE __device__ __forceinline__

/*
 * Blocks that are done, by slot, and SYMM_CUDA_LATE if one of them has given up.  Each kernel
 * leaves both at 0 as it found them.
 */
static __device__ unsigned symm_blocks_done[SYMM_CUDA_SLOTS], symm_blocks_late[SYMM_CUDA_SLOTS];

/*
 * Count a block that is done with something; whether it is the last one of `blocks`.  A block's
 * count is a release of its stores, if a barrier is before it, and an acquire of those of the
 * blocks that have counted before.  The counter wraps to 0 at the last block, so it is found at 0
 * again.
 */
static __device__ __forceinline__ bool symm_count_block(unsigned *counter, unsigned blocks)
{
    unsigned before;
    asm volatile("atom.acq_rel.sys.inc.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(counter), "r"(blocks - 1)
                 : "memory");
    return before == blocks - 1;
}

/* Whether this is the last block of a kernel to come here. */
static __device__ __forceinline__ bool symm_is_last_block(const symm_cuda_finish &finish)
{
    return symm_count_block(&symm_blocks_done[finish.slot], gridDim.x);
}

/*
 * Tell the host when a block, or all blocks, are done, in an order that makes every store of this
 * kernel visible to whatever is started after the host has seen the flags, on any device and
 * through any mapping:
 *   - The barrier before it orders the stores of the block's threads before what its first thread
 *     does next.
 *   - Peers, and this device later, reach the same memory through other mappings than the one it
 *     was stored through: fence.proxy.alias orders accesses through different addresses of one
 *     location.
 *   - The flag's store is a release at system scope: whoever reads the flag with acquire, as the
 *     host does, sees what is ordered before it.
 *   - Of many blocks, the last one raises the flag.
 */
static __device__ __forceinline__ void symm_finish(const symm_cuda_finish &finish)
{
    if (threadIdx.x != 0) {
        return;
    }
    uint32_t *flag = finish.flags;
    asm volatile("fence.proxy.alias;" ::: "memory");
    if (gridDim.x <= SYMM_CUDA_FLAGS) {
        flag += blockIdx.x;
    } else if (!symm_is_last_block(finish)) {
        return;
    }
    asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(flag), "r"(finish.sequence) : "memory");
}

/*
 * The same for a kernel whose stores reach peers as packets only, without the alias fence.  Its
 * results are in its own device's memory.  A later kernel may load them through a peer's mapping,
 * which PTX asks a fence for.  In SASS that fence is MEMBAR.SC.SYS and CCTL.IVALL: the release has
 * a barrier of its own, and there is nothing to be invalidated where results are stored, because
 * stores go through the first-level cache.
 */
static __device__ __forceinline__ void symm_finish_packets(const symm_cuda_finish &finish,
                                                           uint32_t mark)
{
    if (threadIdx.x != 0) {
        return;
    }
    uint32_t *flag = finish.flags;
    if (gridDim.x <= SYMM_CUDA_FLAGS) {
        flag += blockIdx.x;
    } else {
        if (mark != 0) {
            atomicOr(&symm_blocks_late[finish.slot], mark);
        }
        if (!symm_is_last_block(finish)) {
            return;
        }
        mark = atomicExch(&symm_blocks_late[finish.slot], 0u);
    }
    asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(flag), "r"(finish.sequence | mark)
                 : "memory");
}

/*
 * The arguments stay in constant memory; __grid_constant__ permits to take addresses in it.  One
 * block per multiprocessor is enough.  ptxas is told so, and spends registers on loads in flight
 * (16 in a row instead of 4 to 6).
 */
#define SYMM_CUDA_ENTRY(name, arguments_type, ...)                                                 \
    extern "C" __global__ void __launch_bounds__(SYMM_CUDA_BLOCK_THREADS, 1)                       \
        name(const __grid_constant__ arguments_type arguments)                                     \
    {                                                                                              \
        const uint64_t threads = static_cast<uint64_t>(gridDim.x) * blockDim.x;                    \
        const uint64_t thread = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;      \
        __VA_ARGS__                                                                                \
    }                                                                                              \
    static_assert(sizeof(arguments_type) <= 4096, "what a kernel can be given")

#define SYMM_CUDA_KERNEL(name, arguments_type, ...)                                                \
    SYMM_CUDA_ENTRY(name, arguments_type, {                                                        \
        __VA_ARGS__(arguments, thread, threads);                                                   \
        __syncthreads();                                                                           \
        symm_finish(arguments.finish);                                                             \
    })

#define SYMM_CUDA_PATIENT_KERNEL(name, arguments_type, send, ...)                                  \
    SYMM_CUDA_ENTRY(name, arguments_type, {                                                        \
        symm::patience patience = {arguments.patience, 0};                                         \
        send(arguments, thread, threads);                                                          \
        const bool has_all = __VA_ARGS__(arguments, thread, threads, patience);                    \
        const int late = __syncthreads_or(!has_all);                                               \
        symm_finish_packets(arguments.finish, late ? SYMM_CUDA_LATE : 0);                          \
    })

#define SYMM_CUDA_HOLDING_KERNEL(name, arguments_type, hand_over, ...)                             \
    SYMM_CUDA_ENTRY(name, arguments_type, {                                                        \
        __VA_ARGS__(arguments, thread, threads);                                                   \
        __syncthreads();                                                                           \
        if (arguments.hold == SYMM_CUDA_NOT_HELD) {                                                \
            symm_finish(arguments.finish);                                                         \
        } else {                                                                                   \
            const int late = __syncthreads_or(!hand_over(arguments, gridDim.x));                   \
            symm_finish_packets(arguments.finish, late ? SYMM_CUDA_LATE : 0);                      \
        }                                                                                          \
    })

#endif /* __CUDACC__ */

namespace symm {

/* Nanoseconds of a clock that goes on while a thread waits. */
SYMM_DEVICE uint64_t clock_now()
{
#ifdef __CUDACC__
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#else
    return symm_cuda_host_clock();
#endif
}

/* How long a thread still waits. */
struct patience {
    uint64_t most;  /* ns */
    uint64_t since; /* when it began to wait; 0: it has not waited */
};

/* Whether it has come to an end.  The first question only begins it. */
SYMM_DEVICE bool is_over(patience &left)
{
    const uint64_t now = clock_now();
    if (left.since == 0) {
        left.since = now;
        return left.most == 0;
    }
    return now - left.since >= left.most;
}

/* A word by which kernels of several devices tell each other, with acquire. */
SYMM_DEVICE uint64_t word_get(const uint64_t *from)
{
#ifdef __CUDACC__
    uint64_t word;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
#else
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
#endif
}

/* What others are to see before they see the word, a fence has to be behind. */
SYMM_DEVICE void word_set(uint64_t *to, uint64_t word)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
#else
    __atomic_store_n(to, word, __ATOMIC_RELEASE);
#endif
}

#ifdef __CUDACC__

/* A word by which blocks of this device tell each other. */
SYMM_DEVICE void own_word_set(uint32_t *to, uint32_t word)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}

/* Wait until it is `wanted`, with acquire.  False: not in time. */
SYMM_DEVICE bool own_word_wait(const uint32_t *from, uint32_t wanted, patience left)
{
    left.since = 0;
    for (;;) {
        uint32_t word;
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
        if (word == wanted) {
            return true;
        }
        if (is_over(left)) {
            return false;
        }
    }
}

#endif

/* Wait until it has come to `wanted`.  False: not in time. */
SYMM_DEVICE bool word_wait(const uint64_t *word, uint64_t wanted, patience left)
{
    left.since = 0;
#pragma unroll 1
    while (word_get(word) < wanted) {
        if (is_over(left)) {
            return false;
        }
    }
    return true;
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_KERNEL_CUH */
