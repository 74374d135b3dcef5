/*
 * test_stub_kind.c - a third kind of device memory (stub_kind.h) in heaps, at peers and in teams:
 * what a kind has to have besides the host's and CUDA's is no more than the stub has.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/multicast_ranks.h"
#include "tests/unit/heap/stub_kind.h"

#include <string.h>

#include "heap/directory.h"
#include "heap/gpu/cuda_device.h"
#include "heap/team/pads.h"

enum { MIB = 1 << 20, SEGMENT_SIZE = 2 * STUB_GRANULARITY, BIG = SEGMENT_SIZE + MIB };

static const struct symm_heap_config config = {
    .window_size = (size_t)1 << 30, .segment_size = SEGMENT_SIZE};

static const struct symm_kind *kind_of(int device)
{
    const struct symm_kind *kind = NULL;
    return symm_kind_of_device(device, &kind) == SYMM_OK ? kind : NULL;
}

/* ---- a heap ---------------------------------------------------------------------------------- */

static void *alloc_ok(struct symm_heap *heap, size_t size)
{
    void *block = NULL;
    assert_status(symm_heap_alloc(heap, size, 0, &block), SYMM_OK);
    return block;
}

static struct symm_heap_stats stats_of(struct symm_heap *heap)
{
    struct symm_heap_stats stats;
    symm_heap_get_stats(heap, &stats);
    return stats;
}

static void begin(struct symm_server **server, struct symm_heap **heap)
{
    *server = NULL;
    *heap = NULL;
    assert_status(symm_server_create(server), SYMM_OK);
    assert_status(symm_heap_create(kind_of(0), 1, *server, &config, heap), SYMM_OK);
}

/* All that was made has been given back, but for a mapping that could not be undone. */
static void end(struct symm_server *server, struct symm_heap *heap, int stuck)
{
    symm_heap_destroy(heap, 0);
    symm_server_destroy(server);
    struct stub_counts counts = stub_counts();
    assert_null(counts.misuse);
    assert_int_equal(counts.handles + counts.peers, 0);
    assert_int_equal(counts.owned, stuck);
    assert_int_equal(counts.reservations, stuck);
    assert_false(counts.is_refusing);
}

/* Blocks are zero, in segments of the kind's granularity, and are where the heap says. */
static void test_growth(void **state)
{
    struct symm_server *server;
    struct symm_heap *heap;
    size_t descriptors = unit_open_descriptors();
    (void)state;
    begin(&server, &heap);
    assert_int_equal(symm_heap_device(heap), 0);
    char *blocks[] = {alloc_ok(heap, 1000), alloc_ok(heap, BIG), alloc_ok(heap, SEGMENT_SIZE / 2)};
    struct symm_heap_stats stats = stats_of(heap);
    assert_int_equal(stats.segments, 2);
    assert_int_equal(stats.segment_bytes, SEGMENT_SIZE + SEGMENT_SIZE + STUB_GRANULARITY);
    assert_int_equal(stub_counts().handles, 2);
    assert_int_equal(stub_counts().owned, 2);
    for (size_t i = 0; i < 3; i++) {
        size_t size = i == 1 ? BIG : 1000;
        struct symm_location location;
        assert_true(unit_is_zero(stub_memory(blocks[i], size), size));
        assert_status(symm_heap_locate(heap, blocks[i], size, &location), SYMM_OK);
        assert_int_equal(location.heap, 1);
        assert_ptr_equal(symm_heap_address(heap, location.offset), blocks[i]);
        memset(stub_memory(blocks[i], size), 7, size);
    }
    assert_status(symm_heap_clear(heap, blocks[0] + 10, 100), SYMM_OK);
    assert_true(unit_is_zero(stub_memory(blocks[0] + 10, 100), 100));
    assert_true(unit_is_all(stub_memory(blocks[0] + 110, 100), 100, 7));
    assert_status(symm_heap_free(heap, blocks[1]), SYMM_OK);
    assert_null(stub_memory(blocks[1], 1));
    assert_int_equal(symm_heap_retired(heap), 1);
    assert_true(unit_is_zero(stub_memory(alloc_ok(heap, BIG), BIG), BIG));
    end(server, heap, 0);
    assert_int_equal(unit_open_descriptors(), descriptors);
}

