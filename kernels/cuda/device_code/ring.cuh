/*
 * ring.cuh - a reduction that goes from rank to rank: add what is mine, and pass it on.
 *
 * The array has SYMM_CUDA_RING_TRACKS tracks, and a track has steps.  A block takes a track at a
 * time.  Of each step it waits until the rank before says that it has come, adds this rank's input,
 * stores it in the next rank's scratch, and says so.  So a device sends and receives all the time,
 * and an array leaves it once.  Scratch has a few slots for each track.  Before a slot is stored to
 * again, the next rank has said that it has taken what was there.
 *
 * A kernel that has waited too long ends.  It leaves for each track how many steps it has done, and
 * the next one goes on there.
 *
 * A block of the next rank that finds the word of its track finds the data as well.  The barrier of
 * the block orders its stores, and its loads from the slot that it gives back, before what its last
 * thread does: a fence at system scope, and the words.  Of the readers one thread finds a word with
 * acquire, and they have a barrier behind it.
 *
 * Ranks reach a slot through mappings of their own, so PTX asks for an alias fence as well.  In
 * SASS that is MEMBAR.SC.SYS and CCTL.IVALL.  The fence has a barrier of its own, acquire
 * invalidates the reader's first-level cache, and stores go through the writer's.  With alias
 * fences a call takes 2 to 3 % longer (bench/results/gpu-h100-ring.txt).  A kernel has one at its
 * end, for those who use results later.
 *
 * (NCCL's Simple protocol in its ring for reduce.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_RING_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_RING_CUH

#include "kernels/cuda/device_code/reduce.cuh"

namespace symm {

static const uint64_t ring_threads = SYMM_CUDA_BLOCK_THREADS;
static const int ring_unroll = SYMM_CUDA_RING_STEP / SYMM_CUDA_BLOCK_THREADS;

/* On the host the first thread of a block does what all of them do, so that a block can wait. */
#ifdef __CUDACC__
static const uint64_t ring_last = ring_threads - 1, ring_stride = ring_threads;
#else
static const uint64_t ring_last = 0, ring_stride = 1;
#endif

/* ---- a block --------------------------------------------------------------------------------- */

/* A barrier of the block: whether it is so for one of its threads. */
SYMM_DEVICE bool ring_any(bool one)
{
#ifdef __CUDACC__
    return __syncthreads_or(one) != 0;
#else
    return one;
#endif
}

/*
 * Wait until a step has come, and until there is room for it: the first thread for the one, and the
 * last one, or on the host the first as well, for the other.  False: not in time.
 */
SYMM_DEVICE bool ring_await(const symm_cuda_ring &arguments, uint64_t track, uint64_t step,
                            uint64_t place, const patience &left)
{
    bool late = false;
    if (place == 0 && arguments.come != NULL) {
        late = !word_wait(arguments.come + track, step + 1, left);
    }
    if (place == ring_last && arguments.taken != NULL && step >= arguments.slots) {
        late = !word_wait(arguments.taken + track, step + 1 - arguments.slots, left) || late;
    }
    return !ring_any(late);
}

SYMM_DEVICE void ring_end()
{
#ifdef __CUDACC__
    asm volatile("fence.proxy.alias;" ::: "memory");
#endif
}

/* The block has done a step: it is in the next rank's scratch, and a slot here is free again. */
SYMM_DEVICE void ring_tell(const symm_cuda_ring &arguments, uint64_t track, uint64_t steps,
                           uint64_t place)
{
    ring_any(false);
    if (place != ring_last) {
        return;
    }
#ifdef __CUDACC__
    asm volatile("fence.acq_rel.sys;" ::: "memory");
#endif
    if (arguments.passed != NULL) {
        word_set(arguments.passed + track, steps);
    }
    if (arguments.room != NULL) {
        word_set(arguments.room + track, steps);
    }
}

/* ---- vectors --------------------------------------------------------------------------------- */

