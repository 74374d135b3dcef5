/*
 * stream_pieces.cuh - pieces of long calls on a stream lane (stream_push.cuh): where they are, and
 * how a block moves them.
 *
 * A piece is what goes from one rank to another in a step of a block.  In the receiver's lane it
 * has a row of whole words, of sixteen bytes.  So a rank whose data lie anywhere fits with one
 * whose data lie at multiples of sixteen, which takes whole words.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_PIECES_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_PIECES_CUH

#include "kernels/cuda/device_code/stream_folds.cuh"

namespace symm {

/* ---- words of sixteen bytes ------------------------------------------------------------------ */

static const uint32_t push_word = sizeof(uint4);

/* Of a lane, whose rows are whole words.  `any`: what does the same with a part of a word. */
struct lane_words {
    typedef lane_words any;

    static SYMM_DEVICE uint4 load(const unsigned char *from, uint32_t)
    {
#ifdef __CUDACC__
        return __ldcg(reinterpret_cast<const uint4 *>(from));
#else
        return *reinterpret_cast<const uint4 *>(from);
#endif
    }

    static SYMM_DEVICE void store(const symm_cuda_stream &, unsigned char *to, uint32_t,
                                  const uint4 &word)
    {
        *reinterpret_cast<uint4 *>(to) = word;
    }
};

/* Of the program; `left` bytes are there, or more.  ANY: at any address, and perhaps not all. */
template <bool ANY> struct user_words;

template <> struct user_words<true> {
    typedef user_words any;

    static SYMM_DEVICE uint4 load(const unsigned char *from, uint32_t left)
    {
        uint4 word;
        uint64_t data[2];
        if (left >= push_word && reinterpret_cast<uint64_t>(from) % 4 == 0) {
            const uint32_t *parts = reinterpret_cast<const uint32_t *>(from);
            word.x = parts[0];
            word.y = parts[1];
            word.z = parts[2];
            word.w = parts[3];
            return word;
        }
        unit_load<true, 2>(from, left, data);
        memcpy(&word, data, sizeof(word));
        return word;
    }

    static SYMM_DEVICE void store(const symm_cuda_stream &, unsigned char *to, uint32_t left,
                                  const uint4 &word)
    {
        uint64_t data[2];
        if (left >= push_word && reinterpret_cast<uint64_t>(to) % 4 == 0) {
            uint32_t *parts = reinterpret_cast<uint32_t *>(to);
            parts[0] = word.x;
            parts[1] = word.y;
            parts[2] = word.z;
            parts[3] = word.w;
            return;
        }
        memcpy(data, &word, sizeof(data));
        unit_store<true, 2>(to, left, data);
    }
};

template <> struct user_words<false> : lane_words {
    typedef user_words<true> any;
};

/* What a fold has made of words.  One for all types leaves out what is padding. */
template <class Fold, bool ANY> struct fold_words : user_words<ANY> {
};

template <int PACKETS, bool ANY> struct fold_words<fold_any<PACKETS>, ANY> {
    typedef fold_words any;

    static SYMM_DEVICE void store(const symm_cuda_stream &arguments, unsigned char *to,
                                  uint32_t left, const uint4 &word)
    {
        uint64_t data[2 / PACKETS][PACKETS];
        memcpy(data, &word, sizeof(data));
#pragma unroll
        for (int i = 0; i < 2 / PACKETS; i++) {
            const uint32_t before = i * PACKETS * static_cast<uint32_t>(packet_data);
            if (before < left) {
                fold_any<PACKETS>::store(arguments, to + before, left - before, data[i]);
            }
        }
    }
};

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Of what goes to each rank, or to its slice. */
struct piece {
    uint64_t at;
    uint32_t slot;
};

/* Number `i` of the block. */
SYMM_DEVICE piece piece_of(const symm_cuda_stream &arguments, const place &at, uint32_t i,
                           uint32_t epoch)
{
    return {(static_cast<uint64_t>(i) * arguments.blocks + at.block) * arguments.row,
            epoch % SYMM_STREAM_PIECE_SLOTS};
}

/* Pieces that a block has. */
SYMM_DEVICE uint32_t pieces_of(const symm_cuda_stream &arguments, const place &at)
{
    const uint64_t row = arguments.row, first = at.block * row, step = arguments.blocks * row;
    return static_cast<uint32_t>((arguments.bytes - first + step - 1) / step);
}

/* Bytes of it for a rank. */
SYMM_DEVICE uint32_t piece_length(const symm_cuda_stream &arguments, const piece &one,
                                  uint32_t rank)
{
    const uint64_t before = rank * arguments.input_step + one.at;
    const uint64_t left = arguments.bytes - one.at, row = arguments.row;
    const uint64_t end = before < arguments.total ? arguments.total - before : 0;
    const uint64_t length = left < end ? left : end;
    return static_cast<uint32_t>(length < row ? length : row);
}

/*
 * Where a block has what comes from `source`, in the lane of `owner`, whose own data do not come.
 * Results have the second half, so that they are never where data of another call go.
 */
SYMM_DEVICE unsigned char *row_of(const symm_cuda_stream &arguments, const place &at,
                                  const piece &one, uint32_t owner, uint32_t source,
                                  bool is_result = false)
{
    unsigned char *pieces = reinterpret_cast<unsigned char *>(arguments.lanes[owner] + 1);
    const uint32_t number = source < owner ? source : source - 1;
    const uint64_t region = one.slot * SYMM_STREAM_BLOCKS + at.block;
    return pieces + region * arguments.region + (is_result ? arguments.region / 2 : 0) +
           number * arguments.row;
}