/* A call that fails leaves nothing, and the next one succeeds. */
static void test_failures(void **state)
{
    static const enum stub_call calls[] = {STUB_CREATE, STUB_MAP, STUB_CLEAR, STUB_EXPORT};
    struct symm_server *server;
    struct symm_heap *heap;
    (void)state;
    begin(&server, &heap);
    (void)alloc_ok(heap, 1000);
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        struct symm_heap_stats before = stats_of(heap);
        size_t descriptors = unit_open_descriptors();
        void *block = NULL;
        stub_refuse(calls[i], 1);
        assert_status(symm_heap_alloc(heap, BIG, 0, &block), SYMM_ERR_NO_MEMORY);
        struct symm_heap_stats after = stats_of(heap);
        assert_memory_equal(&before, &after, sizeof(before));
        assert_int_equal(stub_counts().handles, before.segments);
        assert_int_equal(stub_counts().owned, before.segments);
        assert_int_equal(unit_open_descriptors(), descriptors);
        assert_true(unit_is_zero(stub_memory(alloc_ok(heap, BIG), BIG), BIG));
    }
    end(server, heap, 0);
}

/*
 * Where something may still be mapped, nothing is mapped again; its memory is let go of.  The last
 * test, because of what it leaves.
 */
static void test_unmap_fails(void **state)
{
    struct symm_server *server;
    struct symm_heap *heap;
    (void)state;
    begin(&server, &heap);
    char *stuck = alloc_ok(heap, BIG);
    stub_refuse(STUB_UNMAP, 1);
    assert_status(symm_heap_free(heap, stuck), SYMM_OK);
    assert_int_equal(stub_counts().handles, 0);
    char *block = alloc_ok(heap, BIG);
    assert_true(block >= stuck + BIG || block + BIG <= stuck);
    end(server, heap, 1);
}

/* ---- a peer ---------------------------------------------------------------------------------- */

static enum symm_status map_wait(struct symm_peer *peer, const struct symm_location *location)
{
    enum symm_status status;
    unsigned polls = 0;
    while ((status = symm_peer_map(peer, location)) == SYMM_PENDING) {
        unit_pause(&polls);
    }
    return status;
}

/* What a peer needs to know of a block. */
struct note {
    char name[SYMM_NAME_SIZE];
    struct symm_location location;
};

/* It is mapped by another device, through the server, also after a failure. */
static void map_at_peer(struct fork_rank *self, const struct note *there)
{
    static const enum stub_call calls[] = {STUB_RESERVE, STUB_IMPORT, STUB_MAP};
    struct symm_peer *peer = NULL;
    FORK_STATUS(self, symm_peer_create(kind_of(1), NULL, there->name, 1, &peer), SYMM_OK);
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        stub_refuse(calls[i], 1);
        FORK_STATUS(self, map_wait(peer, &there->location), SYMM_ERR_NO_MEMORY);
        FORK_CHECK(self, stub_counts().handles == 0 && stub_counts().peers == 0);
    }
    FORK_STATUS(self, map_wait(peer, &there->location), SYMM_OK);
    const void *here = symm_peer_address(peer, there->location.offset);
    FORK_CHECK(self, stub_counts().handles == 0 && stub_counts().peers == 1);
    FORK_CHECK(self, stub_device(here) == 1);
    FORK_CHECK(self, unit_is_filled(stub_memory(here, BIG), BIG, unit_random_start(1, 0)));
    unit_fill(stub_memory(here, BIG), BIG, unit_random_start(1, 1));
    fork_rank_barrier(self); /* written */
    fork_rank_barrier(self); /* freed there */
    FORK_CHECK(self, unit_is_filled(stub_memory(here, BIG), BIG, unit_random_start(1, 1)));
    symm_peer_refresh(peer);
    FORK_CHECK(self, stub_memory(here, 1) == NULL);
    symm_peer_destroy(peer);
}

