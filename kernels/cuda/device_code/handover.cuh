/*
 * handover.cuh - copies that wait until other ranks say that they are done: that they have read what
 * is written over, or have stored what is copied.
 *
 * A rank that is done writes 1 to SYMM_CUDA_HANDOVER_WORDS words at each rank that waits for it.
 * The blocks there share these words: one block waits for a word, and writes 0 to it once it has
 * seen it.  So words are zero again when a kernel has ended in time, and nobody has to meet for
 * that.  They are plain stores, because links other than NVLink have no additions.
 *
 * What a rank has done belongs to kernels before this one on its stream, and has been made when this
 * one begins.  A fence at system scope and the words come after it.  The block that waits finds a
 * word with acquire, has a barrier behind it, and copies then.  Ranks reach scratch through mappings
 * of their own: as ring.cuh says, that takes no alias fence in SASS.
 *
 * A kernel that has waited too long ends without the copies of the blocks that wait in vain.  The
 * host waits for the others then, and starts it again with `have_come`: all blocks copy, which some
 * have done before, and write zeros.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_HANDOVER_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_HANDOVER_CUH

#include "kernels/cuda/device_code/copy.cuh"

namespace symm {

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
            word_set(arguments.told[i] + word, 1);
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

/* Wait for a word of each source.  False: one has not come in time. */
SYMM_DEVICE bool handover_await(const symm_cuda_handover &arguments, uint64_t word,
                                const patience &left)
{
    bool all = true;
#pragma unroll 1
    for (int rank = 0; all && rank < SYMM_CUDA_RANKS_MAX && arguments.have_come == 0; rank++) {
        if ((arguments.sources >> rank & 1) != 0) {
            all = word_wait(arguments.words + rank * SYMM_CUDA_HANDOVER_WORDS + word, 1, left);
        }
    }
    return all;
}

SYMM_DEVICE void handover_wipe(const symm_cuda_handover &arguments, uint64_t word)
{
#pragma unroll 1
    for (int rank = 0; rank < SYMM_CUDA_RANKS_MAX; rank++) {
        if ((arguments.sources >> rank & 1) != 0) {
            word_set(arguments.words + rank * SYMM_CUDA_HANDOVER_WORDS + word, 0);
        }
    }
}

/*
 * A block's words are those from its number on, at steps of the number of blocks; a thread of it
 * has one of each source.  On the host the first thread of all does what all have to.
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
        handover_wipe(arguments, word);
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
        handover_wipe(arguments, word);
    }
    handover_copies(arguments, 0, 1);
    return true;
#endif
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_HANDOVER_CUH */
