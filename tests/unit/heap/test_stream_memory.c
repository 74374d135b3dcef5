/*
 * test_stream_memory.c - memory of a stream lane (heap/team/stream_lane.h) from its beginning to
 * its end: when it goes back to the heap, and what is left when something fails.  On the stand-in
 * driver.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <stdlib.h>
#include <string.h>

#include "heap/team/stream_lane.h"

enum { BYTES = 64 << 10, DEVICES = 2, SEED = 7 };

/* A rank with its lane, and how many blocks its heaps had before. */
struct part {
    struct fork_rank *self;
    struct symm_process *process;
    struct symm_heap *heap; /* of the device */
    int device;
    size_t host_blocks, device_blocks;
    struct symm_stream_lane lane;
};

static size_t blocks_of(struct symm_heap *heap)
{
    struct symm_heap_stats stats;
    symm_heap_get_stats(heap, &stats);
    return stats.blocks;
}

/* Whether the heaps have so many blocks more than before, each. */
static bool has_more(const struct part *part, size_t more)
{
    return blocks_of(symm_process_heap(part->process)) == part->host_blocks + more &&
           blocks_of(part->heap) == part->device_blocks + more;
}

static void part_begin(struct part *part, struct fork_rank *self)
{
    *part = (struct part){
        .self = self, .process = device_process(self), .device = self->rank % DEVICES,
    };
    FORK_STATUS(self, symm_process_serve(part->process), SYMM_OK);
    part->heap = device_heap(self, part->process, part->device);
    part->host_blocks = blocks_of(symm_process_heap(part->process));
    part->device_blocks = blocks_of(part->heap);
}

static void lane_take(struct part *part)
{
    FORK_STATUS(part->self, symm_stream_lane_take(&part->lane, part->process, part->device,
                                                  part->self->rank, part->self->size, BYTES),
                SYMM_OK);
}

struct note {
    char name[SYMM_NAME_SIZE];
    struct symm_stream_place place;
};

static void lane_reach(struct part *part)
{
    struct note all[FORK_RANKS_MAX], own = {.place = part->lane.place};
    struct fork_rank *self = part->self;
    (void)strcpy(own.name, symm_process_name(part->process));
    fork_rank_exchange(self, &own, sizeof(own), all);
    for (int rank = 0; rank < self->size; rank++) {
        enum symm_status status;
        unsigned polls = 0;
        while ((status = symm_stream_lane_reach(&part->lane, rank, all[rank].name,
                                                &all[rank].place)) == SYMM_PENDING) {
            unit_pause(&polls);
        }
        FORK_STATUS(self, status, SYMM_OK);
    }
}

static void lane_begin(struct part *part, struct fork_rank *self)
{
    part_begin(part, self);
    lane_take(part);
    lane_reach(part);
    fork_rank_barrier(self);
}

/* ---- lives ----------------------------------------------------------------------------------- */

/* Blocks that have been used before are taken again. */
static void blocks_soil(struct part *part)
{
    struct symm_heap *host = symm_process_heap(part->process);
    void *block = device_alloc(part->self, part->heap, BYTES);
    void *shared = device_alloc(part->self, host, sizeof(struct symm_stream_shared));
    /* So that the segments stay when those have gone. */
    (void)device_alloc(part->self, part->heap, BYTES);
    (void)device_alloc(part->self, host, BYTES);
    part->device_blocks++;
    part->host_blocks++;
    device_fill(part->self, part->device, block, BYTES, SEED);
    memset(shared, 0xff, sizeof(struct symm_stream_shared));
    FORK_STATUS(part->self, symm_heap_free(part->heap, block), SYMM_OK);
    FORK_STATUS(part->self, symm_heap_free(host, shared), SYMM_OK);
    lane_take(part);
    FORK_CHECK(part->self, part->lane.memory[part->self->rank] == block);
    FORK_CHECK(part->self, part->lane.shared[part->self->rank] == shared);
}