static void own(struct fork_rank *self, struct symm_heap *heap, void *block)
{
    fork_rank_barrier(self); /* written */
    FORK_CHECK(self, unit_is_filled(stub_memory(block, BIG), BIG, unit_random_start(1, 1)));
    FORK_STATUS(self, symm_heap_free(heap, block), SYMM_OK);
    fork_rank_barrier(self); /* freed there */
}

static void test_peer(struct fork_rank *self, void *context)
{
    struct symm_server *server = NULL;
    struct symm_heap *heap = NULL;
    struct note mine = {.name = ""}, all[FORK_RANKS_MAX];
    void *block = NULL;
    (void)context;
    FORK_STATUS(self, symm_server_create(&server), SYMM_OK);
    FORK_STATUS(self, symm_server_start_thread(server), SYMM_OK);
    if (self->rank == 0) {
        FORK_STATUS(self, symm_heap_create(kind_of(0), 1, server, &config, &heap), SYMM_OK);
        FORK_STATUS(self, symm_heap_alloc(heap, BIG, 0, &block), SYMM_OK);
        FORK_STATUS(self, symm_heap_locate(heap, block, BIG, &mine.location), SYMM_OK);
        unit_fill(stub_memory(block, BIG), BIG, unit_random_start(1, 0));
        (void)strcpy(mine.name, symm_server_name(server));
    }
    fork_rank_exchange(self, &mine, sizeof(mine), all);
    if (self->rank == 0) {
        own(self, heap, block);
    } else {
        map_at_peer(self, &all[0]);
    }
    symm_heap_destroy(heap, 0);
    symm_server_destroy(server);
    struct stub_counts counts = stub_counts();
    FORK_CHECK(self, counts.misuse == NULL && !counts.is_refusing);
    FORK_CHECK(self, counts.handles + counts.owned + counts.peers + counts.reservations == 0);
}

/* ---- a team ---------------------------------------------------------------------------------- */

/* A process keeps its windows until it ends, for the sake of a program that has pointers there. */
static void process_end(struct fork_rank *self, struct symm_process *process)
{
    fork_rank_barrier(self);
    symm_process_release(process);
    struct stub_counts counts = stub_counts();
    FORK_CHECK(self, counts.misuse == NULL && !counts.is_refusing);
    FORK_CHECK(self, counts.handles == 0 && counts.peers == 0);
}

static void peers_come_to(struct fork_rank *self, int wanted)
{
    double end = unit_seconds() + 30;
    unsigned polls = 0;
    while (stub_counts().peers != wanted) {
        FORK_CHECK(self, unit_seconds() < end);
        unit_pause(&polls);
    }
}

/* Rank 2 has host memory, the others that of either device; each rank writes to all others. */
static void use(struct fork_rank *self, struct symm_team *team, const struct symm_location *all)
{
    char text[SYMM_DEVICE_TEXT_SIZE] = "";
    for (int rank = 0; rank < self->size; rank++) {
        char *there = fork_team_reach(self, team, rank, &all[rank]);
        char *view = rank == 2 ? there : stub_memory(there, BIG);
        FORK_CHECK(self, view != NULL);
        view[self->rank] = (char)(1 + self->rank);
    }
    fork_rank_barrier(self);
    for (int rank = 0; rank < self->size; rank++) {
        const char *there = symm_team_address(team, rank, &all[rank]);
        const char *view = rank == 2 ? there : stub_memory(there, BIG);
        FORK_CHECK(self, memcmp(view, "\1\2\3", 3) == 0 && unit_is_zero(view + 3, BIG - 3));
    }
    symm_team_describe_device(team, 1 - self->rank % 2, &all[1 - self->rank % 2], text,
                              sizeof(text));
    FORK_CHECK(self, strstr(text, self->rank % 2 == 0 ? "STUB-1" : "STUB-0") != NULL);
}

