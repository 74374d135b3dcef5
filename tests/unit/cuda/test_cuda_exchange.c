/*
 * test_cuda_exchange.c - exchanges through scratch: in one piece and in several, with a device for
 * each rank and with a shared one, in place and not, with a rank that comes late, launches that
 * fail, runs that are given up.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/block.h"
#include "tests/unit/harness/cuda_ranks.h"

#include <string.h>

enum {
    GUARD = 48,
    LATE = 4, /* ms, longer than a kernel waits */
    TOO_LATE = 200, /* longer than all kernels wait, one after the other */
};

static unsigned char inputs[CUDA_RANKS_MOST][CUDA_BUFFER], before[CUDA_BUFFER],
    wanted[CUDA_BUFFER], got[CUDA_BUFFER];

struct call {
    size_t block;        /* bytes of the largest block */
    bool uneven;         /* blocks have all lengths up to that, alike for a pair in both ways */
    bool in_place;
    bool shared;
    size_t scratch_size;
};

/* Bytes between two ranks. */
static size_t bytes_of(const struct call *call, int a, int b)
{
    return call->uneven ? call->block * (size_t)((a + b) % 4) / 3 : call->block;
}

static size_t begin_of(const struct call *call, int rank)
{
    return GUARD + (size_t)rank * (call->block + (call->uneven ? 3 : 0));
}

static unsigned char *output_of(struct cuda_ranks *ranks, const struct call *call, int rank)
{
    return call->in_place ? ranks->ranks[rank].input : ranks->ranks[rank].output;
}

static void buffers_fill(struct cuda_ranks *ranks)
{
    unit_fill(before, CUDA_BUFFER, unit_random_start(91, 2 * ranks->sequence));
    for (int rank = 0; rank < ranks->size; rank++) {
        unit_fill(inputs[rank], CUDA_BUFFER,
                  unit_random_start(92, 16 * ranks->sequence + (uint64_t)rank));
        cuda_ranks_put(ranks, rank, ranks->ranks[rank].output, before, CUDA_BUFFER);
        cuda_ranks_put(ranks, rank, ranks->ranks[rank].input, inputs[rank], CUDA_BUFFER);
    }
}

/* Each rank has the others' blocks, and everything else is as it was. */
static void buffers_check(struct cuda_ranks *ranks, const struct call *call)
{
    for (int rank = 0; rank < ranks->size; rank++) {
        memcpy(wanted, call->in_place ? inputs[rank] : before, CUDA_BUFFER);
        for (int source = 0; source < ranks->size; source++) {
            memcpy(wanted + begin_of(call, source), inputs[source] + begin_of(call, rank),
                   bytes_of(call, source, rank));
        }
        cuda_ranks_get(ranks, rank, output_of(ranks, call, rank), got, CUDA_BUFFER);
        FORK_CHECK(ranks->self, memcmp(got, wanted, CUDA_BUFFER) == 0);
    }
    cuda_ranks_check_heads(ranks);
}

static void blocks_describe(const struct call *call, int size, int rank,
                            struct symm_block blocks[CUDA_RANKS_MOST])
{
    for (int other = 0; other < size; other++) {
        size_t bytes = bytes_of(call, rank, other);
        blocks[other] = (struct symm_block){
            .send_at = begin_of(call, other), .send_bytes = bytes,
            .receive_at = begin_of(call, other), .receive_bytes = bytes,
            .from_bytes = bytes, .to_bytes = bytes,
        };
    }
}

static void exchange_prepare(struct cuda_ranks *ranks, const struct call *call)
{
    static struct symm_block blocks[CUDA_RANKS_MOST][CUDA_RANKS_MOST];
    static struct symm_block *all[CUDA_RANKS_MOST];
    const struct symm_work prototype = {
        .algorithm = SYMM_ALLTOALLV_CUDA_SCRATCH, .largest = call->block, .shared = call->shared,
        .scratch_size = call->scratch_size,
    };
    void *in[CUDA_RANKS_MOST], *out[CUDA_RANKS_MOST];
    for (int rank = 0; rank < ranks->size; rank++) {
        in[rank] = ranks->ranks[rank].input;
        out[rank] = output_of(ranks, call, rank);
        blocks_describe(call, ranks->size, rank, blocks[rank]);
        all[rank] = blocks[rank];
    }
    buffers_fill(ranks);
    ranks->blocks = all;
    cuda_ranks_prepare(ranks, &prototype, in, out);
}

static enum symm_status exchange(struct cuda_ranks *ranks, const void *context)
{
    const struct call *call = context;
    exchange_prepare(ranks, call);
    cuda_ranks_make(ranks);
    if (cuda_ranks_failed(ranks) >= 0) {
        return SYMM_ERR_SYSTEM;
    }
    buffers_check(ranks, call);
    return SYMM_OK;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_sizes(struct cuda_ranks *ranks)
{
    static const size_t blocks[] = {0, 1, 15, 512, 5000, 12001};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
        for (unsigned form = 0; form < 32; form++) {
            ranks->late_ms = (form & 16) != 0 ? LATE : 0;
            const struct call call = {
                .block = blocks[i], .uneven = (form & 1) != 0, .in_place = (form & 2) != 0,
                .shared = (form & 4) != 0,
                .scratch_size = (form & 8) != 0 ? CUDA_SCRATCH_MOST : 8 * 1024,
            };
            FORK_CHECK(ranks->self,
                       unit_leaves_out(i * 32 + form) || exchange(ranks, &call) == SYMM_OK);
        }
    }
}

/* Rank 1 alone, which waits for the others' blocks, is given up: nothing comes to its output. */
static void test_given_up(struct cuda_ranks *ranks)
{
    struct call call = {.block = 9000, .in_place = true, .scratch_size = CUDA_SCRATCH_MOST};
    for (int steps = 1; steps < 8; steps++) {
        exchange_prepare(ranks, &call);
        (void)cuda_ranks_give_up(ranks, 1, steps);
        cuda_ranks_get(ranks, 1, ranks->ranks[1].input, got, CUDA_BUFFER);
        FORK_CHECK(ranks->self, memcmp(got, inputs[1], CUDA_BUFFER) == 0);
        cuda_ranks_clear(ranks);
    }
    call.scratch_size = 0;
    FORK_CHECK(ranks->self, exchange(ranks, &call) == SYMM_OK);
}

/* Of four ranks three are late, and start a second kernel. */
static const struct call whole = {
    .block = 9000, .in_place = true, .scratch_size = CUDA_SCRATCH_MOST,
};
static const struct call pieces = {.block = 9000, .in_place = true, .scratch_size = CUDA_SCRATCH};

UNIT_MAIN("test_cuda_exchange", 120,
    CUDA_TEST_OF(test_sizes, 2, CUDA_RANKS_MOST, NULL),
    CUDA_FAULTS(exchange, &whole, 7, TOO_LATE),
    CUDA_FAULTS(exchange, &pieces, 8, 0),
    CUDA_TEST(test_given_up, 3))
