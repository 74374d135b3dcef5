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

SYMM_DEVICE void calls_store(uint64_t *to, uint64_t calls)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(calls) : "memory");
#else
    *to = calls;
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
