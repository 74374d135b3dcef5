/*
 * test_team.c - forked ranks that form teams: set-up, refusal, segments of the ranks, many teams.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/fork_team.h"

#include <string.h>
#include <time.h>

#include "heap/directory.h"

enum { PAYLOAD = 1000, PIECE = 8192 };

static void doze(struct unit_random *random)
{
    const struct timespec moment = {.tv_nsec = (long)unit_random_below(random, 5000000)};
    (void)nanosleep(&moment, NULL);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Everybody writes to everybody's words and reads them back. */
static void check_sharing(struct fork_rank *self, struct symm_team *team, uint64_t salt)
{
    for (int rank = 0; rank < self->size; rank++) {
        struct symm_line *line = symm_control_line(&team->control, salt, self->rank);
        line->payload[rank] = (unsigned char)(salt + (uint64_t)(7 * self->rank + rank));
    }
    fork_rank_barrier(self);
    for (int rank = 0; rank < self->size; rank++) {
        struct symm_line *line = symm_control_line(&team->control, salt, rank);
        FORK_CHECK(self, line->payload[self->rank] ==
                             (unsigned char)(salt + (uint64_t)(7 * rank + self->rank)));
    }
    fork_rank_barrier(self);
}

static void test_set_up(struct fork_rank *self, void *context)
{
    struct unit_random random = unit_random_start(1, (uint64_t)self->rank);
    size_t descriptors = unit_open_descriptors();
    (void)context;
    struct symm_process *process = fork_team_process(self);
    for (uint8_t turn = 0; turn < 3; turn++) {
        struct symm_team *team = fork_team_create(self, process);
        doze(&random);
        FORK_STATUS(self, fork_team_set_up(self, team, PAYLOAD, PIECE), SYMM_OK);
        FORK_CHECK(self, team->rank == self->rank && team->size == self->size);
        FORK_CHECK(self, team->control.size == self->size);
        FORK_CHECK(self, team->control.payload_size >= PAYLOAD);
        FORK_CHECK(self, team->control.piece_size == PIECE);
        void *scratch = symm_scratch_take();
        FORK_CHECK(self, (uintptr_t)scratch % 64 == 0);
        memset(scratch, 1, SYMM_SCRATCH_SIZE);
        symm_scratch_give(scratch);
        check_sharing(self, team, turn);
        symm_team_destroy(team);
    }
    symm_process_release(process);
    FORK_CHECK(self, unit_open_descriptors() == descriptors);
    FORK_CHECK(self, unit_mappings("symm-control") == 0);
}

/* The sizes are those of rank 0, whatever the others think. */
static void test_sizes_of_rank_0(struct fork_rank *self, void *context)
{
    struct symm_process *process = fork_team_process(self);
    size_t piece_size = PIECE * (size_t)(1 + self->rank);
    (void)context;
    struct symm_team *team = fork_team_create(self, process);
    size_t payload_size = PAYLOAD + 100 * (size_t)self->rank;
    FORK_STATUS(self, fork_team_set_up(self, team, payload_size, piece_size), SYMM_OK);
    FORK_CHECK(self, team->control.piece_size == PIECE);
    FORK_CHECK(self, team->control.payload_size < PAYLOAD + 100);
    check_sharing(self, team, 5);
    symm_team_destroy(team);
    symm_process_release(process);
}

/* Rank 0 cannot have its memory: the others hear of it instead of waiting. */
static void test_rank_0_refuses(struct fork_rank *self, void *context)
{
    const size_t too_much = (size_t)1 << 50;
    struct symm_process *process = fork_team_process(self);
    (void)context;
    struct symm_team *team = fork_team_create(self, process);
    enum symm_status status =
        fork_team_set_up(self, team, PAYLOAD, self->rank == 0 ? too_much : PIECE);
    FORK_STATUS(self, status, self->rank == 0 ? SYMM_ERR_NO_MEMORY : SYMM_ERR_NOT_FOUND);
    fork_rank_barrier(self);
    symm_team_destroy(team);
    /* The next team is none the worse for it. */
    team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, PAYLOAD, PIECE), SYMM_OK);
    check_sharing(self, team, 2);
    symm_team_destroy(team);
    symm_process_release(process);
}

