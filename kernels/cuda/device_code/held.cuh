/*
 * held.cuh - the end of a reduction whose result would be written over what other ranks still read:
 * it is held in scratch, and copied to its place when they say that they have read.
 *
 * When the last block is done, the kernel writes 1 to SYMM_CUDA_HANDOVER_WORDS words at each rank
 * that waits for this one.  The blocks there share these words: one block waits for a word, and
 * writes 0 to it once it has seen it.  So words are zero again when a kernel has ended in time, and
 * nobody has to meet for that.  They are plain stores, because links other than NVLink have no
 * additions.
 *
 * A block's count is a release of what its threads have read and stored, at system scope.  The last
 * one has a fence before the words, as exchange.cuh has.  Blocks that wait find the words with
 * acquire, and likewise one word of their own device: a block copies what others have stored.
 *
 * If all ranks' blocks are alike, with the same number of threads, each block tells and waits for
 * itself, by the word of its number: what it writes over is read by the block of that number at
 * rank 0 and by no other.  Each of its threads copies what it has stored itself.  So nothing has to
 * be counted, and blocks do not wait for the last one.  The word has the number of blocks.  A rank
 * that has another number takes it for too late.
 *
 * Otherwise a kernel waits for blocks of its own that may have found no room yet.  A block that has
 * waited too long ends without its copies, and gives its room.  The host waits for the other ranks
 * then, and has the result copied (kernels/cuda/handover.h).
 *
 * All kernels of reductions share this function.  It is not compiled into each of them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_HELD_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_HELD_CUH

#include "kernels/cuda/device_code/copy.cuh"

static_assert(sizeof(symm_cuda_held) + sizeof(void *) <= SYMM_CUDA_RANKS_MAX * sizeof(void *),
              "in the place of outputs");

namespace symm {

/* Say to all who are told that this rank is done, by the words from `first` on, at steps. */
SYMM_DEVICE void held_tell(const symm_cuda_held &held, uint64_t first, uint64_t step)
{
#pragma unroll 1
    for (uint64_t word = first; word < SYMM_CUDA_HANDOVER_WORDS; word += step) {
#pragma unroll 1
        for (uint64_t i = 0; i < held.told_count; i++) {
            word_set(held.told[i] + word, 1);
        }
    }
}

/* The words of all sources from `first` on, at steps: wait for them.  False: not in time. */
SYMM_DEVICE bool held_await(const symm_cuda_held &held, uint64_t first, uint64_t step,
                            const patience &left)
{
#pragma unroll 1
    for (uint64_t word = first; word < SYMM_CUDA_HANDOVER_WORDS; word += step) {
#pragma unroll 1
        for (int rank = 0; rank < SYMM_CUDA_RANKS_MAX; rank++) {
            if ((held.sources >> rank & 1) != 0 &&
                !word_wait(held.words + rank * SYMM_CUDA_HANDOVER_WORDS + word, 1, left)) {
                return false;
            }
        }
    }
    return true;
}

SYMM_DEVICE void held_wipe(const symm_cuda_held &held, uint64_t first, uint64_t step)
{
#pragma unroll 1
    for (uint64_t word = first; word < SYMM_CUDA_HANDOVER_WORDS; word += step) {
#pragma unroll 1
        for (int rank = 0; rank < SYMM_CUDA_RANKS_MAX; rank++) {
            if ((held.sources >> rank & 1) != 0) {
                word_set(held.words + rank * SYMM_CUDA_HANDOVER_WORDS + word, 0);
            }
        }
    }
}

/* In three sizes of units only, as every kernel has this code. */
SYMM_DEVICE void held_copy(const symm_cuda_held &held, uint64_t thread, uint64_t threads)
{
    const block one = {held.copy.input, &held.copy.output, 1, held.copy.bytes};
    const uint64_t differing = reinterpret_cast<uint64_t>(held.copy.input) ^
                               reinterpret_cast<uint64_t>(held.copy.output);
    if (differing % 16 == 0) {
        copy_aligned<uint4>(one, thread, threads);
    } else if (differing % 4 == 0) {
        copy_aligned<uint32_t>(one, thread, threads);
    } else {
        copy_aligned<uint8_t>(one, thread, threads);
    }
}

#ifdef __CUDACC__