static void test_team(struct fork_rank *self, void *context)
{
    struct symm_process *process = fork_team_process(self);
    struct symm_location mine, all[FORK_RANKS_MAX];
    void *block = NULL;
    (void)context;
    struct symm_team *team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, 1000, 65536), SYMM_OK);
    for (int round = 0; round < 3; round++) {
        if (self->rank == 2) {
            FORK_STATUS(self, symm_heap_alloc(symm_process_heap(process), BIG, 0, &block), SYMM_OK);
        } else { /* it tries again when peers have let go of what they may have mapped */
            stub_refuse(STUB_CREATE, 1);
            FORK_STATUS(self, symm_process_device_alloc(process, self->rank, BIG, 0, &block),
                        SYMM_OK);
        }
        FORK_STATUS(self, symm_process_locate(process, block, BIG, &mine), SYMM_OK);
        FORK_CHECK(self, mine.heap == (self->rank == 2 ? 0 : 1));
        fork_rank_exchange(self, &mine, sizeof(mine), all);
        use(self, team, all);
        FORK_CHECK(self, stub_counts().peers == (self->rank == 2 ? 2 : 1));
        fork_rank_barrier(self);
        FORK_STATUS(self, symm_heap_free(symm_process_heap_at(process, mine.heap), block), SYMM_OK);
        peers_come_to(self, 0); /* the server's thread is told */
        fork_rank_barrier(self);
    }
    symm_team_destroy(team);
    process_end(self, process);
}

/* A kind without multicast: the ranks find it out together, and go on. */
static void test_no_multicast(struct fork_rank *self, void *context)
{
    struct symm_process *process = fork_team_process(self);
    struct symm_heap *heap = NULL;
    struct multicast_rank rank;
    struct multicast_block block;
    (void)context;
    FORK_STATUS(self, symm_process_device_heap(process, self->rank, &heap), SYMM_OK);
    multicast_begin(&rank, self, process, heap);
    multicast_block_make(&rank, &block, BIG);
    FORK_CHECK(self, symm_team_multicast_fits(rank.team, block.all));
    struct multicast_outcome outcome = multicast_set_up(&rank, &block);
    FORK_CHECK(self, !outcome.ready && outcome.status == SYMM_ERR_NOT_FOUND);
    FORK_CHECK(self,
               symm_team_multicast_state(rank.team, block.all) == SYMM_MULTICAST_REFUSED);
    multicast_block_free(&rank, &block);
    symm_team_destroy(rank.team);
    process_end(self, process);
}

/* Pads and their kin are blocks like others; there is no device beyond the last one. */
static void test_pad(struct fork_rank *self, void *context)
{
    struct symm_process *process = fork_team_process(self);
    struct symm_pad pad = {.heap = NULL}, none = {.heap = NULL};
    (void)context;
    FORK_CHECK(self, symm_pad_offer(&pad, process, 1, 2, 64, 8, 64 * MIB));
    FORK_CHECK(self, pad.identity == symm_cuda_device_identity(1));
    memset(stub_memory(pad.memory, pad.size), 7, pad.size);
    FORK_CHECK(self, symm_pad_offer(&pad, process, 1, 2, 64, 8 + (UINT64_C(1) << 31), 64 * MIB));
    FORK_CHECK(self, unit_is_zero(stub_memory(pad.memory, pad.size), pad.size));
    FORK_CHECK(self, !symm_pad_offer(&none, process, STUB_DEVICES, 2, 64, 8, 64 * MIB));
    symm_pad_free(&pad);
    process_end(self, process);
}

UNIT_MAIN("test_stub_kind", 150,
    cmocka_unit_test(test_growth),
    cmocka_unit_test(test_failures),
    FORK_TEST(test_peer, 2),
    FORK_TEST(test_team, 3),
    FORK_TEST(test_no_multicast, 2),
    FORK_TEST(test_pad, 1),
    cmocka_unit_test(test_unmap_fails))
