/*
 * test_arena.c - the arena of a process: blocks that are cut, left and used again, chunks that
 * grow and are given back, and peers that map them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/fork_team.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "heap/memfd.h"

enum { PAYLOAD = 4096, PIECE = 65536 };

static const struct symm_control_config usual = {.payload_size = PAYLOAD, .piece_size = PIECE};

/* A block that is in use, and its place. */
struct taken {
    struct symm_control control;
    struct symm_control_place place;
    struct symm_arena_block *block;
};

static struct taken take(struct symm_arena *arena, int size,
                         const struct symm_control_config *config)
{
    struct taken taken;
    assert_status(symm_arena_take(arena, size, config, &taken.control, &taken.place, &taken.block),
                  SYMM_OK);
    assert_ptr_equal((unsigned char *)taken.control.header - taken.place.offset,
                     (unsigned char *)taken.control.stages - taken.control.header->stages);
    return taken;
}

static void ranks_leave(struct taken *taken, int ranks, uint64_t last)
{
    for (int rank = 0; rank < ranks; rank++) {
        symm_control_count_out(&taken->control, last);
    }
}

static struct symm_arena_counts counts_of(struct symm_arena *arena)
{
    struct symm_arena_counts counts;
    symm_arena_count(arena, &counts);
    return counts;
}

static void arena_begin(struct symm_server **server, struct symm_arena **arena)
{
    assert_status(symm_server_create(server), SYMM_OK);
    assert_status(symm_arena_create(*server, arena), SYMM_OK);
}

static void arena_end(struct symm_server *server, struct symm_arena *arena)
{
    symm_arena_destroy(arena);
    symm_server_destroy(server);
    assert_int_equal(unit_mappings("symm-control"), 0);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Not before the last rank has left, and then with newer calls. */
static void test_reuse(void **state)
{
    struct symm_server *server;
    struct symm_arena *arena;
    (void)state;
    arena_begin(&server, &arena);
    struct taken first = take(arena, 3, &usual);
    assert_int_equal(first.place.start, symm_control_first_start);
    ranks_leave(&first, 2, first.place.start + 5);
    symm_arena_leave(arena, first.block);
    struct taken second = take(arena, 3, &usual); /* one rank is late */
    assert_true(second.block != first.block);
    assert_true(second.place.serial > first.place.serial);
    ranks_leave(&first, 1, first.place.start + 11);
    struct taken third = take(arena, 3, &usual);
    assert_ptr_equal(third.block, first.block);
    assert_int_equal(third.place.offset, first.place.offset);
    assert_true(third.place.serial > second.place.serial);
    assert_true(third.place.start >= first.place.start + 11);
    assert_int_equal((third.place.start + 1) % SYMM_RING_MOST, 0);
    symm_arena_give(arena, third.block); /* nobody has used it */
    struct taken fourth = take(arena, 3, &usual);
    assert_ptr_equal(fourth.block, first.block);
    symm_arena_abandon(arena, fourth.block);
    struct taken fifth = take(arena, 3, &usual);
    assert_true(fifth.block != first.block && fifth.block != second.block);
    assert_int_equal(counts_of(arena).blocks, 3);
    assert_int_equal(counts_of(arena).abandoned, 1);
    arena_end(server, arena);
}

/* Words and buffers of blocks that are in use do not meet; an extra is there once for a class. */
static void test_classes(void **state)
{
    enum { BLOCKS = 40 };
    static const char *const extras[] = {"one", "two"};
    struct taken taken[BLOCKS];
    struct symm_server *server;
    struct symm_arena *arena;
    (void)state;
    arena_begin(&server, &arena);
    for (int i = 0; i < BLOCKS; i++) {
        struct symm_control_config config = {.payload_size = (size_t)64 << i % 3,
                                             .piece_size = i % 2 == 0 ? 4096 : 16384,
                                             .extra = extras[i % 4 / 2], .extra_size = 4};
        taken[i] = take(arena, 2 + i % 3, &config);
        struct symm_control *control = &taken[i].control;
        assert_string_equal(control->extra, config.extra);
        for (int j = 0; j < i; j++) {
            assert_true(taken[j].control.header != control->header);
            if (i - j == 12 && taken[i].place.chunk == taken[j].place.chunk) { /* one class */
                assert_ptr_equal(taken[j].control.extra, control->extra);
            }
        }
        for (int rank = 0; rank < control->size; rank++) {
            for (uint64_t slot = 0; slot < control->ring; slot++) {
                struct symm_line *line = symm_control_line(control, control->grown + slot, rank);
                memset(line->payload, i, control->payload_size);
            }
        }
        memset(control->stages, i, control->stages_size);
    }
    for (int i = 0; i < BLOCKS; i++) {
        struct symm_control *control = &taken[i].control;
        for (int rank = 0; rank < control->size; rank++) {
            for (uint64_t slot = 0; slot < control->ring; slot++) {
                assert_int_equal(
                    symm_control_line(control, control->grown + slot, rank)->payload[1], i);
            }
        }
        assert_int_equal(control->stages[0], i);
        assert_int_equal(control->stages[control->stages_size - 1], i);
        assert_string_equal(control->extra, extras[i % 4 / 2]);
    }
    arena_end(server, arena);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static void test_chunks(void **state)
{
    enum { BLOCKS = 300 };
    static struct taken taken[BLOCKS];
    struct symm_server *server;
    struct symm_arena *arena;
    (void)state;
    arena_begin(&server, &arena);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            taken[i] = take(arena, 2 + round % 2, &usual);
            memset(taken[i].control.lines, 1, taken[i].control.ring * taken[i].control.line_stride);
        }
        struct symm_arena_counts counts = counts_of(arena);
        assert_in_range(counts.chunks, 2, 12);
        assert_int_equal(unit_mappings("symm-control"), counts.chunks);
        for (int i = 0; i < BLOCKS; i++) {
            ranks_leave(&taken[i], 2 + round % 2, taken[i].place.start);
            symm_arena_leave(arena, taken[i].block);
        }
        struct symm_arena_counts after = counts_of(arena);
        assert_int_equal(after.chunks, counts.chunks);
        assert_true(after.given_back > 0);
        assert_int_equal(after.free, after.blocks);
        assert_in_range(after.blocks, 1, SYMM_ARENA_MOST / (8 * PIECE)); /* those of one chunk */
    }
    /* One chunk at the most has kept its pages; what has been given back reads as zero. */
    struct taken fresh = take(arena, 5, &usual);
    assert_true(unit_is_zero(fresh.control.lines, fresh.control.ring * fresh.control.line_stride));
    assert_true(unit_is_zero(fresh.control.phases, sizeof(struct symm_word)));
    arena_end(server, arena);
}

