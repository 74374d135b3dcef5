/*
 * test_multicast.c - multicast groups of teams, in host memory: what fits, set-up, use, and every
 * end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/multicast_ranks.h"

#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, BIG = 3 * MIB, SMALL = 64 * 1024, LATER = SYMM_MULTICAST_CALLS_KEPT };

static enum symm_multicast_state state_of(struct multicast_rank *rank,
                                          const struct multicast_block *block)
{
    return symm_team_multicast_state(rank->team, block->all);
}

static void set_up_well(struct multicast_rank *rank, const struct multicast_block *block)
{
    FORK_CHECK(rank->self, symm_team_multicast_fits(rank->team, block->all));
    FORK_CHECK(rank->self, state_of(rank, block) == SYMM_MULTICAST_UNKNOWN);
    struct multicast_outcome outcome = multicast_set_up(rank, block);
    FORK_STATUS(rank->self, outcome.status, SYMM_OK);
    FORK_CHECK(rank->self, outcome.ready && state_of(rank, block) == SYMM_MULTICAST_READY);
}

/* Each rank stores a piece to all through the group; all pieces arrive in the own block. */
static void use(struct multicast_rank *rank, const struct multicast_block *block,
                unsigned char salt)
{
    enum { PIECE = 4096 };
    struct fork_rank *self = rank->self;
    struct symm_multicast_address address;
    FORK_CHECK(self, symm_team_multicast_fits(rank->team, block->all));
    FORK_CHECK(self, symm_team_multicast_address(rank->team, block->all, &address));
    FORK_CHECK(self, address.address == NULL);
    FORK_CHECK(self, address.replicas[self->rank] + address.offset == block->block);
    for (int replica = 0; replica < self->size; replica++) {
        FORK_CHECK(self, address.replicas[replica] + address.offset ==
                             symm_team_address(rank->team, replica, &block->all[replica]));
        memset(address.replicas[replica] + address.offset + self->rank * PIECE,
               salt + self->rank, PIECE);
    }
    fork_rank_barrier(self);
    const unsigned char *bytes = block->block;
    for (int i = 0; i < self->size * PIECE; i += 511) {
        FORK_CHECK(self, bytes[i] == (unsigned char)(salt + i / PIECE));
    }
    fork_rank_barrier(self);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Whether there are so many, once the server has answered who asks just now. */
static bool descriptors_come_to(size_t wanted)
{
    unsigned polls = 0;
    double end = unit_seconds() + unit_patience(10);
    while (unit_open_descriptors() != wanted && unit_seconds() < end) {
        unit_pause(&polls);
    }
    return unit_open_descriptors() == wanted;
}

static void test_life(struct fork_rank *self, void *context)
{
    struct multicast_rank rank;
    struct multicast_block first, second, other;
    size_t descriptors = unit_open_descriptors();
    (void)context;
    struct symm_process *process = fork_team_process(self);
    multicast_begin(&rank, self, process, symm_process_heap(process));
    size_t between = unit_open_descriptors();
    multicast_block_make(&rank, &first, SMALL);
    multicast_block_make(&rank, &second, SMALL); /* in the same segment */
    multicast_block_make(&rank, &other, BIG);
    size_t in_use = unit_open_descriptors();
    set_up_well(&rank, &first);
    FORK_CHECK(self, state_of(&rank, &second) == SYMM_MULTICAST_READY);
    FORK_CHECK(self, state_of(&rank, &other) == SYMM_MULTICAST_UNKNOWN);
    set_up_well(&rank, &other);
    FORK_CHECK(self, descriptors_come_to(in_use)); /* groups keep none */
    use(&rank, &first, 1);
    use(&rank, &second, 50);
    use(&rank, &other, 100);
    FORK_CHECK(self, unit_mappings("symm-multicast") == 2);
    multicast_block_free(&rank, &other);
    multicast_call(&rank, 1);
    FORK_CHECK(self, unit_mappings("symm-multicast") == 1);
    multicast_block_make(&rank, &other, BIG); /* another segment at the same addresses */
    set_up_well(&rank, &other);
    use(&rank, &other, 7);
    use(&rank, &first, 9);
    symm_team_destroy(rank.team);
    FORK_CHECK(self, unit_mappings("symm-multicast") == 0);
    multicast_block_free(&rank, &other);
    multicast_block_free(&rank, &first);
    multicast_block_free(&rank, &second);
    FORK_CHECK(self, unit_open_descriptors() <= between + 2); /* of the segment that is kept */
    symm_process_release(process);
    FORK_CHECK(self, unit_open_descriptors() == descriptors);
}

/* ---- what fits ------------------------------------------------------------------------------- */

static void test_compare_places(struct fork_rank *self, void *context)
{
    struct multicast_rank rank;
    struct multicast_block same, shifted, sized;
    struct symm_location mixed[FORK_RANKS_MAX];
    void *gap = NULL;
    (void)context;
    struct symm_process *process = fork_team_process(self);
    multicast_begin(&rank, self, process, symm_process_heap(process));
    multicast_block_make(&rank, &same, SMALL);
    FORK_CHECK(self, symm_team_multicast_fits(rank.team, same.all));
    memcpy(mixed, same.all, sizeof(mixed));
    mixed[1].offset += 256; /* before and after the group is known */
    FORK_CHECK(self, !symm_team_multicast_fits(rank.team, mixed));
    set_up_well(&rank, &same);
    FORK_CHECK(self, !symm_team_multicast_fits(rank.team, mixed));
    mixed[0].offset += 256;
    mixed[2].offset += 256;
    FORK_CHECK(self, symm_team_multicast_fits(rank.team, mixed));
    mixed[1].heap = SYMM_HEAPS_MAX; /* memory from elsewhere */
    FORK_CHECK(self, !symm_team_multicast_fits(rank.team, mixed));
    if (self->rank == 1) {
        FORK_STATUS(self, symm_heap_alloc(rank.heap, SMALL, 0, &gap), SYMM_OK);
    }
    multicast_block_make(&rank, &shifted, SMALL);
    FORK_CHECK(self, !symm_team_multicast_fits(rank.team, shifted.all));
    multicast_block_make(&rank, &sized, self->rank == 2 ? 2 * BIG : BIG);
    FORK_CHECK(self, !symm_team_multicast_fits(rank.team, sized.all));
    symm_team_destroy(rank.team);
    symm_process_release(process);
}

static void test_be_alone(struct fork_rank *self, void *context)
{
    struct multicast_rank rank;
    struct multicast_block block;
    (void)context;
    struct symm_process *process = fork_team_process(self);
    multicast_begin(&rank, self, process, symm_process_heap(process));
    multicast_block_make(&rank, &block, SMALL);
    FORK_CHECK(self, !symm_team_multicast_fits(rank.team, block.all));
    FORK_CHECK(self, symm_heap_multicast_able(rank.heap));
    symm_team_destroy(rank.team);
    symm_process_release(process);
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* A rank loses one vote after the other; each time all is undone, and works later. */
static void test_lose_votes(struct fork_rank *self, void *context)
{
    struct multicast_rank rank;
    struct multicast_block block;
    (void)context;
    struct symm_process *process = fork_team_process(self);
    multicast_begin(&rank, self, process, symm_process_heap(process));
    size_t descriptors = unit_open_descriptors();
    for (int step = 0; step < 4; step++) {
        multicast_block_make(&rank, &block, BIG);
        symm_team_multicast_begin(rank.team, block.all);
        unsigned polls = 0;
        FORK_STATUS(self, symm_team_multicast_create(rank.team), SYMM_OK);
        FORK_STATUS(self, symm_team_multicast_create(rank.team), SYMM_OK); /* again is nothing */
        fork_rank_barrier(self);
        while (step > 0 && symm_team_multicast_join(rank.team) == SYMM_PENDING) {
            unit_pause(&polls);
        }
        if (step == 1 && self->rank == 0) { /* others are not there yet */
            struct symm_multicast_address address;
            FORK_CHECK(self, !symm_team_multicast_address(rank.team, block.all, &address));
        }
        fork_rank_barrier(self);
        if (step > 1) {
            FORK_STATUS(self, symm_team_multicast_join(rank.team), SYMM_OK);
            FORK_STATUS(self, symm_team_multicast_bind(rank.team), SYMM_OK);
        }
        fork_rank_barrier(self);
        symm_team_multicast_settle(rank.team, false);
        FORK_CHECK(self, unit_mappings("symm-multicast") == 0);
        FORK_CHECK(self, state_of(&rank, &block) == SYMM_MULTICAST_REFUSED);
        multicast_call(&rank, 1);
        FORK_CHECK(self, state_of(&rank, &block) == SYMM_MULTICAST_REFUSED);
        multicast_call(&rank, UINT64_C(1) << (20 + step));
        set_up_well(&rank, &block);
        use(&rank, &block, (unsigned char)(20 * step));
        multicast_block_free(&rank, &block);
        multicast_call(&rank, 1);
        FORK_CHECK(self, unit_mappings("symm-multicast") == 0);
    }
    FORK_CHECK(self, unit_open_descriptors() == descriptors);
    symm_team_destroy(rank.team);
    symm_process_release(process);
}

/* The driver would wait for ever for a rank that has not been added. */
static void test_bind_too_early(struct fork_rank *self, void *context)
{
    const struct symm_multicast_kind *multicast = symm_kind_host.multicast;
    const struct symm_replica replica = {.size = BIG, .location = {.serial = 1}};
    struct symm_replica smaller = replica;
    struct symm_location bound;
    symm_handle object;
    (void)context;
    smaller.size = 2 * MIB;
    size_t size = replica.size / (2 * MIB) * (2 * MIB) + 2 * MIB;
    struct symm_replica whole = {.size = size, .location = {.serial = 9, .offset = 77}};
    FORK_STATUS(self, multicast->create(&symm_kind_host, 1, size, &object), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, multicast->create(&symm_kind_host, 2, BIG, &object), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, multicast->create(&symm_kind_host, 2, size, &object), SYMM_OK);
    FORK_STATUS(self, multicast->bind(&symm_kind_host, object, 0, &whole), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, multicast->add(&symm_kind_host, object, 0), SYMM_OK);
    FORK_STATUS(self, multicast->add(&symm_kind_host, object, 0), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, multicast->add(&symm_kind_host, object, 2), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, multicast->bind(&symm_kind_host, object, 0, &whole), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, multicast->add(&symm_kind_host, object, 1), SYMM_OK);
    FORK_STATUS(self, multicast->bind(&symm_kind_host, object, 0, &smaller), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, multicast->bind(&symm_kind_host, object, 0, &whole), SYMM_OK);
    FORK_STATUS(self, multicast->bind(&symm_kind_host, object, 0, &whole), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, multicast->bound(&symm_kind_host, object, 1, &bound), SYMM_ERR_NOT_FOUND);
    FORK_STATUS(self, multicast->bound(&symm_kind_host, object, 0, &bound), SYMM_OK);
    FORK_CHECK(self, bound.serial == 9 && bound.offset == 77);
    multicast->unbind(&symm_kind_host, object, 0, &whole);
    FORK_STATUS(self, multicast->bound(&symm_kind_host, object, 0, &bound), SYMM_ERR_NOT_FOUND);
    multicast->release(&symm_kind_host, object);
    FORK_CHECK(self, unit_mappings("symm-multicast") == 0);
}

/* Rank 0's process is gone: the others are told, and do not wait. */
static void test_join_nobody(struct fork_rank *self, void *context)
{
    struct multicast_rank rank;
    struct multicast_block block;
    (void)context;
    struct symm_process *process = fork_team_process(self);
    multicast_begin(&rank, self, process, symm_process_heap(process));
    multicast_block_make(&rank, &block, SMALL);
    symm_team_multicast_begin(rank.team, block.all);
    if (self->rank == 0) {
        FORK_STATUS(self, symm_team_multicast_bind(rank.team), SYMM_ERR_NOT_FOUND); /* not added */
        symm_team_multicast_settle(rank.team, false);
        symm_team_destroy(rank.team);
        symm_process_release(process);
        fork_rank_barrier(self);
        return;
    }
    enum symm_status status;
    unsigned polls = 0;
    fork_rank_barrier(self);
    while ((status = symm_team_multicast_join(rank.team)) == SYMM_PENDING) {
        unit_pause(&polls);
    }
    FORK_CHECK(self, status == SYMM_ERR_UNREACHABLE || status == SYMM_ERR_PEER_LOST);
    symm_team_multicast_settle(rank.team, false);
    symm_team_destroy(rank.team);
    symm_process_release(process);
}

/* ---- limits ---------------------------------------------------------------------------------- */

/*
 * More groups than a team holds: the one that has gone unused for longest is given up, if for long
 * enough.
 */
static void test_evict(struct fork_rank *self, void *context)
{
    enum { COUNT = SYMM_MULTICAST_GROUPS_MAX };
    struct multicast_rank rank;
    struct multicast_block blocks[COUNT + 1];
    (void)context;
    struct symm_process *process = fork_team_process(self);
    multicast_begin(&rank, self, process, symm_process_heap(process));
    for (int i = 0; i <= COUNT; i++) {
        multicast_block_make(&rank, &blocks[i], BIG);
    }
    for (int i = 0; i < COUNT; i++) {
        multicast_call(&rank, 1);
        set_up_well(&rank, &blocks[i]);
    }
    FORK_CHECK(self, state_of(&rank, &blocks[COUNT]) == SYMM_MULTICAST_REFUSED); /* for now */
    multicast_call(&rank, LATER - 1);
    FORK_CHECK(self, state_of(&rank, &blocks[0]) == SYMM_MULTICAST_READY); /* in use again */
    FORK_CHECK(self, state_of(&rank, &blocks[COUNT]) == SYMM_MULTICAST_UNKNOWN);
    set_up_well(&rank, &blocks[COUNT]);
    FORK_CHECK(self, unit_mappings("symm-multicast") == COUNT);
    use(&rank, &blocks[COUNT], 3);
    FORK_CHECK(self, state_of(&rank, &blocks[0]) == SYMM_MULTICAST_READY);
    struct symm_multicast_address address;
    FORK_CHECK(self, !symm_team_multicast_address(rank.team, blocks[1].all, &address));
    for (int i = 2; i < COUNT; i++) { /* 1 has made room */
        use(&rank, &blocks[i], (unsigned char)i);
    }
    symm_team_destroy(rank.team);
    FORK_CHECK(self, unit_mappings("symm-multicast") == 0);
    symm_process_release(process);
}

/* One process has no room for more, the other would have. */
static void test_fill_process(struct fork_rank *self, void *context)
{
    enum { TEAMS = SYMM_MULTICAST_OBJECTS_MAX / SYMM_MULTICAST_GROUPS_MAX };
    struct multicast_rank ranks[TEAMS + 1];
    struct multicast_block blocks[SYMM_MULTICAST_GROUPS_MAX];
    (void)context;
    struct symm_process *process = fork_team_process(self);
    for (int team = 0; team <= TEAMS; team++) {
        multicast_begin(&ranks[team], self, process, symm_process_heap(process));
    }
    for (int i = 0; i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        multicast_block_make(&ranks[0], &blocks[i], BIG);
        for (int team = 0; team < TEAMS; team++) {
            for (int other = 0; other < self->size; other++) {
                (void)fork_team_reach(self, ranks[team].team, other, &blocks[i].all[other]);
            }
            set_up_well(&ranks[team], &blocks[i]);
        }
    }
    struct multicast_rank *last = &ranks[TEAMS];
    for (int other = 0; other < self->size; other++) {
        (void)fork_team_reach(self, last->team, other, &blocks[0].all[other]);
    }
    struct multicast_outcome outcome = multicast_set_up(last, &blocks[0]);
    FORK_CHECK(self, !outcome.ready);
    FORK_CHECK(self, self->rank != 0 || outcome.status == SYMM_ERR_NO_MEMORY);
    symm_team_destroy(ranks[0].team);
    multicast_call(last, 1 << 20);
    set_up_well(last, &blocks[0]);
    use(last, &blocks[0], 11);
    for (int team = 1; team <= TEAMS; team++) {
        symm_team_destroy(ranks[team].team);
    }
    FORK_CHECK(self, unit_mappings("symm-multicast") == 0);
    symm_process_release(process);
}

/* ---- opting out ------------------------------------------------------------------------------ */

static void opt_out(struct fork_rank *self, void *context)
{
    const char *assignment = context, *named = "";
    char text[100];
    (void)strcpy(text, assignment);
    char *value = strchr(text, '=');
    *value++ = '\0';
    FORK_CHECK(self, setenv(text, value, 1) == 0);
#ifdef MULTICAST_UNICAST
    bool forbids = false; /* there is nothing of what it is about */
#else
    bool forbids = strcmp(value, strcmp(text, "NCCL_NVLS_ENABLE") == 0 ? "0" : "1") == 0;
#endif
    FORK_CHECK(self, symm_multicast_opted_out(&named) == forbids);
    FORK_CHECK(self, forbids ? strcmp(named, assignment) == 0 : named == NULL);
    struct symm_process *process = fork_team_process(self);
    FORK_CHECK(self, symm_heap_multicast_able(symm_process_heap(process))); /* no NVLink there */
    symm_process_release(process);
}

static void test_opting_out(void **state)
{
    char assignments[][64] = {
        "NCCL_NVLS_ENABLE=0", "NVSHMEM_DISABLE_NVLS=1", "TORCH_SYMM_MEM_DISABLE_MULTICAST=1",
        "NCCL_NVLS_ENABLE=1", "NVSHMEM_DISABLE_NVLS=0", "TORCH_SYMM_MEM_DISABLE_MULTICAST=0",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(assignments) / sizeof(*assignments); i++) {
        fork_ranks_run(1, opt_out, assignments[i]);
    }
}

UNIT_MAIN("test_multicast", 120,
    FORK_TEST_OF(test_life, 2, 4),
    FORK_TEST(test_life, 8),
    FORK_TEST(test_compare_places, 3),
    FORK_TEST(test_be_alone, 1),
    FORK_TEST(test_lose_votes, 3),
    FORK_TEST(test_bind_too_early, 1),
    FORK_TEST(test_join_nobody, 2),
    FORK_TEST(test_evict, 2),
    FORK_TEST(test_fill_process, 2),
    cmocka_unit_test(test_opting_out))
