/*
 * stream.cuh - the frame of kernels on a stream lane (stream_arguments.h): how a block begins and
 * ends a turn, waits, and gives up.
 *
 *     SYMM_CUDA_STREAM_KERNEL(name, body);     one turn: body::early, send, receive
 *     SYMM_CUDA_STREAM_KERNEL_2(name, body);   two: body::send, reduce, send_result, receive_result
 *
 * stream_push.cuh has a third kind, for long calls.
 *
 * Block b of a rank meets block b of its peers, and nobody else.  It counts its turns in an epoch,
 * which is in each of their packets.  The reasons for what follows are in docs/design/streams.md:
 *   - Two slots: a packet of a turn replaces one of two turns ago, which has been read, since its
 *     sender has heard of the turn between.
 *   - After a turn with a root some ranks have heard nothing.  In such a turn each tells each other
 *     one that it has begun (`hellos`), and who sends in the next turn looks first whether those it
 *     sends to have.
 *   - Epochs come again.  A block wipes what it has read in the last two before they do: behind the
 *     turn, and before anything of the next turn is sent.
 *   - The word that has the epoch is marked while a kernel is at work: who finds the mark has met
 *     another kernel of the same lane.
 *
 * A kernel waits as long as it takes.  It ends without results where that is in vain
 * (stream_failures.cuh).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_CUH

#include "kernels/cuda/device_code/stream_failures.cuh"

namespace symm {

/* ---- a block's turn -------------------------------------------------------------------------- */

/* A thread's place in the kernel. */
struct place {
    uint32_t block, thread, threads;
};

/* The slot and the flag of packets in a turn. */
struct turn {
    uint32_t slot, flag;
};

SYMM_DEVICE turn turn_of(const symm_cuda_stream &arguments, uint32_t epoch)
{
    return {epoch % SYMM_STREAM_SLOTS,
            epoch << 12 | (arguments.call & 0xfff)};
}

SYMM_DEVICE uint32_t epoch_behind(uint32_t epoch)
{
    const uint32_t again = SYMM_STREAM_EPOCH_AGAIN;
    return epoch == SYMM_STREAM_EPOCH_LAST ? again : epoch + 1;
}

/* What comes from `source` in this block's turn, in a lane. */
SYMM_DEVICE unsigned char *packets_of(const symm_cuda_stream &arguments, symm_stream_memory *lane,
                                      const place &at, const turn &now, uint32_t source)
{
    return lane->packets[now.slot][at.block] + source * arguments.row;
}

/* Tell all peers that this block's turn has begun. */
SYMM_DEVICE void hellos_store(const symm_cuda_stream &arguments, const place &at, uint32_t number)
{
    if (at.thread < arguments.ranks && at.thread != arguments.rank) {
        lane_store(&arguments.lanes[at.thread]->hellos[at.block][arguments.rank], number);
    }
}

/* Wait until those that this rank sends to have begun the turn before. */
SYMM_DEVICE void hellos_await(const symm_cuda_stream &arguments, const place &at, uint32_t number,
                              uint32_t &why)
{
    const uint32_t *hellos = arguments.own->hellos[at.block];
    uint32_t looks = 0;
#pragma unroll 1
    for (uint32_t rank = 0; rank < arguments.ranks; rank++) {
        if ((arguments.targets >> rank & 1) == 0) {
            continue;
        }
        while (static_cast<int32_t>(lane_load(&hellos[rank]) - number) < 0) {
            if (waits_in_vain(arguments, 1u << rank, looks, why)) {
                return;
            }
        }
    }
}

/* Whether an epoch's packets have to go before it comes again. */
SYMM_DEVICE bool is_wiped(uint32_t epoch)
{
    return epoch >= SYMM_STREAM_EPOCH_LAST - 1;
}

SYMM_DEVICE void slot_wipe(const symm_cuda_stream &arguments, const place &at, const turn &now)
{
    unsigned char *packets = packets_of(arguments, arguments.own, at, now, 0);
    for (uint32_t i = at.thread * 8; i < SYMM_STREAM_REGION; i += at.threads * 8) {
        word_set(reinterpret_cast<uint64_t *>(packets + i), 0);
    }
}