static void test_memory(struct fork_rank *self, void *unused)
{
    struct part part;
    (void)unused;
    part_begin(&part, self);
    blocks_soil(&part);
    FORK_CHECK(self, has_more(&part, 1));
    void *memory = part.lane.memory[self->rank];
    FORK_CHECK(self, device_is_zero(self, part.device, memory, BYTES));
    FORK_CHECK(self, unit_is_zero(part.lane.shared[self->rank], sizeof(struct symm_stream_shared)));
    device_fill(self, part.device, memory, BYTES, (uint64_t)self->rank);
    lane_reach(&part);
    fork_rank_barrier(self);
    for (int rank = 0; rank < self->size; rank++) {
        FORK_CHECK(self, device_is_filled(self, part.device, part.lane.memory[rank], BYTES,
                                          (uint64_t)rank));
    }
    fork_rank_barrier(self);
    symm_stream_lane_leave(&part.lane);
    FORK_CHECK(self, has_more(&part, 0));
    FORK_CHECK(self, part.lane.memory[0] == NULL && part.lane.peers[0][0] == NULL);
}

/* The ranks depart one after the other, rank 0 as the last. */
static void test_quarantine(struct fork_rank *self, void *unused)
{
    struct part part;
    (void)unused;
    lane_begin(&part, self);
    void *memory = part.lane.memory[self->rank];
    device_fill(self, part.device, memory, BYTES, SEED);
    for (int next = self->size - 1; next >= 0; next--) {
        if (next == self->rank) {
            symm_stream_lane_depart(&part.lane);
        }
        fork_rank_barrier(self);
        /* Rank 0 is what the others wait for, and rank 1 what rank 0 waits for. */
        const bool is_left = next == 0 || (next == 1 && self->rank == 0);
        FORK_CHECK(self, symm_stream_lane_is_left(&part.lane) == is_left);
        FORK_CHECK(self, has_more(&part, 1));
        FORK_CHECK(self, part.lane.memory[self->rank] == memory);
        FORK_CHECK(self, device_is_filled(self, part.device, memory, BYTES, SEED));
        fork_rank_barrier(self);
    }
    symm_stream_lane_leave(&part.lane);
    FORK_CHECK(self, has_more(&part, 0));
}

/* All depart, in any order: none keeps anything, and a next lane begins as the first did. */
static void test_rounds(struct fork_rank *self, void *unused)
{
    struct part part;
    unsigned polls = 0;
    (void)unused;
    part_begin(&part, self);
    for (int round = 0; round < 5; round++) {
        lane_take(&part);
        FORK_CHECK(self, device_is_zero(self, part.device, part.lane.memory[self->rank], BYTES));
        lane_reach(&part);
        fork_rank_barrier(self);
        device_fill(self, part.device, part.lane.memory[(self->rank + 1) % self->size], BYTES, 1);
        symm_stream_lane_depart(&part.lane);
        while (!symm_stream_lane_is_left(&part.lane)) {
            unit_pause(&polls);
        }
        symm_stream_lane_leave(&part.lane);
        FORK_CHECK(self, has_more(&part, 0));
    }
    fork_rank_barrier(self);
}

/* ---- ends that differ ------------------------------------------------------------------------ */

/* Nobody has begun: whoever leaves says nothing to the others, and takes nothing from them. */
static void test_nobody_has_begun(struct fork_rank *self, void *unused)
{
    struct part part;
    (void)unused;
    lane_begin(&part, self);
    for (int next = 0; next < self->size; next++) {
        if (next == self->rank) {
            FORK_CHECK(self, !symm_stream_lane_is_left(&part.lane));
            FORK_CHECK(self, unit_is_zero(part.lane.shared[next],
                                          sizeof(struct symm_stream_shared)));
            FORK_CHECK(self, device_is_zero(self, part.device, part.lane.memory[next], BYTES));
            symm_stream_lane_leave(&part.lane);
            FORK_CHECK(self, has_more(&part, 0));
        }
        fork_rank_barrier(self);
    }
}

/* One that has reached nobody departs from nobody, and can leave. */
static void test_not_reached(struct fork_rank *self, void *unused)
{
    struct part part;
    (void)unused;
    part_begin(&part, self);
    lane_take(&part);
    if (self->rank == 0) {
        symm_stream_lane_depart(&part.lane);
        symm_stream_lane_leave(&part.lane);
        FORK_CHECK(self, has_more(&part, 0));
    }
    fork_rank_barrier(self);
    FORK_CHECK(self, self->rank == 0 || !symm_stream_lane_is_left(&part.lane));
}

