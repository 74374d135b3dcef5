/*
 * exchange.cuh - an exchange through scratch in one kernel: some blocks push to the other ranks'
 * scratch, turn after turn, while others copy out what has come from there.
 *
 * In a turn a rank sends to the rank that it receives from.  In place it copies over what it sends
 * there.  So a word of the device says that a turn's push is done, and is awaited.
 *
 * When the last block is done with its part of a push, the other rank is told, by
 * SYMM_CUDA_EXCHANGE_WORDS words there.  The blocks that copy share these words: one block waits
 * for a word, and writes 0 to it once it has seen it.
 *
 * Of a block that pushes, one warp tells, and the others push.  They arrive at a barrier of the
 * turn, which is for that warp alone, and go on: a fence takes as long as the stores before it take
 * to cross the link.  The warp counts its block, with release and acquire at system scope.  The
 * last one to count has a fence before the words.  Ranks reach scratch through mappings of their
 * own: as ring.cuh says, that takes no alias fence in SASS.
 *
 * Nobody who pushes waits.  So if there is no room for all blocks at a time, those that copy come
 * later.  A block that has waited too long leaves out its copies of that turn and of those behind
 * it.  The host waits for the others then, and has all of them copied (kernels/cuda/handover.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_EXCHANGE_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_EXCHANGE_CUH

#include "kernels/cuda/device_code/copy.cuh"

#ifdef __CUDACC__
/* By slot and turn: blocks that are done, which wraps to 0; and the last kernel that was done. */
static __device__ unsigned symm_turn_blocks[SYMM_CUDA_SLOTS][SYMM_CUDA_RANKS_MAX];
static __device__ uint32_t symm_turn_pushed[SYMM_CUDA_SLOTS][SYMM_CUDA_RANKS_MAX];
#endif

namespace symm {

SYMM_DEVICE void turn_push(const symm_cuda_turn &turn, uint64_t thread, uint64_t threads)
{
    const block one = {turn.input, &turn.row, 1, turn.bytes};
    copy_block(one, thread, threads);
}

SYMM_DEVICE void turn_copy(const symm_cuda_turn &turn, uint64_t thread, uint64_t threads)
{
    const block one = {turn.come, &turn.output, 1, turn.come_bytes};
    copy_block(one, thread, threads);
}

#ifdef __CUDACC__

static const unsigned turn_warp = 32, turn_barriers = 15;

/*
 * The barrier of a turn.  Who pushes only arrives, but for the last barrier of a round: so nobody
 * comes to one anew before the warp that tells has left it.
 */
SYMM_DEVICE void turn_meet(unsigned turn, bool waits)
{
    const unsigned barrier = 1 + turn % turn_barriers; /* __syncthreads() has 0 */
    if (waits || turn % turn_barriers == turn_barriers - 1) {
        asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(blockDim.x) : "memory");
    } else {
        asm volatile("barrier.cta.arrive %0, %1;" ::"r"(barrier), "r"(blockDim.x) : "memory");
    }
}

/* By a warp: this block is done with the turn.  The last one tells. */
SYMM_DEVICE void turn_tell(const symm_cuda_turn &turn, unsigned number,
                           const symm_cuda_finish &finish, unsigned pushers)
{
    int is_last = 0;
    if (threadIdx.x == 0) {
        is_last = symm_count_block(&symm_turn_blocks[finish.slot][number], pushers);
    }
    __syncwarp();
    if (__shfl_sync(~0u, is_last, 0) == 0) {
        return;
    }
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    if (threadIdx.x == 0) {
        own_word_set(&symm_turn_pushed[finish.slot][number], finish.sequence);
    }
    for (unsigned word = threadIdx.x; word < SYMM_CUDA_EXCHANGE_WORDS; word += turn_warp) {
        word_set(turn.told + word, 1);
    }
}

template <class Arguments>
SYMM_DEVICE void exchange_push(const Arguments &arguments, uint64_t thread, uint64_t threads)
{
    const unsigned pushers = static_cast<unsigned>(arguments.pushers);
    const unsigned pushing = blockDim.x - turn_warp;
    const bool tells = threadIdx.x < turn_warp;
    (void)thread;
    (void)threads;
    if (blockIdx.x >= pushers) {
        return;
    }
#pragma unroll 1
    for (unsigned i = 0; i < arguments.count; i++) {
        const symm_cuda_turn &turn = arguments.turns[i];
        if (turn.told == nullptr) {
            continue;
        }
        if (!tells) {
            turn_push(turn, blockIdx.x * pushing + threadIdx.x - turn_warp, pushers * pushing);
        }
        turn_meet(i, tells);
        if (tells) {
            turn_tell(turn, i, arguments.finish, pushers);
        }
    }
}

/* A block's words are those from its number on, at steps of the number of blocks that copy. */
template <class Arguments>
SYMM_DEVICE bool exchange_copy(const Arguments &arguments, uint64_t thread, uint64_t threads,
                               patience &left)
{
    const unsigned first = gridDim.x == 1 ? 0 : static_cast<unsigned>(arguments.pushers);
    const unsigned number = blockIdx.x - first, copiers = gridDim.x - first;
    const unsigned word = number + threadIdx.x * copiers;
    (void)thread;
    (void)threads;
    if (blockIdx.x < first) {
        return true;
    }
#pragma unroll 1
    for (unsigned i = 0; i < arguments.count; i++) {
        const symm_cuda_turn &turn = arguments.turns[i];
        const bool has_word = turn.words != nullptr && word < SYMM_CUDA_EXCHANGE_WORDS;
        bool is_late = has_word && !word_wait(turn.words + word, 1, left);
        if (!is_late && threadIdx.x == 0 && turn.told != nullptr) {
            const symm_cuda_finish &finish = arguments.finish;
            is_late = !own_word_wait(&symm_turn_pushed[finish.slot][i], finish.sequence, left);
        }
        if (__syncthreads_or(is_late) != 0) {
            return false;
        }
        if (has_word) {
            word_set(turn.words + word, 0);
        }
        turn_copy(turn, static_cast<uint64_t>(number) * blockDim.x + threadIdx.x,
                  static_cast<uint64_t>(copiers) * blockDim.x);
    }
    return true;
}

#else

/* On the host the first thread of all does what all have to. */
template <class Arguments>
SYMM_DEVICE void exchange_push(const Arguments &arguments, uint64_t thread, uint64_t threads)
{
    (void)threads;
    for (uint64_t i = 0; thread == 0 && i < arguments.count; i++) {
        const symm_cuda_turn &turn = arguments.turns[i];
        if (turn.told != nullptr) {
            turn_push(turn, 0, 1);
            for (int word = 0; word < SYMM_CUDA_EXCHANGE_WORDS; word++) {
                word_set(turn.told + word, 1);
            }
        }
    }
}

template <class Arguments>
SYMM_DEVICE bool exchange_copy(const Arguments &arguments, uint64_t thread, uint64_t threads,
                               patience &left)
{
    (void)threads;
    for (uint64_t i = 0; thread == 0 && i < arguments.count; i++) {
        const symm_cuda_turn &turn = arguments.turns[i];
        for (int word = 0; word < SYMM_CUDA_EXCHANGE_WORDS && turn.words != nullptr; word++) {
            if (!word_wait(turn.words + word, 1, left)) {
                return false;
            }
            word_set(turn.words + word, 0);
        }
        turn_copy(turn, 0, 1);
    }
    return true;
}

#endif

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_EXCHANGE_CUH */
