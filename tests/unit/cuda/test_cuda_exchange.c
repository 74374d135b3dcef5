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
#include "tests/unit/harness/device_memory.h"

#include <stdio.h>
#include <stdlib.h>
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

static enum symm_status exchange(struct cuda_ranks *ranks, const struct call *call)
{
    static struct symm_block blocks[CUDA_RANKS_MOST][CUDA_RANKS_MOST];
    const struct symm_run prototype = {
        .algorithm = SYMM_ALLTOALLV_CUDA_SCRATCH, .largest = call->block, .shared = call->shared,
        .scratch_size = call->scratch_size,
    };
    void *in[CUDA_RANKS_MOST], *out[CUDA_RANKS_MOST];
    struct symm_block *all[CUDA_RANKS_MOST];
    for (int rank = 0; rank < ranks->size; rank++) {
        in[rank] = ranks->ranks[rank].input;
        out[rank] = output_of(ranks, call, rank);
        blocks_describe(call, ranks->size, rank, blocks[rank]);
        all[rank] = blocks[rank];
    }
    buffers_fill(ranks);
    ranks->blocks = all;
    cuda_ranks_call(ranks, &prototype, in, out);
    ranks->blocks = NULL;
    if (cuda_ranks_failed(ranks) >= 0) {
        return SYMM_ERR_SYSTEM;
    }
    buffers_check(ranks, call);
    return SYMM_OK;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void run_sizes(struct fork_rank *self, void *context)
{
    static const size_t blocks[] = {0, 1, 15, 512, 5000, 12001};
    struct cuda_ranks ranks = {0};
    int size = *(const int *)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, size));
    for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
        for (unsigned form = 0; form < 32; form++) {
            ranks.late_ms = (form & 16) != 0 ? LATE : 0;
            const struct call call = {
                .block = blocks[i], .uneven = (form & 1) != 0, .in_place = (form & 2) != 0,
                .shared = (form & 4) != 0,
                .scratch_size = (form & 8) != 0 ? CUDA_SCRATCH_MOST : 8 * 1024,
            };
            FORK_CHECK(self, exchange(&ranks, &call) == SYMM_OK);
        }
    }
    cuda_ranks_close(&ranks);
}

/* A kernel of some rank does not start, or fails on its way: the call ends on all ranks. */
static void run_with_fault(struct fork_rank *self, const struct cuda_fault *fault,
                           size_t scratch_size, int late_ms)
{
    const struct call call = {.block = 9000, .in_place = true, .scratch_size = scratch_size};
    struct cuda_ranks ranks = {0};
    char text[100];
    (void)snprintf(text, sizeof(text), "%s:%d", fault->what, fault->use);
    cuda_ranks_begin(self, text);
    device_driver_symbol(self, "symm_standin_watch", &ranks.watch);
    ranks.watch(0);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 4));
    symm_device_use_graphs(false);
    ranks.late_ms = late_ms;
    FORK_CHECK(self, exchange(&ranks, &call) == SYMM_ERR_SYSTEM);
    if (strcmp(fault->what, "kernel") != 0) { /* which a context does not survive */
        for (int rank = 0; rank < ranks.size; rank++) {
            cuda_ranks_clear(&ranks, rank);
        }
        FORK_CHECK(self, exchange(&ranks, &call) == SYMM_OK);
        cuda_ranks_close(&ranks);
    }
}

/* Of four ranks three are late, and start a second kernel. */
static void run_whole_with_fault(struct fork_rank *self, void *context)
{
    run_with_fault(self, context, CUDA_SCRATCH_MOST, TOO_LATE);
}

static void run_pieces_with_fault(struct fork_rank *self, void *context)
{
    run_with_fault(self, context, CUDA_SCRATCH, 0);
}

/* Rank 1 alone, which waits for the others' blocks, is given up: nothing comes to its output. */
static void run_given_up(struct fork_rank *self, void *context)
{
    static const struct symm_ticket none;
    const struct call call = {.block = 9000, .in_place = true};
    struct symm_block blocks[CUDA_RANKS_MOST];
    struct cuda_ranks ranks = {0};
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 3));
    blocks_describe(&call, 3, 1, blocks);
    for (int steps = 1; steps < 8; steps++) {
        void *scratches[CUDA_RANKS_MOST];
        struct cuda_rank *one = &ranks.ranks[1];
        unsigned polls = 0;
        for (int rank = 0; rank < ranks.size; rank++) {
            scratches[rank] = ranks.ranks[rank].scratch;
        }
        buffers_fill(&ranks);
        struct symm_run run = {
            .algorithm = SYMM_ALLTOALLV_CUDA_SCRATCH, .largest = call.block, .blocks = blocks,
            .scratch_size = CUDA_SCRATCH_MOST, .team = &one->team, .device = one->device,
            .sequence = ++ranks.sequence, .input = one->input, .output = one->input,
            .scratches = scratches,
        };
        for (int step = 0; step < steps; step++) {
            FORK_STATUS(self, symm_run_step(&run), SYMM_PENDING);
        }
        while (symm_run_give_up(&run) == SYMM_PENDING) {
            unit_pause(&polls);
        }
        FORK_CHECK(self, run.ticket.sequence == none.sequence);
        FORK_CHECK(self, run.tickets[0].sequence == none.sequence);
        cuda_ranks_get(&ranks, 1, one->input, got, CUDA_BUFFER);
        FORK_CHECK(self, memcmp(got, inputs[1], CUDA_BUFFER) == 0);
        for (int rank = 0; rank < ranks.size; rank++) {
            cuda_ranks_clear(&ranks, rank);
        }
    }
    FORK_CHECK(self, exchange(&ranks, &call) == SYMM_OK);
    cuda_ranks_close(&ranks);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_sizes(void **state)
{
    (void)state;
    for (int size = 2; size <= CUDA_RANKS_MOST; size++) {
        fork_ranks_run(1, run_sizes, &size);
    }
}

static void test_faults(void **state)
{
    static const char *const names[] = {"cuLaunchKernel", "kernel"};
    (void)state;
    cuda_faults_run(names, sizeof(names) / sizeof(*names), 7, run_whole_with_fault);
    cuda_faults_run(names, sizeof(names) / sizeof(*names), 8, run_pieces_with_fault);
}

static void test_given_up(void **state)
{
    (void)state;
    fork_ranks_run(1, run_given_up, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_given_up),
    };
    unit_begin("test_cuda_exchange", 120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