/* Made and freed in a loop, it is the same block, and nothing is given back. */
static void test_loop(void **state)
{
    struct symm_server *server;
    struct symm_arena *arena;
    uint64_t serial = 0;
    (void)state;
    arena_begin(&server, &arena);
    for (int i = 0; i < 10000; i++) {
        struct taken taken = take(arena, 2, &usual);
        assert_true(taken.place.serial > serial);
        serial = taken.place.serial;
        ranks_leave(&taken, 2, taken.place.start + 1);
        symm_arena_leave(arena, taken.block);
    }
    assert_int_equal(counts_of(arena).blocks, 1);
    assert_int_equal(counts_of(arena).chunks, 1);
    assert_int_equal(counts_of(arena).given_back, 0);
    arena_end(server, arena);
}

/* Where the usual chunk does not fit, one of the size that is needed is made; or none. */
static void test_no_memory(struct fork_rank *self, void *context)
{
    struct symm_server *server;
    struct symm_arena *arena;
    struct taken taken;
    (void)context;
    FORK_STATUS(self, symm_server_create(&server), SYMM_OK);
    FORK_STATUS(self, symm_arena_create(server, &arena), SYMM_OK);
    const struct rlimit limit = {.rlim_cur = 3 << 20, .rlim_max = 3 << 20};
    FORK_CHECK(self, setrlimit(RLIMIT_FSIZE, &limit) == 0);
    const struct symm_control_config config = {.payload_size = 64, .piece_size = 256 << 10};
    size_t blocks = 0;
    while (blocks < 6) {
        FORK_STATUS(self, symm_arena_take(arena, 2, &config, &taken.control, &taken.place,
                                          &taken.block), SYMM_OK);
        blocks++;
    }
    struct symm_arena_counts counts;
    symm_arena_count(arena, &counts);
    FORK_CHECK(self, counts.chunks == 6 && counts.bytes < 6 * (3 << 20));
    FORK_STATUS(self, symm_arena_take(arena, 3, &config, &taken.control, &taken.place,
                                      &taken.block), SYMM_ERR_NO_MEMORY);
    const struct symm_control_config huge = {.payload_size = 64, .piece_size = (size_t)1 << 50};
    FORK_STATUS(self, symm_arena_take(arena, 3, &huge, &taken.control, &taken.place,
                                      &taken.block), SYMM_ERR_NO_MEMORY);
    FORK_STATUS(self, symm_arena_take(arena, 2, &config, &taken.control, &taken.place,
                                      &taken.block), SYMM_OK);
    symm_arena_destroy(arena);
    symm_server_destroy(server);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static void rank_0_tells(struct fork_rank *self, uint64_t *word)
{
    uint64_t all[FORK_RANKS_MAX];
    fork_rank_exchange(self, word, sizeof(*word), all);
    *word = all[0];
}

/*
 * Teams one after another, of which each rank leaves at a moment of its own.  Each team's memory
 * says nothing of the others', and no rank sees the next team's words in the one that it is still
 * in.
 */
static void test_late_leavers(struct fork_rank *self, void *context)
{
    enum { TEAMS = 200, KEPT = 5 };
    struct symm_team *kept[KEPT] = {NULL};
    struct unit_random random = unit_random_start(6, (uint64_t)self->rank);
    struct symm_process *process = fork_team_process(self);
    (void)context;
    for (uint64_t turn = 1; turn <= TEAMS; turn++) {
        struct symm_team *team = fork_team_create(self, process);
        FORK_STATUS(self, fork_team_set_up(self, team, PAYLOAD, PIECE), SYMM_OK);
        for (uint64_t call = 0; call < turn % 11; call++) {
            uint64_t sequence = ++team->sequence;
            struct symm_line *mine = symm_control_line(&team->control, sequence, self->rank);
            mine->signature = turn;
            symm_line_post(mine, sequence);
            for (int rank = 0; rank < self->size; rank++) {
                struct symm_line *line = symm_control_line(&team->control, sequence, rank);
                for (unsigned polls = 0; !symm_line_is_posted(line, sequence);) {
                    unit_pause(&polls);
                }
                FORK_CHECK(self, line->signature == turn);
            }
            atomic_store(&team->control.finished[self->rank].value, sequence);
        }
        team->control.stages[self->rank * 8] = (unsigned char)turn;
        /* Some teams are kept, by each rank for as long as it likes. */
        size_t place = unit_random_below(&random, KEPT);
        symm_team_destroy(kept[place]);
        kept[place] = team;
        fork_rank_barrier(self);
        for (size_t i = 0; i < KEPT; i++) {
            struct symm_team *old = kept[i];
            FORK_CHECK(self, old == NULL || old->control.header->serial == old->lane.place.serial);
        }
        fork_rank_barrier(self);
    }
    for (size_t i = 0; i < KEPT; i++) {
        symm_team_destroy(kept[i]);
    }
    fork_rank_barrier(self);
    struct symm_team *last = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, last, PAYLOAD, PIECE), SYMM_OK);
    symm_team_destroy(last);
    struct symm_arena_counts counts;
    symm_arena_count(symm_process_arena(process), &counts);
    /* As many as some rank had at a time, however late the others were. */
    FORK_CHECK(self, self->rank != 0 || counts.blocks < TEAMS / 2);
    FORK_CHECK(self, self->rank == 0 || counts.blocks == 0);
    FORK_CHECK(self, unit_mappings("symm-control") <= 8);
    symm_process_release(process);
    FORK_CHECK(self, unit_mappings("symm-control") == 0);
}

