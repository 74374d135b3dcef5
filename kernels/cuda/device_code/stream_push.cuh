/*
 * stream_push.cuh - long calls on a stream lane: pieces of what ranks send to each other go to the
 * receivers' lanes, and a flag tells that they have come.
 *
 *     SYMM_CUDA_STREAM_KERNEL_PUSH(name, body);   body::own, receive, results
 *
 * Block b has the pieces b, b + blocks and so on of what goes from one rank to another.  Each piece
 * has the next epoch, which goes on from call to call, and the slot that follows from it.  A piece
 * is on its way while the one before is waited for:
 *     store piece t to the targets;  tell all that it is there;  copy what stays on this rank;
 *     wait until all have told the same of piece t - 1;  reduce or copy that one
 * In two legs the results of a piece go to all others, as part of the same slot.  The flag of two
 * pieces later tells that they are there, so behind the last piece two flags more are told.
 *
 * All tell all and wait for all, those without data as well.  Who stores piece e has heard from
 * each other rank of e - 2, before which that rank had read e - 4: four slots are enough
 * (docs/design/streams.md).  Nothing of this touches packets or what is counted of them.
 *
 * Stores to peers are plain ones.  The barrier of the block orders them before the fence of the
 * thread that stores the flag.  A flag is loaded with acquire, and threads have a barrier behind it
 * before they read.  What ring.cuh says of mappings and of the first-level cache holds here, too.
 * Whole words are loaded past that cache, which gains nothing by what is read once.
 *
 * On the host the first thread of a block does what all do.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_PUSH_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_PUSH_CUH

#include "kernels/cuda/device_code/stream_pieces.cuh"

namespace symm {

/* ---- bodies ---------------------------------------------------------------------------------- */

template <bool ANY> struct push_copy {
    static const bool any = ANY;

    static SYMM_DEVICE void receive(const symm_cuda_stream &arguments, const place &at,
                                    const piece &one)
    {
        if (arguments.output != NULL) {
            rows_take<user_words<ANY>, ANY>(arguments, at, one,
                                            arguments.sources & ~(1u << arguments.rank), false);
        }
    }

    static SYMM_DEVICE void own(const symm_cuda_stream &arguments, const place &at,
                                const piece &one)
    {
        if (arguments.output != NULL && (arguments.sources >> arguments.rank & 1) != 0) {
            const way ways[1] = {{input_of(arguments, one, arguments.rank),
                                  output_of(arguments, one, arguments.rank),
                                  piece_length(arguments, one, arguments.rank)}};
            ways_move<user_words<ANY>, user_words<ANY>, ANY, ANY ? 1 : 4>(arguments, at, ways);
            if (!ANY && at.thread == 0) {
                way_end<user_words<true>, user_words<true>>(arguments, ways[0]);
            }
        }
    }

    static SYMM_DEVICE void results(const symm_cuda_stream &, const place &, const piece &) {}
};

