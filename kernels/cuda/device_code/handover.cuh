/*
 * handover.cuh - copies that wait until other ranks say that they are done: that they have read what
 * is written over, or have stored what is copied.
 *
 * A rank that is done adds 1 to each word of those who wait for it.  They wait until as many ranks
 * have done so as they wait for.  There are SYMM_CUDA_HANDOVER_WORDS such words, each of which
 * counts the same: one block waits for a word, and writes 0 to it once it has seen it.  So words are
 * zero again when a kernel has ended in time, and nobody has to meet for that.
 *
 * What a rank has done belongs to kernels before this one on its stream, and has been made when this
 * one begins.  A fence at system scope and the addition come after it.  The block that waits finds
 * the sum with acquire, has a barrier behind it, and copies then.  Ranks reach scratch through
 * mappings of their own: as ring.cuh says, that takes no alias fence in SASS.
 *
 * A kernel that has waited too long ends without the copies of the blocks that wait in vain.  The
 * host waits for the others then, and starts it again with `wanted` 0: all blocks copy, which some
 * have done before, and write zeros.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_HANDOVER_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_HANDOVER_CUH

#include "kernels/cuda/device_code/copy.cuh"

namespace symm {

SYMM_DEVICE uint64_t handover_word(const uint64_t *from)
{
#ifdef __CUDACC__
    uint64_t word;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
#else
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
#endif
}

SYMM_DEVICE void handover_add(uint64_t *to)
{
#ifdef __CUDACC__
    asm volatile("red.relaxed.sys.global.add.u64 [%0], 1;" ::"l"(to) : "memory");
#else
    __atomic_fetch_add(to, 1, __ATOMIC_RELEASE);
#endif
}

SYMM_DEVICE void handover_wipe(uint64_t *word)
{
#ifdef __CUDACC__
    asm volatile("st.relaxed.sys.global.u64 [%0], 0;" ::"l"(word) : "memory");
#else
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
#endif
}

/* Tell the others, a word by each thread. */
SYMM_DEVICE void handover_tell(const symm_cuda_handover &arguments, uint64_t thread,
                               uint64_t threads)
{
#ifdef __CUDACC__
    if (arguments.told_count > 0 && thread < SYMM_CUDA_HANDOVER_WORDS) {
        asm volatile("fence.acq_rel.sys;" ::: "memory");
    }
#endif
#pragma unroll 1
    for (uint64_t word = thread; word < SYMM_CUDA_HANDOVER_WORDS; word += threads) {
#pragma unroll 1
        for (int i = 0; i < arguments.told_count; i++) {
            handover_add(arguments.told[i] + word);
        }
    }
}

SYMM_DEVICE void handover_copies(const symm_cuda_handover &arguments, uint64_t thread,
                                 uint64_t threads)
{
#pragma unroll 1
    for (int i = 0; i < arguments.copy_count; i++) {
        const symm_cuda_push &copy = arguments.copies[i];
        const block one = {copy.input, &copy.output, 1, copy.bytes};
        copy_block(one, thread, threads);
    }
}

SYMM_DEVICE bool handover_await(const symm_cuda_handover &arguments, uint64_t word, patience &left)
{
#pragma unroll 1
    while (handover_word(arguments.words + word) < arguments.wanted) {
        if (is_over(left)) {
            return false;
        }
    }
    return true;
}

/*
 * A block's words are those from its number on, at steps of the number of blocks; a thread of it
 * has one.  On the host the first thread of all does what all have to.
 */
SYMM_DEVICE bool handover_receive(const symm_cuda_handover &arguments, uint64_t thread,
                                  uint64_t threads, patience &left)
{
#ifdef __CUDACC__
    const uint64_t word = blockIdx.x + static_cast<uint64_t>(threadIdx.x) * gridDim.x;
    const bool has_word = word < SYMM_CUDA_HANDOVER_WORDS;
    bool is_late = has_word && !handover_await(arguments, word, left);
    is_late = __syncthreads_or(is_late) != 0;
    if (!is_late && has_word) {
        handover_wipe(arguments.words + word);
    }
    if (!is_late) {
        handover_copies(arguments, thread, threads);
    }
    return !is_late;
#else
    (void)threads;
    if (thread > 0) {
        return true;
    }
    for (uint64_t word = 0; word < SYMM_CUDA_HANDOVER_WORDS; word++) {
        if (!handover_await(arguments, word, left)) {
            return false;
        }
    }
    for (uint64_t word = 0; word < SYMM_CUDA_HANDOVER_WORDS; word++) {
        handover_wipe(arguments.words + word);
    }
    handover_copies(arguments, 0, 1);
    return true;
#endif
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_HANDOVER_CUH */