/* Rank 1 is ended before it has departed. */
static void one_stays(struct fork_rank *self, void *unused)
{
    struct part part;
    char word = 0;
    (void)unused;
    lane_begin(&part, self);
    void *memory = part.lane.memory[self->rank];
    FORK_CHECK(self, fork_send(self->channel, &word, 1));
    FORK_CHECK(self, fork_receive(self->channel, &word, 1));
    symm_stream_lane_depart(&part.lane);
    for (int i = 0; i < 100; i++) {
        FORK_CHECK(self, !symm_stream_lane_is_left(&part.lane));
    }
    FORK_CHECK(self, has_more(&part, 1));
    device_fill(self, part.device, memory, BYTES, SEED);
    FORK_CHECK(self, device_is_filled(self, part.device, memory, BYTES, SEED));
    symm_process_release(part.process);
}

static void test_lost_peer(void **state)
{
    struct fork_ranks ranks;
    char word = 0;
    (void)state;
    fork_ranks_start(&ranks, 2, one_stays, NULL);
    for (int rank = 0; rank < 2; rank++) {
        assert_true(fork_receive(ranks.channels[rank], &word, 1));
    }
    fork_ranks_kill(&ranks, 1);
    assert_true(fork_send(ranks.channels[0], &word, 1));
    fork_ranks_join(&ranks);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void take_refused(struct part *part, int device, int rank, int size,
                         enum symm_status wanted)
{
    FORK_STATUS(part->self, symm_stream_lane_take(&part->lane, part->process, device, rank, size,
                                                  BYTES), wanted);
    FORK_CHECK(part->self, has_more(part, 0));
}

static void test_arguments(struct fork_rank *self, void *unused)
{
    struct part part;
    (void)unused;
    part_begin(&part, self);
    take_refused(&part, 0, 0, SYMM_STREAM_LANE_RANKS + 1, SYMM_ERR_ARGUMENT);
    take_refused(&part, 0, 0, 0, SYMM_ERR_ARGUMENT);
    take_refused(&part, 0, -1, 2, SYMM_ERR_ARGUMENT);
    take_refused(&part, 0, 2, 2, SYMM_ERR_ARGUMENT);
    take_refused(&part, DEVICES, 0, 2, SYMM_ERR_ARGUMENT);
    lane_take(&part);
    symm_stream_lane_leave(&part.lane);
}

/* The first time a function of the driver fails, nothing is left; the next time all is well. */
static void test_driver_fails(struct fork_rank *self, void *context)
{
    struct part part;
    FORK_CHECK(self, setenv("SYMM_STANDIN_FAIL", context, 1) == 0);
    part_begin(&part, self);
    enum symm_status status = symm_stream_lane_take(&part.lane, part.process, part.device, 0, 2,
                                                    BYTES);
    FORK_CHECK(self, status == SYMM_ERR_NO_MEMORY || status == SYMM_ERR_SYSTEM);
    FORK_CHECK(self, has_more(&part, 0));
    lane_take(&part);
    FORK_CHECK(self, has_more(&part, 1));
    FORK_CHECK(self, device_is_zero(self, part.device, part.lane.memory[0], BYTES));
}

/* There is no room for the block of host memory. */
static void test_host_memory_ends(struct fork_rank *self, void *unused)
{
    struct part part;
    void *block;
    (void)unused;
    part_begin(&part, self);
    for (size_t size = (size_t)1 << 30; size >= 64;) {
        if (symm_heap_alloc(symm_process_heap(part.process), size, 0, &block) != SYMM_OK) {
            size /= 2;
        }
    }
    part.host_blocks = blocks_of(symm_process_heap(part.process));
    take_refused(&part, part.device, 0, 2, SYMM_ERR_NO_MEMORY);
}

UNIT_MAIN("test_stream_memory", 60,
    FORK_TEST_OF(test_memory, 2, 4),
    FORK_TEST_OF(test_quarantine, 2, 4),
    FORK_TEST_OF(test_rounds, 2, 3),
    FORK_TEST(test_nobody_has_begun, 3),
    FORK_TEST(test_not_reached, 2),
    cmocka_unit_test(test_lost_peer),
    FORK_TEST(test_arguments, 1),
    FORK_TEST_WITH(test_driver_fails, 1, (char[]){"cuMemCreate:1,cuMemCreate:2"}),
    FORK_TEST_WITH(test_driver_fails, 1, (char[]){"cuMemsetD8Async:2"}),
    FORK_TEST(test_host_memory_ends, 1))
