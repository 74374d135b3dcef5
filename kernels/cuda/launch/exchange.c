/*
 * exchange.c - kernels that exchange through scratch; see kernel.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/cuda/launch/kernel.h"

enum {
    VECTOR = 16,
    BLOCKS = 132, /* multiprocessors of an H100; with 64 two of them take up to a tenth longer */
    SHARE = 4, /* of so many blocks one copies: within a device more bytes move than over a link */
};

_Static_assert(offsetof(struct symm_cuda_few_exchange, turns) ==
                   offsetof(struct symm_cuda_exchange, turns), "the same but for their number");

/* Blocks of `bytes` with a thread for each vector, no more than `most`, and one at least. */
static unsigned blocks_for(uint64_t bytes, unsigned most)
{
    const uint64_t of_block = (uint64_t)SYMM_CUDA_BLOCK_THREADS * VECTOR;
    uint64_t blocks = bytes / of_block + 1;
    return blocks < most ? (unsigned)blocks : most;
}

/*
 * Each block that copies has to have a word.  Where one block is the limit, it does both.  Returns
 * how many there are in all.
 */
static unsigned blocks_share(struct symm_cuda_exchange *exchange, unsigned block_limit)
{
    uint64_t out = 0, in = 0;
    for (uint64_t i = 0; i < exchange->count; i++) {
        const struct symm_cuda_turn *turn = &exchange->turns[i];
        out = turn->bytes > out ? turn->bytes : out;
        in = turn->come_bytes > in ? turn->come_bytes : in;
    }
    unsigned limit = block_limit != 0 ? block_limit : BLOCKS;
    unsigned copiers = limit / SHARE < SYMM_CUDA_EXCHANGE_WORDS ? limit / SHARE
                                                                : SYMM_CUDA_EXCHANGE_WORDS;
    copiers = limit == 1 ? 0 : blocks_for(in, copiers > 0 ? copiers : 1);
    unsigned pushers = blocks_for(out, limit - copiers);
    exchange->pushers = pushers;
    return pushers + copiers;
}

struct symm_kernel *symm_kernel_exchange(struct symm_kernel *kernel,
                                         const struct symm_cuda_turn *turns, int count,
                                         uint64_t patience, unsigned block_limit)
{
    struct symm_cuda_exchange *exchange = &kernel->arguments.exchange;
    if (count < 0 || count > SYMM_CUDA_RANKS_MAX) {
        return symm_kernel_wrong(kernel);
    }
    if (count == 0) {
        return symm_kernel_nothing(kernel);
    }
    *exchange = (struct symm_cuda_exchange){.patience = patience, .count = (uint64_t)count};
    memcpy(exchange->turns, turns, (size_t)count * sizeof(*turns));
    const unsigned blocks = blocks_share(exchange, block_limit);
    /* Few turns are the first ones of many. */
    return symm_kernel_set(kernel,
                           count <= SYMM_CUDA_FEW_TURNS ? SYMM_FUNCTION_FEW_EXCHANGE
                                                        : SYMM_FUNCTION_EXCHANGE,
                           SYMM_KERNEL_FINISH(exchange),
                           (uint64_t)blocks * SYMM_CUDA_BLOCK_THREADS, blocks, 0);
}