/* A place at which there is nothing, or not what it is said to be. */
static void test_wrong_places(struct fork_rank *self, void *context)
{
    struct symm_control_place all[FORK_RANKS_MAX], mine = {.serial = 0};
    struct symm_process *process = fork_team_process(self);
    (void)context;
    struct symm_team *team = fork_team_create(self, process);
    struct symm_team *wrong = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, PAYLOAD, PIECE), SYMM_OK);
    mine = team->lane.place;
    fork_rank_exchange(self, &mine, sizeof(mine), all);
    const struct symm_control_place wrongs[] = {
        {all[0].serial + 1, all[0].start, all[0].offset, all[0].chunk, 0},
        {all[0].serial, all[0].start + 8, all[0].offset, all[0].chunk, 0},
        {all[0].serial, all[0].start, all[0].offset + 64, all[0].chunk, 0},
        {all[0].serial, all[0].start, all[0].offset + PIECE, all[0].chunk, 0},
        {all[0].serial, all[0].start, UINT64_MAX - 4095, all[0].chunk, 0},
        {all[0].serial, all[0].start, (uint64_t)1 << 40, all[0].chunk, 0},
    };
    for (size_t i = 0; i < sizeof(wrongs) / sizeof(*wrongs) && self->rank != 0; i++) {
        FORK_STATUS(self, symm_team_reach(wrong, &wrongs[i]), SYMM_ERR_PROTOCOL);
        FORK_CHECK(self, wrong->control.header == NULL);
        symm_team_settle(wrong, SYMM_LANE_NOT);
    }
    /* A chunk that is not there yet is waited for. */
    const struct symm_control_place later = {.chunk = 1000};
    for (int i = 0; i < 200 && self->rank != 0; i++) {
        unsigned polls = 40;
        FORK_STATUS(self, symm_team_reach(wrong, &later), SYMM_PENDING);
        unit_pause(&polls);
    }
    symm_team_settle(wrong, SYMM_LANE_NOT);
    fork_rank_barrier(self);
    check_sharing(self, team, 3); /* what is there stays */
    symm_team_destroy(wrong);
    symm_team_destroy(team);
    symm_process_release(process);
}

/* Rank 0 dies before it answers. */
static void test_rank_0_dies(struct fork_rank *self, void *context)
{
    const struct symm_control_place place = {.serial = 1, .chunk = 1};
    enum symm_status status;
    unsigned polls = 0;
    struct symm_process *process = fork_team_process(self);
    (void)context;
    struct symm_team *team = fork_team_create(self, process);
    if (self->rank == 0) {
        return; /* and with it the socket, which has taken requests but not answered them */
    }
    while ((status = symm_team_reach(team, &place)) == SYMM_PENDING) {
        unit_pause(&polls);
    }
    FORK_CHECK(self, status == SYMM_ERR_UNREACHABLE || status == SYMM_ERR_PEER_LOST);
    symm_team_destroy(team);
    symm_process_release(process);
}

static void test_wrong_ranks(void **state)
{
    const char *names[] = {"nobody", "nobody"};
    struct symm_process *process = NULL;
    struct symm_team *team = NULL;
    (void)state;
    assert_status(symm_process_acquire(NULL, &process), SYMM_OK);
    for (int rank = -1; rank <= 2; rank += 3) {
        const struct symm_team_config config = {.rank = rank, .size = 2, .names = names};
        assert_status(symm_team_create(process, &config, &team), SYMM_ERR_ARGUMENT);
    }
    const struct symm_team_config empty = {.rank = 0, .size = 0, .names = names};
    assert_status(symm_team_create(process, &empty, &team), SYMM_ERR_ARGUMENT);
    symm_team_destroy(NULL);
    symm_process_release(process);
}

/* ---- segments -------------------------------------------------------------------------------- */

/* A block of every rank, told to all. */
static void *block_share(struct fork_rank *self, struct symm_process *process, size_t size,
                         struct symm_location *all)
{
    void *block = NULL;
    struct symm_location mine;
    struct symm_heap *heap = symm_process_heap(process);
    FORK_STATUS(self, symm_heap_alloc(heap, size, 0, &block), SYMM_OK);
    FORK_STATUS(self, symm_heap_locate(heap, block, size, &mine), SYMM_OK);
    fork_rank_exchange(self, &mine, sizeof(mine), all);
    return block;
}

static void test_segments(struct fork_rank *self, void *context)
{
    struct symm_process *process = fork_team_process(self);
    struct symm_heap *heap = symm_process_heap(process);
    struct symm_location all[FORK_RANKS_MAX];
    (void)context;
    struct symm_team *team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, PAYLOAD, PIECE), SYMM_OK);
    for (uint64_t round = 0; round < 5; round++) {
        size_t size = (size_t)(3 + self->rank) << 20; /* a segment of its own */
        unsigned char *block = block_share(self, process, size, all);
        unit_fill(block, size, unit_random_start(round, (uint64_t)self->rank));
        fork_rank_barrier(self);
        FORK_CHECK(self, fork_team_reach(self, team, self->rank, &all[self->rank]) == block);
        for (int rank = 0; rank < self->size; rank++) {
            size_t bytes = (size_t)(3 + rank) << 20;
            FORK_CHECK(self, unit_is_filled(fork_team_reach(self, team, rank, &all[rank]), bytes,
                                            unit_random_start(round, (uint64_t)rank)));
        }
        FORK_CHECK(self, unit_mappings("symm-segment") == (size_t)self->size);
        fork_rank_barrier(self);
        FORK_STATUS(self, symm_heap_free(heap, block), SYMM_OK);
        fork_rank_barrier(self);
        for (int rank = 0; round % 2 == 0 && rank < self->size; rank++) {
            symm_team_collect(team, rank, 0, (uint32_t)round + 1);
        }
        size_t left = round % 2 == 0 ? 0 : (size_t)self->size - 1;
        FORK_CHECK(self, unit_mappings("symm-segment") == left);
        fork_rank_barrier(self);
    }
    symm_team_destroy(team);
    symm_process_release(process);
}