/* The owner ends; the others still have the memory, and leave it later. */
static void test_owner_goes_first(struct fork_rank *self, void *context)
{
    struct symm_process *process = fork_team_process(self);
    (void)context;
    struct symm_team *team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, PAYLOAD, PIECE), SYMM_OK);
    struct symm_line *line = symm_control_line(&team->control, 8, self->rank);
    line->payload[0] = (unsigned char)(self->rank + 1);
    fork_rank_barrier(self);
    if (self->rank == 0) {
        symm_team_destroy(team);
        symm_process_release(process);
        fork_rank_barrier(self);
        return;
    }
    fork_rank_barrier(self);
    for (int rank = 0; rank < self->size; rank++) {
        FORK_CHECK(self, symm_control_line(&team->control, 8, rank)->payload[0] == rank + 1);
    }
    symm_team_destroy(team);
    symm_process_release(process);
}

/* A set-up that some rank says no to: the block is free at once.  In doubt it is never used. */
static void test_failed_set_up(struct fork_rank *self, void *context)
{
    struct symm_process *process = fork_team_process(self);
    struct symm_arena_counts counts;
    (void)context;
    for (int turn = 0; turn < 20; turn++) {
        uint64_t serial = 0;
        struct symm_control_place all[FORK_RANKS_MAX], mine = {.serial = 0};
        struct symm_team *team = fork_team_create(self, process);
        if (self->rank == 0) {
            FORK_STATUS(self, symm_team_take(team, &usual), SYMM_OK);
            mine = team->lane.place;
            serial = mine.serial;
        }
        rank_0_tells(self, &serial);
        fork_rank_exchange(self, &mine, sizeof(mine), all);
        FORK_CHECK(self, all[0].serial == serial);
        symm_team_settle(team, turn % 4 == 3 ? SYMM_LANE_DOUBT : SYMM_LANE_NOT);
        FORK_CHECK(self, team->control.header == NULL);
        symm_team_destroy(team);
    }
    symm_arena_count(symm_process_arena(process), &counts);
    FORK_CHECK(self, self->rank != 0 || (counts.abandoned == 5 && counts.blocks == 5));
    symm_process_release(process);
}