template <class Fold> struct push_reduce {
    static const bool any = Fold::any;
    static const int units = 2 / Fold::packets; /* of a word */

    static SYMM_DEVICE void own(const symm_cuda_stream &, const place &, const piece &) {}

    template <int LANES, int WORDS>
    static SYMM_DEVICE void add(const symm_cuda_stream &arguments,
                                const uint4 (&come)[LANES][WORDS], uint32_t base,
                                typename Fold::sum (&sums)[WORDS][units])
    {
#pragma unroll
        for (int i = 0; i < LANES * WORDS; i++) {
            const uint32_t rank = base + i / WORDS;
            uint64_t data[units][Fold::packets];
            memcpy(data, &come[i / WORDS][i % WORDS], sizeof(data));
#pragma unroll
            for (int unit = 0; unit < units; unit++) {
                if (LANES == 2 || rank < arguments.ranks) {
                    Fold::add(arguments, data[unit], rank == 0, sums[i % WORDS][unit]);
                }
            }
        }
    }

    /* To the own output, and in two legs to all others. */
    template <class Words, bool MANY>
    static SYMM_DEVICE void end(const symm_cuda_stream &arguments, const place &at,
                                const piece &one, uint32_t before, uint32_t left,
                                const typename Fold::sum (&sums)[units])
    {
        uint64_t data[units][Fold::packets];
        uint4 word;
#ifndef __CUDACC__
        memset(data, 0, sizeof(data)); /* a compiler that does not see that end() stores them */
#endif
#pragma unroll
        for (int unit = 0; unit < units; unit++) {
            Fold::end(arguments, sums[unit], data[unit]);
        }
        memcpy(&word, data, sizeof(word));
        Words::store(arguments, output_of(arguments, one, arguments.rank) + before, left, word);
#pragma unroll 1
        for (uint32_t i = 0; MANY && i + 1 < arguments.ranks && arguments.legs == 2; i++) {
            const uint32_t rank = rank_behind(arguments, i);
            lane_words::store(arguments,
                              row_of(arguments, at, one, rank, arguments.rank, true) + before,
                              left, word);
        }
    }

    /* The words from byte `begin` of the piece on, of all ranks in their order. */
    template <bool ANY, int LANES, int WORDS>
    static SYMM_DEVICE void reduce(const symm_cuda_stream &arguments, const place &at,
                                   const piece &one, uint32_t begin, uint32_t end_at)
    {
        /* What the compiler knows takes no registers. */
        const uint32_t ranks = LANES == 2 ? 2 : arguments.ranks, step = at.threads * push_word;
#pragma unroll 1
        for (uint32_t first = begin + at.thread * push_word; first < end_at;
             first += WORDS * step) {
            typename Fold::sum sums[WORDS][units] = {};
#pragma unroll 1
            for (uint32_t base = 0; base < ranks; base += LANES) {
                uint4 words[LANES][WORDS] = {};
                const unsigned char *from[LANES];
#pragma unroll
                for (int lane = 0; lane < LANES; lane++) {
                    from[lane] = base + lane == arguments.rank
                                     ? input_of(arguments, one, arguments.rank)
                                     : row_of(arguments, at, one, arguments.rank, base + lane);
                }
#pragma unroll
                for (int i = 0; i < LANES * WORDS; i++) {
                    const uint32_t rank = base + i / WORDS, before = first + i % WORDS * step;
                    if (rank < ranks && before < end_at) {
                        words[i / WORDS][i % WORDS] =
                            user_words<ANY>::load(from[i / WORDS] + before, end_at - before);
                    }
                }
                add(arguments, words, base, sums);
            }
#pragma unroll
            for (int i = 0; i < WORDS; i++) {
                const uint32_t before = first + i * step;
                if (before < end_at) {
                    end<fold_words<Fold, ANY>, LANES != 2>(arguments, at, one, before,
                                                           end_at - before, sums[i]);
                }
            }
        }
    }

    static SYMM_DEVICE void receive(const symm_cuda_stream &arguments, const place &at,
                                    const piece &one)
    {
        const uint32_t length = piece_length(arguments, one, arguments.rank);
        const uint32_t whole = length & ~(push_word - 1);
        if (arguments.sources == 0) {
            return;
        }
        if (any) {
            reduce<true, 1, 1>(arguments, at, one, 0, length);
            return;
        }
        if (arguments.ranks == 2) {
            reduce<false, 2, 4>(arguments, at, one, 0, whole);
        } else {
            reduce<false, stream_lanes, 1>(arguments, at, one, 0, whole);
        }
        if (at.thread == 0) {
            reduce<true, 1, 1>(arguments, at, one, whole, length);
        }
    }

    /* Of the others' slices. */
    static SYMM_DEVICE void results(const symm_cuda_stream &arguments, const place &at,
                                    const piece &one)
    {
        rows_take<fold_words<Fold, any>, any>(arguments, at, one,
                                              arguments.sources & ~(1u << arguments.rank), true);
    }
};

/* ---- steps ----------------------------------------------------------------------------------- */

/*
 * A barrier of the block: whether a thread of it is to give up.  On the host it now and then
 * lets other ranks go on, so that tests see who is overtaken.
 */
SYMM_DEVICE bool block_gives_up(uint32_t why)
{
#ifdef __CUDACC__
    return __syncthreads_or(why != SYMM_STREAM_SOUND) != 0;
#else
    symm_cuda_host_dawdle();
    return why != SYMM_STREAM_SOUND;
#endif
}

/* Tell all that what this block sends up to `epoch` is there; a barrier is behind it. */
SYMM_DEVICE void flags_store(const symm_cuda_stream &arguments, const place &at, uint32_t epoch)
{
    for (uint32_t rank = at.thread; rank < arguments.ranks; rank += at.threads) {
        if (rank != arguments.rank) {
            system_fence();
            word_set(&arguments.lanes[rank]->flags[at.block][arguments.rank],
                     static_cast<uint64_t>(epoch) << 32 | arguments.call);
        }
    }
}

/* Whether a flag says `epoch`, or a later one; `last` is the last one of this call. */
SYMM_DEVICE bool flag_has(const symm_cuda_stream &arguments, uint64_t flag, uint32_t epoch,
                          uint32_t last, uint32_t &why)
{
    const uint32_t told = static_cast<uint32_t>(flag >> 32);
    if (static_cast<int32_t>(told - epoch) < 0) {
        return false;
    }
    if (static_cast<int32_t>(told - last) <= 0 && static_cast<uint32_t>(flag) != arguments.call) {
        why |= SYMM_STREAM_MISMATCHED;
    }
    return true;
}

SYMM_DEVICE void flags_await(const symm_cuda_stream &arguments, const place &at, uint32_t epoch,
                             uint32_t last, uint32_t &why)
{
    const uint64_t *flags = arguments.own->flags[at.block];
    uint32_t looks = 0;
    for (uint32_t rank = at.thread; rank < arguments.ranks; rank += at.threads) {
        while (rank != arguments.rank &&
               !flag_has(arguments, word_get(&flags[rank]), epoch, last, why)) {
            if (waits_in_vain(arguments, 1u << rank, looks, why)) {
                return;
            }
        }
    }
}

