/*
 * test_stream_lane.c - a stream lane: graphs that are launched many times, on some ranks only, and
 * over the last epoch; and what ends a lane.  All of it by packets, and again by pieces.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/stream_ranks.h"

#include "kernels/collective.h"

enum { SUM = 1000, REPLAYS = 200, BYTES = SUM * sizeof(uint64_t) };

static struct symm_stream_call sum_of(const struct stream_ranks *ranks, int rank, size_t count)
{
    const struct stream_rank *own = &ranks->all[rank];
    return (struct symm_stream_call){
        .collective = SYMM_ALLREDUCE, .input = own->output, .output = own->output, .count = count,
        .type = SYMM_CUDA_UINT64, .op = SYMM_CUDA_SUM,
    };
}

static void sum_queue(const struct stream_ranks *ranks, int rank, size_t count)
{
    const struct symm_stream_call call = sum_of(ranks, rank, count);
    stream_ranks_queue(ranks, rank, &call);
}

static void lanes_begin(struct stream_ranks *ranks, struct fork_rank *self, int size,
                        void *packets)
{
    stream_ranks_begin(ranks, self, size, BYTES, SYMM_STREAM_REGION_STEP);
    ranks->limits.packets = *(const uint64_t *)packets;
}

/* ---- replays --------------------------------------------------------------------------------- */

/* Rank 0 makes the calls one by one, rank 1 has one in its graph, and rank 2 has two. */
static void sums_queue(const struct stream_ranks *ranks, int rank)
{
    if (rank == 0) {
        for (int i = 0; i < REPLAYS; i++) {
            sum_queue(ranks, rank, SUM);
        }
        return;
    }
    stream_ranks_capture(ranks, rank);
    for (int i = 0; i < rank; i++) {
        sum_queue(ranks, rank, SUM);
    }
    CUgraphExec exec = stream_ranks_captured(ranks, rank);
    for (int i = 0; i < REPLAYS / rank; i++) {
        stream_ranks_launch(ranks, rank, exec);
    }
}

/* Sums in place: the first is 1 + 2 + 3 times a number, and each further one triples it. */
static void test_replays(struct fork_rank *self, void *packets)
{
    static uint64_t numbers[SUM];
    struct stream_ranks ranks;
    uint64_t factor = 6;
    lanes_begin(&ranks, self, 3, packets);
    stream_ranks_set_epoch(&ranks, SYMM_STREAM_EPOCH_LAST - REPLAYS / 2);
    stream_ranks_set_pushed(&ranks, UINT32_MAX - REPLAYS / 2);
    for (int rank = 0; rank < 3; rank++) {
        for (uint64_t i = 0; i < SUM; i++) {
            numbers[i] = (uint64_t)(rank + 1) * i;
        }
        stream_ranks_put(&ranks, rank, ranks.all[rank].output, numbers, BYTES);
        sums_queue(&ranks, rank);
    }
    for (int i = 1; i < REPLAYS; i++) {
        factor *= 3;
    }
    for (int rank = 0; rank < 3; rank++) {
        stream_ranks_get(&ranks, rank, numbers, ranks.all[rank].output, BYTES);
        for (uint64_t i = 0; i < SUM; i++) {
            FORK_CHECK(self, numbers[i] == factor * i);
        }
        FORK_CHECK(self, stream_ranks_poison(&ranks, rank) == SYMM_STREAM_SOUND);
    }
}

/* ---- early launches -------------------------------------------------------------------------- */

static struct machine {
    const char *name, *value; /* of the stand-in's settings; NULL: as it is */
    unsigned long early;      /* of three calls in a graph, of which one has too many blocks */
} current = {NULL, NULL, 2}, old_device = {"SYMM_STANDIN_CAPABILITY", "8", 0};

