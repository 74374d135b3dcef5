/*
 * stream_words.cuh - words of a stream lane (stream_arguments.h): those that ranks store at each
 * other, and a block's own.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_WORDS_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_WORDS_CUH

#include "kernels/cuda/device_code/kernel.cuh"
#include "kernels/cuda/device_code/stream_arguments.h"

namespace symm {

/* What is rarely so has its code out of the way of what is not. */
SYMM_DEVICE bool rarely(bool is)
{
    return __builtin_expect(is, false);
}

/* As word_set() and word_get(), of 32 bits; what is beside the word is not ordered by this. */
SYMM_DEVICE void lane_store(uint32_t *to, uint32_t value)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
#else
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
#endif
}

SYMM_DEVICE uint32_t lane_load(const uint32_t *from)
{
#ifdef __CUDACC__
    uint32_t word;
    asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
    return word;
#else
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
#endif
}

/* The first sixteen bytes of a block's own state, and of the lane's. */
struct four_words {
    uint32_t x, y, z, w;
};

SYMM_DEVICE four_words own_load(const void *from)
{
    four_words words;
#ifdef __CUDACC__
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(from)
                 : "memory");
#else
    memcpy(&words, from, sizeof(words));
#endif
    return words;
}

SYMM_DEVICE void own_store(void *to, four_words words)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words.x),
                 "r"(words.y), "r"(words.z), "r"(words.w)
                 : "memory");
#else
    memcpy(to, &words, sizeof(words));
#endif
}

/* Of these, the first two. */
SYMM_DEVICE void own_store_two(void *to, uint32_t x, uint32_t y)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(x), "r"(y)
                 : "memory");
#else
    const uint32_t words[] = {x, y};
    memcpy(to, words, sizeof(words));
#endif
}

/* One more; nobody waits for it. */
SYMM_DEVICE void calls_count(uint64_t *calls)
{
#ifdef __CUDACC__
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(calls), "l"(1ull) : "memory");
#else
    *calls += 1;
#endif
}

SYMM_DEVICE uint32_t word_or(uint32_t *word, uint32_t bits)
{
#ifdef __CUDACC__
    return atomicOr(word, bits);
#else
    return __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
#endif
}

/* The number of the lowest bit; not 0. */
SYMM_DEVICE uint32_t first_bit(uint32_t bits)
{
#ifdef __CUDACC__
    return __ffs(bits) - 1;
#else
    return __builtin_ctz(bits);
#endif
}

/* What was stored before it is seen before what is stored behind it. */
SYMM_DEVICE void system_fence()
{
#ifdef __CUDACC__
    asm volatile("fence.acq_rel.sys;" ::: "memory");
#else
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
#endif
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_WORDS_CUH */