SYMM_DEVICE const unsigned char *input_of(const symm_cuda_stream &arguments, const piece &one,
                                          uint32_t rank)
{
    return static_cast<const unsigned char *>(arguments.input) + rank * arguments.input_step +
           one.at;
}

SYMM_DEVICE unsigned char *output_of(const symm_cuda_stream &arguments, const piece &one,
                                     uint32_t rank)
{
    return static_cast<unsigned char *>(arguments.output) + rank * arguments.output_step + one.at;
}

/* ---- moving ---------------------------------------------------------------------------------- */

struct way {
    const unsigned char *from;
    unsigned char *to;
    uint32_t length; /* 0: there is nothing to move */
};

/* Words of LANES ways side by side, WORDS of each; without ANY whole ones. */
template <class From, class To, bool ANY, int WORDS, int LANES>
SYMM_DEVICE void ways_move(const symm_cuda_stream &arguments, const place &at,
                           const way (&ways)[LANES])
{
    const uint32_t step = at.threads * push_word;
    uint32_t ends[LANES], end = 0;
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        ends[lane] = ANY ? ways[lane].length : ways[lane].length & ~(push_word - 1);
        end = end < ends[lane] ? ends[lane] : end;
    }
#pragma unroll 1
    for (uint32_t first = at.thread * push_word; first < end; first += WORDS * step) {
        uint4 words[LANES][WORDS] = {};
#pragma unroll
        for (int i = 0; i < LANES * WORDS; i++) {
            const uint32_t lane = i / WORDS, before = first + i % WORDS * step;
            if (before < ends[lane]) {
                words[lane][i % WORDS] =
                    From::load(ways[lane].from + before, ends[lane] - before);
            }
        }
#pragma unroll
        for (int i = 0; i < LANES * WORDS; i++) {
            const uint32_t lane = i / WORDS, before = first + i % WORDS * step;
            if (before < ends[lane]) {
                To::store(arguments, ways[lane].to + before, ends[lane] - before,
                          words[lane][i % WORDS]);
            }
        }
    }
}

/* What is behind the last whole word, by one thread. */
template <class From, class To>
SYMM_DEVICE void way_end(const symm_cuda_stream &arguments, const way &one)
{
    const uint32_t end = one.length & ~(push_word - 1), left = one.length - end;
    if (left != 0) {
        To::store(arguments, one.to + end, left, From::load(one.from + end, left));
    }
}

/* Each rank begins with the next one, so that not all send to the same. */
SYMM_DEVICE uint32_t rank_behind(const symm_cuda_stream &arguments, uint32_t i)
{
    const uint32_t rank = arguments.rank + 1 + i;
    return rank < arguments.ranks ? rank : rank - arguments.ranks;
}

/*
 * The ways of all ranks, as way_of(rank) has them.  Between two ranks a thread has several words
 * under way, and among more of them a word of several.
 */
template <class From, class To, bool ANY, class WayOf>
SYMM_DEVICE void all_move(const symm_cuda_stream &arguments, const place &at, const WayOf &way_of)
{
    const int lanes = ANY ? 1 : stream_lanes, words = ANY ? 1 : 4;
    if (ANY || arguments.ranks == 2) {
#pragma unroll 1
        for (uint32_t i = 0; i < arguments.ranks; i++) {
            const way ways[1] = {way_of(rank_behind(arguments, i))};
            ways_move<From, To, ANY, words>(arguments, at, ways);
        }
    } else {
#pragma unroll 1
        for (uint32_t base = 0; base < arguments.ranks; base += lanes) {
            way ways[lanes] = {};
#pragma unroll
            for (int lane = 0; lane < lanes; lane++) {
                if (base + lane < arguments.ranks) {
                    ways[lane] = way_of(rank_behind(arguments, base + lane));
                }
            }
            ways_move<From, To, ANY, 1>(arguments, at, ways);
        }
    }
#pragma unroll 1
    for (uint32_t rank = at.thread; rank < arguments.ranks && !ANY; rank += at.threads) {
        way_end<typename From::any, typename To::any>(arguments, way_of(rank));
    }
}

/* To the lanes of those that get it. */
template <bool ANY>
SYMM_DEVICE void piece_send(const symm_cuda_stream &arguments, const place &at, const piece &one)
{
    all_move<user_words<ANY>, lane_words, ANY>(arguments, at, [&](uint32_t rank) {
        return (arguments.targets >> rank & 1) == 0
                   ? way{}
                   : way{input_of(arguments, one, rank),
                         row_of(arguments, at, one, rank, arguments.rank),
                         piece_length(arguments, one, rank)};
    });
}

/* What has come from `sources`, to where the program has it. */
template <class To, bool ANY>
SYMM_DEVICE void rows_take(const symm_cuda_stream &arguments, const place &at, const piece &one,
                           uint32_t sources, bool is_result)
{
    all_move<lane_words, To, ANY>(arguments, at, [&](uint32_t rank) {
        return (sources >> rank & 1) == 0
                   ? way{}
                   : way{row_of(arguments, at, one, arguments.rank, rank, is_result),
                         output_of(arguments, one, rank), piece_length(arguments, one, rank)};
    });
}

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_STREAM_PIECES_CUH */