/* Small kernels of a graph are launched early, where the device can. */
static void test_early(struct fork_rank *self, void *context)
{
    const struct machine *machine = context;
    static uint64_t by_any = UINT64_MAX;
    struct stream_ranks ranks;
    enum { LARGE = 1 << 20 };
    if (machine->name != NULL) {
        FORK_CHECK(self, setenv(machine->name, machine->value, 1) == 0);
    }
    stream_ranks_begin(&ranks, self, 2, LARGE, SYMM_STREAM_REGION_STEP);
    ranks.limits.packets = by_any;
    for (int rank = 0; rank < 2; rank++) {
        sum_queue(&ranks, rank, SUM); /* by a graph of one kernel, which cannot be */
    }
    FORK_CHECK(self, device_driver_uses(self, "cuLaunchKernelEx") == 0);
    stream_ranks_capture(&ranks, 0);
    sum_queue(&ranks, 0, 1);
    sum_queue(&ranks, 0, SUM);
    sum_queue(&ranks, 0, LARGE / sizeof(uint64_t));
    CUgraphExec exec = stream_ranks_captured(&ranks, 0);
    FORK_CHECK(self, device_driver_uses(self, "cuLaunchKernelEx") == machine->early);
    FORK_CHECK(self, device_driver_uses(self, "cuLaunchKernel") == 3 - machine->early);
    stream_ranks_forget(&ranks, 0, exec);
    stream_ranks_end(&ranks);
}

/* ---- what ends a lane ------------------------------------------------------------------------ */

/* A peer that does not come: the host ends the wait, and later kernels do nothing. */
static void test_abort(struct fork_rank *self, void *packets)
{
    struct stream_ranks ranks;
    lanes_begin(&ranks, self, 2, packets);
    sum_queue(&ranks, 0, SUM);
    sum_queue(&ranks, 1, SUM);
    sum_queue(&ranks, 0, SUM);
    stream_ranks_await(&ranks, 1);
    symm_stream_queue_abort(ranks.all[0].queue, SYMM_STREAM_ABORTED);
    FORK_CHECK(self, stream_ranks_poison(&ranks, 0) == SYMM_STREAM_ABORTED);
    FORK_CHECK(self, stream_ranks_poison(&ranks, 1) == SYMM_STREAM_SOUND);
    sum_queue(&ranks, 0, SUM);
    stream_ranks_end(&ranks);
}

/* Calls with as many packets, but of other elements.  Who finds out first tells the other. */
static void test_mismatch(struct fork_rank *self, void *packets)
{
    struct stream_ranks ranks;
    uint32_t found = SYMM_STREAM_SOUND;
    lanes_begin(&ranks, self, 2, packets);
    sum_queue(&ranks, 0, SUM);
    sum_queue(&ranks, 1, SUM - 1);
    for (int rank = 0; rank < 2; rank++) {
        const uint32_t poison = stream_ranks_poison(&ranks, rank);
        FORK_CHECK(self, poison != SYMM_STREAM_SOUND);
        found |= poison;
    }
    FORK_CHECK(self, (found & ~SYMM_STREAM_TOLD) == SYMM_STREAM_MISMATCHED);
    stream_ranks_end(&ranks);
}

/* The mark of a kernel that is at work, as another stream of the program would leave it. */
static void test_overlap(struct fork_rank *self, void *packets)
{
    struct stream_ranks ranks;
    struct symm_stream_block block;
    lanes_begin(&ranks, self, 2, packets);
    stream_ranks_get(&ranks, 0, &block, &ranks.all[0].lane->blocks[0], sizeof(block));
    block.word |= SYMM_STREAM_BUSY;
    stream_ranks_put(&ranks, 0, &ranks.all[0].lane->blocks[0], &block, sizeof(block));
    sum_queue(&ranks, 0, SUM);
    FORK_CHECK(self, (stream_ranks_poison(&ranks, 0) & SYMM_STREAM_OVERLAPPED) != 0);
    stream_ranks_end(&ranks);
}

static uint64_t by_packets = UINT64_MAX, by_pieces = 0;

UNIT_MAIN("test_stream_lane", 60,
    FORK_TEST_WITH(test_replays, 1, &by_packets),
    FORK_TEST_WITH(test_replays, 1, &by_pieces),
    FORK_TEST_WITH(test_early, 1, &current),
    FORK_TEST_WITH(test_early, 1, &old_device),
    FORK_TEST_WITH(test_abort, 1, &by_packets),
    FORK_TEST_WITH(test_abort, 1, &by_pieces),
    FORK_TEST_WITH(test_mismatch, 1, &by_packets),
    FORK_TEST_WITH(test_mismatch, 1, &by_pieces),
    FORK_TEST_WITH(test_overlap, 1, &by_packets),
    FORK_TEST_WITH(test_overlap, 1, &by_pieces))