/* Flags that a block tells in a call. */
SYMM_DEVICE uint32_t flags_of(const symm_cuda_stream &arguments, const place &at)
{
    return pieces_of(arguments, at) + (arguments.legs == 2 ? 2 : 0);
}

/*
 * The steps from `first` to `last` of a block that tells `told` flags behind epoch `pushed`: those
 * from 0 to `told` are a call.  In step t piece t is sent, and piece t - 1 is waited for.
 */
template <class Body>
SYMM_DEVICE void push_steps(const symm_cuda_stream &arguments, const place &at, frame &begun,
                            uint32_t told, uint32_t first, uint32_t last, uint32_t &why)
{
    const uint32_t pieces = pieces_of(arguments, at), pushed = begun.pushed;
#pragma unroll 1
    for (uint32_t step = first; step <= last; step++) {
        const uint32_t epoch = pushed + 1 + step;
        if (step < pieces && why == SYMM_STREAM_SOUND) {
            piece_send<Body::any>(arguments, at, piece_of(arguments, at, step, epoch));
        }
        if (step == 0 && why == SYMM_STREAM_SOUND) {
            frame_tell(arguments, at, 0, begun);
            why |= frame_overlaps(begun) ? SYMM_STREAM_OVERLAPPED : SYMM_STREAM_SOUND;
        }
        if (block_gives_up(why)) {
            return;
        }
        if (step < told) {
            flags_store(arguments, at, epoch);
        }
        /* The fence of a thread that tells takes long: others have something to do meanwhile. */
        if (step < pieces) {
            Body::own(arguments, at, piece_of(arguments, at, step, epoch));
        }
        if (step == 0) {
            continue;
        }
        flags_await(arguments, at, epoch - 1, pushed + told, why);
        if (block_gives_up(why)) {
            return;
        }
        if (step <= pieces) {
            Body::receive(arguments, at, piece_of(arguments, at, step - 1, epoch - 1));
        }
        if (step >= 3 && pieces < told) {
            Body::results(arguments, at, piece_of(arguments, at, step - 3, epoch - 3));
        }
    }
}

/* By one thread.  What is counted of packets stays; it is loaded again, rather than kept. */
SYMM_DEVICE void push_end(const symm_cuda_stream &arguments, const place &at, uint32_t pushed)
{
    symm_stream_memory *lane = arguments.own;
    const four_words state = own_load(&lane->blocks[at.block]);
    own_store(&lane->blocks[at.block], {state.x & ~SYMM_STREAM_BUSY, state.y, pushed, 0});
    if (at.block == 0) {
        calls_count(&lane->own.calls);
    }
}

#ifdef __CUDACC__

template <class Body> SYMM_DEVICE void stream_push(const symm_cuda_stream &arguments)
{
    const place at = {blockIdx.x, threadIdx.x, blockDim.x};
    uint32_t why = SYMM_STREAM_SOUND;
    frame begun = frame_begin(arguments, at, why);
    const uint32_t told = flags_of(arguments, at), pushed = begun.pushed;
    push_steps<Body>(arguments, at, begun, told, 0, told, why);
    if (why != SYMM_STREAM_SOUND) {
        lane_poison(arguments, why);
    }
    const int is_bad = __syncthreads_or(why != SYMM_STREAM_SOUND);
    if (at.thread == 0 && !is_bad) {
        push_end(arguments, at, pushed + told);
    }
}

#else

/* Step by step all blocks, so that ranks wait for each other once in a step. */
template <class Body> void stream_push(const void *memory, unsigned blocks, unsigned threads)
{
    host_stream run(memory, blocks, threads);
    run.begin();
    /* The first block has the most pieces. */
    const uint32_t last = flags_of(run.arguments, place{0, 0, 1});
    for (uint32_t step = 0; step <= last; step++) {
        for (uint32_t block = 0; block < blocks && run.why == SYMM_STREAM_SOUND; block++) {
            const place at = {block, 0, 1};
            const uint32_t told = flags_of(run.arguments, at);
            if (step <= told) {
                push_steps<Body>(run.arguments, at, run.begun[block], told, step, step, run.why);
            }
        }
    }
    for (uint32_t block = 0; block < blocks && run.why == SYMM_STREAM_SOUND; block++) {
        const place at = {block, 0, 1};
        push_end(run.arguments, at, run.begun[block].pushed + flags_of(run.arguments, at));
    }
    if (run.why != SYMM_STREAM_SOUND) {
        lane_poison(run.arguments, run.why);
    }
}

#endif

} // namespace symm

#define SYMM_CUDA_STREAM_KERNEL_PUSH(name, ...)                                                    \
    SYMM_CUDA_STREAM_ENTRY(name, stream_push, __VA_ARGS__)

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_PUSH_CUH */