/* ---- many teams ------------------------------------------------------------------------------ */

/* Teams of one process live side by side and share what it knows of its peers. */
static void test_many_teams(struct fork_rank *self, void *context)
{
    enum { TEAMS = 6 };
    struct symm_team *teams[TEAMS];
    struct symm_location all[FORK_RANKS_MAX];
    struct symm_process *process = fork_team_process(self);
    (void)context;
    unsigned char *block = block_share(self, process, 1000, all);
    *block = (unsigned char)(50 + self->rank);
    fork_rank_barrier(self);
    for (uint8_t i = 0; i < TEAMS; i++) {
        teams[i] = fork_team_create(self, process);
    }
    for (uint8_t i = 0; i < TEAMS; i++) {
        FORK_STATUS(self, fork_team_set_up(self, teams[i], PAYLOAD, PIECE), SYMM_OK);
    }
    for (uint8_t i = 0; i < TEAMS; i++) {
        check_sharing(self, teams[i], i);
        for (int rank = 0; rank < self->size; rank++) {
            const unsigned char *there = fork_team_reach(self, teams[i], rank, &all[rank]);
            FORK_CHECK(self, *there == 50 + rank);
        }
    }
    FORK_CHECK(self, unit_mappings("symm-segment") == (size_t)self->size);
    for (uint8_t i = 0; i < TEAMS; i++) {
        for (int rank = 0; rank < self->size; rank++) { /* until the last of them has gone */
            const unsigned char *there = symm_team_address(teams[i], rank, &all[rank]);
            FORK_CHECK(self, *there == 50 + rank);
        }
        symm_team_destroy(teams[i]);
    }
    FORK_CHECK(self, unit_mappings("symm-segment") == 1);
    fork_rank_barrier(self);
    symm_process_release(process);
    FORK_CHECK(self, *block == 50 + self->rank); /* the program's memory stays */
}

/* ---- the process ----------------------------------------------------------------------------- */

static void test_one_process(void **state)
{
    struct symm_process *first = NULL, *second = NULL;
    struct symm_peer *peers[3] = {NULL, NULL, NULL};
    const struct symm_heap_config wrong = {.window_size = 1}, counts = {.segment_size = 4 << 20};
    char name[SYMM_NAME_SIZE];
    struct symm_heap_stats stats;
    void *block;
    (void)state;
    assert_status(symm_process_acquire(&wrong, &first), SYMM_ERR_ARGUMENT);
    assert_status(symm_process_acquire(&counts, &first), SYMM_OK);
    assert_status(symm_process_acquire(&wrong, &second), SYMM_OK); /* the first caller's counts */
    assert_ptr_equal(first, second);
    assert_status(symm_heap_alloc(symm_process_heap(first), 1, 0, &block), SYMM_OK);
    symm_heap_get_stats(symm_process_heap(second), &stats);
    assert_int_equal(stats.segment_bytes, 4 << 20);
    assert_status(symm_process_get_peer(first, "one", 0, &peers[0]), SYMM_OK);
    assert_status(symm_process_get_peer(first, "two", 0, &peers[1]), SYMM_OK);
    assert_status(symm_process_get_peer(first, "one", 0, &peers[2]), SYMM_OK);
    assert_ptr_equal(peers[0], peers[2]);
    struct symm_peer *none = NULL;
    assert_status(symm_process_get_peer(first, "one", SYMM_HEAPS_MAX, &none), SYMM_ERR_ARGUMENT);
    assert_ptr_equal(symm_process_heap_at(first, 0), symm_process_heap(first));
    assert_null(symm_process_heap_at(first, 1));
    assert_ptr_not_equal(peers[0], peers[1]);
    symm_process_put_peer(first, peers[0]);
    symm_process_put_peer(first, peers[2]);
    (void)strcpy(name, symm_server_name(symm_process_server(first)));
    symm_process_release(first);
    assert_status(symm_process_acquire(NULL, &first), SYMM_OK); /* there is one user left */
    assert_string_equal(symm_server_name(symm_process_server(first)), name);
    symm_process_release(first);
    memset(block, 1, 1);
    symm_process_release(second); /* with one peer that nobody has put */
    memset(block, 2, 1);
    assert_status(symm_process_acquire(NULL, &first), SYMM_OK);
    assert_string_not_equal(symm_server_name(symm_process_server(first)), name);
    symm_process_release(first);
}

UNIT_MAIN("test_team", 150,
    FORK_TEST_OF(test_set_up, 1, 5),
    FORK_TEST(test_sizes_of_rank_0, 3),
    FORK_TEST(test_rank_0_refuses, 4),
    FORK_TEST(test_wrong_places, 3),
    FORK_TEST(test_rank_0_dies, 3),
    cmocka_unit_test(test_wrong_ranks),
    FORK_TEST(test_segments, 4),
    FORK_TEST(test_many_teams, 3),
    cmocka_unit_test(test_one_process))
