/*
 * stream_failures.cuh - kernels on a stream lane that wait in vain: how they find out, and whom
 * they tell.
 *
 * A thread that waits counts its looks.  Every so often it looks at the host's word, and at what
 * its own rank's kernels, or a peer, have found.  After a longer while it compares calls: each
 * rank has told each other one which call it has begun.  The same number with another signature is
 * another call.  Who has begun a later call has sent all of this one: if that has not come, what
 * was sent was for something else.  Who is behind is late, which the host is told, and is no
 * fault.
 *
 * The first kernel that finds a fault poisons its own lane, tells its host, and the peers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_FAILURES_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_FAILURES_CUH

#include "kernels/cuda/device_code/stream_words.cuh"

namespace symm {

/* Looks, of some hundred nanoseconds each; the top bit: a peer has been seen ahead. */
static const uint32_t looks_between = 1u << 10, looks_ahead = 1u << 31;
#ifdef __CUDACC__
static const uint32_t looks_long = 1u << 20;
#else
static const uint32_t looks_long = 1u << 16; /* other ranks run between two of them */
#endif

/* ---- what has been found already ------------------------------------------------------------- */

SYMM_DEVICE uint32_t fault_known(const symm_cuda_stream &arguments)
{
    const symm_stream_own &own = arguments.own->own;
    uint32_t why = lane_load(&own.poison);
    if (lane_load(&own.told) != 0) {
        why |= SYMM_STREAM_TOLD;
    }
    return why | lane_load(&arguments.words->abort);
}

/* By a thread that knows a reason. */
SYMM_DEVICE void lane_poison(const symm_cuda_stream &arguments, uint32_t why)
{
    symm_stream_memory *lane = arguments.own;
    if (word_or(&lane->own.poison, why) != SYMM_STREAM_SOUND) {
        return;
    }
    word_set(&arguments.words->found_by, word_get(&lane->calls[arguments.rank]));
    lane_store(&arguments.words->told, lane_load(&lane->own.told));
    system_fence();
    lane_store(&arguments.words->fault, why);
#pragma unroll 1
    for (uint32_t rank = 0; rank < arguments.ranks && why != SYMM_STREAM_TOLD; rank++) {
        if (rank != arguments.rank) {
            lane_store(&arguments.lanes[rank]->own.told, why << 8 | (arguments.rank + 1));
        }
    }
}

/* ---- comparing calls ------------------------------------------------------------------------- */

SYMM_DEVICE void late_warn(const symm_cuda_stream &arguments, uint32_t rank, uint64_t own,
                           uint64_t theirs)
{
    word_set(&arguments.words->begun, theirs);
    lane_store(&arguments.words->late, rank + 1);
    word_set(&arguments.words->waits, own);
}

/* Looks at the ranks that are awaited.  Sets `is_ahead` if one has begun a later call. */
SYMM_DEVICE uint32_t calls_compare(const symm_cuda_stream &arguments, uint32_t awaited,
                                   bool &is_ahead)
{
    const uint64_t *calls = arguments.own->calls;
    const uint64_t own = word_get(&calls[arguments.rank]);
#pragma unroll 1
    for (uint32_t rank = 0; rank < arguments.ranks; rank++) {
        if ((awaited >> rank & 1) == 0 || rank == arguments.rank) {
            continue;
        }
        const uint64_t theirs = word_get(&calls[rank]);
        const uint64_t number = theirs >> SYMM_STREAM_CALL_BITS;
        if (number == own >> SYMM_STREAM_CALL_BITS && theirs != own) {
            return SYMM_STREAM_MISMATCHED;
        }
        if (number > own >> SYMM_STREAM_CALL_BITS) {
            is_ahead = true;
        } else if (theirs != own) {
            late_warn(arguments, rank, own, theirs);
        }
    }
    return SYMM_STREAM_SOUND;
}

/*
 * Sets `why` if a thread that waits for these ranks (a bit for each) is to give up; only now and
 * then it looks.  What a peer that is ahead has sent may still be on its way the first time.
 */
SYMM_DEVICE bool waits_in_vain(const symm_cuda_stream &arguments, uint32_t awaited,
                               uint32_t &looks, uint32_t &why)
{
    bool is_ahead = false;
    if (!rarely(++looks % looks_between == 0)) {
        return false;
    }
#ifndef __CUDACC__
    symm_cuda_host_sleep();
#endif
    why |= fault_known(arguments);
    if (why == SYMM_STREAM_SOUND && (looks % looks_long == 0 || looks > looks_ahead)) {
        why |= calls_compare(arguments, awaited, is_ahead);
        why |= is_ahead && looks > looks_ahead ? SYMM_STREAM_MISMATCHED : SYMM_STREAM_SOUND;
        looks = is_ahead ? looks | looks_ahead : looks & ~looks_ahead;
        system_fence();
    }
    return why != SYMM_STREAM_SOUND;
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_FAILURES_CUH */