template <class T> struct ring_vectors {
    static const int length = vector_unit<T>::length;
    T items[ring_unroll][length];
};

/* Those of a thread: from `first` on, of `count` in a step. */
template <class T>
SYMM_DEVICE void ring_load(const uint4 *from, uint64_t first, uint64_t count,
                           ring_vectors<T> &loaded)
{
#pragma unroll
    for (int u = 0; u < ring_unroll; u++) {
        if (first + u * ring_threads < count) {
            vector_unit<T>::load(from + first + u * ring_threads, loaded.items[u]);
        }
    }
}

template <class T>
SYMM_DEVICE void ring_store(uint4 *to, uint64_t first, uint64_t count,
                            const ring_vectors<T> &stored)
{
#pragma unroll
    for (int u = 0; u < ring_unroll; u++) {
        if (first + u * ring_threads < count) {
            vector_unit<T>::store(to + first + u * ring_threads, stored.items[u]);
        }
    }
}

/* What has come and what is mine, in rank order. */
template <class Op, class T>
SYMM_DEVICE void ring_add(const ring_vectors<T> &come, bool own_first, ring_vectors<T> &own)
{
#pragma unroll
    for (int u = 0; u < ring_unroll; u++) {
#pragma unroll
        for (int i = 0; i < ring_vectors<T>::length; i++) {
            own.items[u][i] = own_first ? Op::apply(own.items[u][i], come.items[u][i])
                                        : Op::apply(come.items[u][i], own.items[u][i]);
        }
    }
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* A step of a track.  False: something has not come in time, and nothing has been stored. */
template <class Op, class T>
SYMM_DEVICE bool ring_take(const symm_cuda_ring &arguments, uint64_t track, uint64_t step,
                           uint64_t place, const patience &left)
{
    const uint64_t at = (step * arguments.tracks + track) * arguments.step;
    const uint64_t slot = (step % arguments.slots * arguments.tracks + track) * arguments.step;
    const uint64_t rest = arguments.vectors - at;
    const uint64_t count = rest < arguments.step ? rest : arguments.step;
    const uint4 *input = static_cast<const uint4 *>(arguments.own) + at;
    const uint4 *sum = static_cast<const uint4 *>(arguments.sum);
    uint4 *output = static_cast<uint4 *>(arguments.output) + (arguments.passed != NULL ? slot : at);
    ring_vectors<T> own = {}, come = {};
    ring_load(input, place, count, own); /* while others are waited for */
    if (!ring_await(arguments, track, step, place, left)) {
        return false;
    }
    for (uint64_t one = place;;) {
        if (sum != NULL) {
            ring_load(sum + slot, one, count, come);
            ring_add<Op>(come, arguments.own_first != 0, own);
        }
        ring_store(output, one, count, own);
        one += ring_stride;
        if (ring_stride == ring_threads || one >= ring_threads) {
            break;
        }
        ring_load(input, one, count, own);
    }
    ring_tell(arguments, track, step + 1, place);
    return true;
}

SYMM_DEVICE void ring_begin(const symm_cuda_ring &, uint64_t, uint64_t) {}

template <class Op, class T>
SYMM_DEVICE bool ring_pass(const symm_cuda_ring &arguments, uint64_t thread, uint64_t threads,
                           patience &left)
{
    const uint64_t place = thread % ring_threads, blocks = threads / ring_threads;
    bool has_all = true;
#pragma unroll 1
    for (uint64_t track = thread / ring_threads;
         track < arguments.tracks && place < ring_stride && has_all; track += blocks) {
        uint64_t step = arguments.done[track];
#pragma unroll 1
        while (has_all && (step * arguments.tracks + track) * arguments.step < arguments.vectors) {
            has_all = ring_take<Op, T>(arguments, track, step, place, left);
            step += has_all;
        }
        ring_any(false); /* all have read where to begin */
        if (place == 0) {
            arguments.done[track] = step;
            ring_end();
        }
    }
    return has_all;
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_RING_CUH */