/* By slot: blocks that are done, which wraps to 0; and the last kernel that was done. */
static __device__ unsigned held_blocks[SYMM_CUDA_SLOTS];
static __device__ uint32_t held_done[SYMM_CUDA_SLOTS];

/* A block for itself. */
SYMM_DEVICE bool hand_over_blocks(const symm_cuda_held &held, uint64_t thread, uint64_t threads,
                                  unsigned blocks)
{
    if (threadIdx.x < held.told_count) {
        asm volatile("fence.acq_rel.sys;" ::: "memory");
        word_set(held.told[threadIdx.x] + blockIdx.x, blocks);
    }
    if (held.copy.bytes == 0) {
        return true;
    }
    uint64_t *word = held.words + blockIdx.x;
    const patience left = {held.patience, 0};
    bool is_late = threadIdx.x == 0 && !(word_wait(word, 1, left) && word_get(word) == blocks);
    if (__syncthreads_or(is_late) != 0) {
        return false;
    }
    if (threadIdx.x == 0) {
        word_set(word, 0);
    }
    const block one = {held.copy.input, &held.copy.output, 1, held.copy.bytes};
    copy_units<uint4, 4>(one, 0, held.copy.bytes / sizeof(uint4), thread, threads);
    return true;
}

/* All blocks together. */
SYMM_DEVICE bool hand_over_together(const symm_cuda_held &held, const symm_cuda_finish &finish,
                                    uint64_t thread, uint64_t threads)
{
    const patience left = {held.patience, 0};
    const uint64_t first = blockIdx.x + static_cast<uint64_t>(threadIdx.x) * gridDim.x;
    bool is_last = threadIdx.x == 0 && symm_count_block(&held_blocks[finish.slot], gridDim.x);
    if (__syncthreads_or(is_last) != 0 && threadIdx.x < SYMM_CUDA_HANDOVER_WORDS) {
        asm volatile("fence.acq_rel.sys;" ::: "memory");
        if (threadIdx.x == 0) {
            own_word_set(&held_done[finish.slot], finish.sequence);
        }
        held_tell(held, threadIdx.x, blockDim.x);
    }
    if (held.copy.bytes == 0) {
        return true;
    }
    bool is_late = !held_await(held, first, threads, left);
    if (!is_late && threadIdx.x == 0) {
        is_late = !own_word_wait(&held_done[finish.slot], finish.sequence, left);
    }
    if (__syncthreads_or(is_late) != 0) {
        return false;
    }
    held_wipe(held, first, threads);
    held_copy(held, thread, threads);
    return true;
}

/* Returns whether this thread has seen all in time.  A barrier has to be before it. */
static __device__ __noinline__ bool hand_over(const symm_cuda_reduce &arguments, unsigned blocks)
{
    const symm_cuda_held &held = arguments.one.held;
    const uint64_t thread = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const uint64_t threads = static_cast<uint64_t>(blocks) * blockDim.x;
    return arguments.hold == SYMM_CUDA_HELD_BY_BLOCKS
               ? hand_over_blocks(held, thread, threads, blocks)
               : hand_over_together(held, arguments.finish, thread, threads);
}

#else

inline bool hand_over(const symm_cuda_reduce &arguments, unsigned blocks)
{
    const symm_cuda_held &held = arguments.one.held;
    const patience left = {held.patience, 0};
    const bool by_blocks = arguments.hold == SYMM_CUDA_HELD_BY_BLOCKS;
    bool is_late = false;
    for (unsigned block = 0; by_blocks && block < blocks; block++) {
        for (uint64_t i = 0; i < held.told_count; i++) {
            word_set(held.told[i] + block, blocks);
        }
    }
    if (!by_blocks) {
        held_tell(held, 0, 1);
    }
    if (held.copy.bytes == 0) {
        return true;
    }
    for (unsigned block = 0; by_blocks && !is_late && block < blocks; block++) {
        is_late = !word_wait(held.words + block, 1, left) || word_get(held.words + block) != blocks;
    }
    if (is_late || (!by_blocks && !held_await(held, 0, 1, left))) {
        return false;
    }
    held_wipe(held, 0, 1);
    held_copy(held, 0, 1);
    return true;
}

#endif

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_HELD_CUH */