/* ---- the frame ------------------------------------------------------------------------------- */

/* What a block knows of its turn, all threads alike but for `word` and `found`. */
struct frame {
    uint32_t word;   /* of the block's state, as loaded */
    uint32_t found;  /* by the thread that marks it; looked at in the end, since it takes long */
    uint32_t number; /* of this turn */
    uint32_t pushed; /* epoch of the last piece */
    uint32_t epoch;
    uint64_t calls;
};

/* All that has to be known before anything is sent.  Sets `why` if the lane cannot be used. */
SYMM_DEVICE frame frame_begin(const symm_cuda_stream &arguments, const place &at, uint32_t &why)
{
    symm_stream_memory *lane = arguments.own;
    const four_words state = own_load(&lane->blocks[at.block]), own = own_load(&lane->own);
    const uint32_t unmarked = state.x & ~SYMM_STREAM_BUSY; /* the mark may be that of this block */
    frame begun = {unmarked, unmarked, state.y + 1, state.z, (state.x & SYMM_STREAM_EPOCH_LAST) + 1,
                   static_cast<uint64_t>(own.w) << 32 | own.z};
    if (rarely((own.x | own.y) != 0)) {
        why = own.x | (own.y != 0 ? SYMM_STREAM_TOLD : SYMM_STREAM_SOUND);
        return begun;
    }
    if (at.thread == at.threads - 1) {
        begun.word = state.x; /* with the mark, if there is one */
    }
    if (rarely((state.x & SYMM_STREAM_ROOTED) != 0)) {
        hellos_await(arguments, at, begun.number - 1, why);
    }
    return begun;
}

/* What others are told besides, and the block's mark: behind the first stores, which matter. */
SYMM_DEVICE void frame_tell(const symm_cuda_stream &arguments, const place &at, uint32_t turns,
                            frame &begun)
{
    if (at.thread == at.threads - 1) {
        begun.found = word_or(&arguments.own->blocks[at.block].word, SYMM_STREAM_BUSY);
    }
#pragma unroll 1
    for (uint32_t rank = at.thread; at.block == 0 && rank < arguments.ranks; rank += at.threads) {
        word_set(&arguments.lanes[rank]->calls[arguments.rank],
                 (begun.calls + 1) << SYMM_STREAM_CALL_BITS | arguments.call);
    }
    /* A turn of the last epoch counts as rooted, so that no hello is older than a lap. */
    if (rarely(arguments.is_rooted != 0 || begun.epoch + turns > SYMM_STREAM_EPOCH_LAST)) {
        hellos_store(arguments, at, begun.number);
    }
}

/* By one thread, when all have done their parts. */
SYMM_DEVICE void frame_end(const symm_cuda_stream &arguments, const place &at, const frame &begun,
                           uint32_t turns)
{
    symm_stream_memory *lane = arguments.own;
    const uint32_t mark = SYMM_STREAM_ROOTED;
    uint32_t epoch = begun.epoch;
    bool is_rooted = arguments.is_rooted != 0;
    for (uint32_t i = 0; i < turns; i++) {
        is_rooted |= epoch == SYMM_STREAM_EPOCH_LAST;
        epoch = epoch_behind(epoch);
    }
    own_store_two(&lane->blocks[at.block], (epoch - 1) | (is_rooted ? mark : 0), begun.number);
    if (at.block == 0) {
        calls_count(&lane->own.calls);
    }
}

/* Whether another kernel of the lane has been at work in this block. */
SYMM_DEVICE bool frame_overlaps(const frame &begun)
{
    return begun.found != begun.word || (begun.found & SYMM_STREAM_BUSY) != 0;
}

#ifdef __CUDACC__