/* ---- chunks of peers ------------------------------------------------------------------------- */

/* Chunks that are in use stay; of the others those that were used last. */
static void test_idle_mappings(void **state)
{
    enum { CHUNKS = SYMM_ARENA_IDLE + 10, USED = 5 };
    struct symm_arena_mapping *mappings[CHUNKS], *same;
    struct symm_arena_peers peers;
    struct symm_object object = {.size = 4096};
    (void)state;
    symm_arena_peers_begin(&peers);
    for (uint32_t i = 0; i < CHUNKS; i++) {
        assert_status(symm_memfd_create("symm-control", 4096, &object.descriptor), SYMM_OK);
        assert_status(symm_arena_peers_add(&peers, i % 2 == 0 ? "a" : "b", i, &object,
                                           &mappings[i]), SYMM_OK);
        assert_status(symm_arena_peers_add(&peers, i % 2 == 0 ? "a" : "b", i, &object, &same),
                      SYMM_OK);
        assert_ptr_equal(same, mappings[i]);
        symm_arena_peers_put(&peers, same);
        (void)close(object.descriptor);
    }
    assert_int_equal(unit_mappings("symm-control"), CHUNKS);
    for (uint32_t i = USED; i < CHUNKS; i++) {
        symm_arena_peers_put(&peers, mappings[i]);
    }
    assert_int_equal(unit_mappings("symm-control"), SYMM_ARENA_IDLE + USED);
    assert_null(symm_arena_peers_get(&peers, "b", USED)); /* the first that became idle */
    assert_null(symm_arena_peers_get(&peers, "b", CHUNKS - 2)); /* another owner's */
    same = symm_arena_peers_get(&peers, "a", CHUNKS - 2);
    assert_ptr_equal(same, mappings[CHUNKS - 2]);
    symm_arena_peers_put(&peers, same);
    assert_int_equal(unit_mappings("symm-control"), SYMM_ARENA_IDLE + USED);
    object.size = 8192; /* the descriptor is of less */
    assert_status(symm_memfd_create("symm-control", 4096, &object.descriptor), SYMM_OK);
    assert_status(symm_arena_peers_add(&peers, "c", 1, &object, &same), SYMM_ERR_PROTOCOL);
    (void)close(object.descriptor);
    symm_arena_peers_end(&peers);
    assert_int_equal(unit_mappings("symm-control"), 0);
}

UNIT_MAIN("test_arena", 120,
    cmocka_unit_test(test_reuse),
    cmocka_unit_test(test_classes),
    cmocka_unit_test(test_chunks),
    cmocka_unit_test(test_loop),
    FORK_TEST(test_no_memory, 1),
    FORK_TEST_OF(test_late_leavers, 2, 4),
    FORK_TEST(test_owner_goes_first, 3),
    FORK_TEST(test_failed_set_up, 2),
    cmocka_unit_test(test_idle_mappings))