/* Barriers around a wipe: all have read, and nobody sends before it is over. */
SYMM_DEVICE void turn_wipe(const symm_cuda_stream &arguments, const place &at, uint32_t epoch)
{
    if (rarely(is_wiped(epoch))) {
        __syncthreads();
        slot_wipe(arguments, at, turn_of(arguments, epoch));
        system_fence();
        __syncthreads();
    }
}

/* The end of a kernel, whose last turn had this epoch. */
SYMM_DEVICE void stream_end(const symm_cuda_stream &arguments, const place &at, const frame &begun,
                            uint32_t turns, uint32_t last, uint32_t why)
{
    if (frame_overlaps(begun)) {
        why |= SYMM_STREAM_OVERLAPPED;
    }
    if (rarely(why != SYMM_STREAM_SOUND)) {
        lane_poison(arguments, why);
    }
    const int is_bad = __syncthreads_or(why != SYMM_STREAM_SOUND);
    turn_wipe(arguments, at, last);
    if (at.thread == 0 && !is_bad) {
        frame_end(arguments, at, begun, turns);
    }
}

template <class Body> SYMM_DEVICE void stream_turn(const symm_cuda_stream &arguments)
{
    const place at = {blockIdx.x, threadIdx.x, blockDim.x};
    const typename Body::early early(arguments, at);
    uint32_t why = SYMM_STREAM_SOUND;
    frame begun = frame_begin(arguments, at, why);
    const turn now = turn_of(arguments, begun.epoch);
    if (why == SYMM_STREAM_SOUND) {
        Body::send(arguments, at, now, early);
        frame_tell(arguments, at, 1, begun);
        Body::receive(arguments, at, now, early, why);
    }
    stream_end(arguments, at, begun, 1, begun.epoch, why);
}

template <class Body> SYMM_DEVICE void stream_two_turns(const symm_cuda_stream &arguments)
{
    const place at = {blockIdx.x, threadIdx.x, blockDim.x};
    uint32_t why = SYMM_STREAM_SOUND;
    frame begun = frame_begin(arguments, at, why);
    const uint32_t next = epoch_behind(begun.epoch);
    typename Body::result result = {};
    if (why == SYMM_STREAM_SOUND) {
        const turn now = turn_of(arguments, begun.epoch);
        Body::send(arguments, at, now);
        frame_tell(arguments, at, 2, begun);
        Body::reduce(arguments, at, now, result, why);
    }
    turn_wipe(arguments, at, begun.epoch);
    if (why == SYMM_STREAM_SOUND) {
        const turn now = turn_of(arguments, next);
        Body::send_result(arguments, at, now, result);
        Body::receive_result(arguments, at, now, why);
    }
    stream_end(arguments, at, begun, 2, next, why);
}

/*
 * A kernel that has been launched early (programmatic dependent launch) looks at nothing before the
 * one in front of it has ended and all it has stored is there.  Only then it lets the next one be
 * launched early, so there is never more than one ahead.
 */
SYMM_DEVICE void launch_begin()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (gridDim.x <= SYMM_STREAM_EARLY_BLOCKS) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
#endif
}

/* Two blocks to a multiprocessor, so that all of a call are at work on half of a large device. */
#define SYMM_CUDA_STREAM_ENTRY(name, run, ...)                                                     \
    extern "C" __global__ void __launch_bounds__(SYMM_STREAM_THREADS, 2)                           \
        name(const __grid_constant__ symm_cuda_stream arguments)                                   \
    {                                                                                              \
        symm::launch_begin();                                                                      \
        symm::run<__VA_ARGS__>(arguments);                                                         \
    }

#define SYMM_CUDA_STREAM_KERNEL(name, ...) SYMM_CUDA_STREAM_ENTRY(name, stream_turn, __VA_ARGS__)
#define SYMM_CUDA_STREAM_KERNEL_2(name, ...)                                                       \
    SYMM_CUDA_STREAM_ENTRY(name, stream_two_turns, __VA_ARGS__)

#endif /* __CUDACC__ */

} // namespace symm

#ifndef __CUDACC__
#include "kernels/cuda/device_code/stream_host.cuh"
#endif

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_CUH */
