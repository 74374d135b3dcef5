/*
 * multicast_ranks.c - see multicast_ranks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/multicast_ranks.h"

void multicast_begin(struct multicast_rank *rank, struct fork_rank *self,
                     struct symm_process *process, struct symm_heap *heap)
{
    *rank = (struct multicast_rank){.self = self, .process = process, .heap = heap};
    rank->team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, rank->team, 1000, 65536), SYMM_OK);
    multicast_call(rank, 1);
}

void multicast_block_make(struct multicast_rank *rank, struct multicast_block *block, size_t size)
{
    struct fork_rank *self = rank->self;
    struct symm_location mine;
    block->size = size;
    FORK_STATUS(self, symm_heap_alloc(rank->heap, size, 0, &block->block), SYMM_OK);
    FORK_STATUS(self, symm_heap_locate(rank->heap, block->block, size, &mine), SYMM_OK);
    fork_rank_exchange(self, &mine, sizeof(mine), block->all);
    for (int other = 0; other < self->size; other++) {
        (void)fork_team_reach(self, rank->team, other, &block->all[other]);
    }
    fork_rank_barrier(self); /* nobody frees before all have it */
}

void multicast_block_free(struct multicast_rank *rank, struct multicast_block *block)
{
    fork_rank_barrier(rank->self);
    FORK_STATUS(rank->self, symm_heap_free(rank->heap, block->block), SYMM_OK);
}

void multicast_call(struct multicast_rank *rank, uint64_t later)
{
    struct { uint32_t heap, retired; } mine = {0, 0}, all[FORK_RANKS_MAX];
    struct symm_heap *heap;
    rank->sequence += later;
    rank->team->sequence = rank->sequence;
    for (uint32_t number = 0; (heap = symm_process_heap_at(rank->process, number)); number++) {
        if (heap == rank->heap) {
            mine.heap = number;
            mine.retired = symm_heap_retired(heap);
        }
    }
    fork_rank_exchange(rank->self, &mine, sizeof(mine), all);
    for (int other = 0; other < rank->self->size; other++) {
        symm_team_collect(rank->team, other, all[other].heap, all[other].retired);
    }
    symm_team_forget_refusals(rank->team, rank->sequence);
}

/* Whether all ranks have managed. */
static bool vote(struct multicast_rank *rank, bool yes)
{
    bool all[FORK_RANKS_MAX], won = true;
    fork_rank_exchange(rank->self, &yes, sizeof(yes), all);
    for (int other = 0; other < rank->self->size; other++) {
        won = won && all[other];
    }
    return won;
}

static const struct {
    const char *name;
    enum symm_status (*take)(struct symm_team *team);
} steps[] = {
    {"create", symm_team_multicast_create},
    {"join", symm_team_multicast_join},
    {"bind", symm_team_multicast_bind},
};

struct multicast_outcome multicast_set_up(struct multicast_rank *rank,
                                          const struct multicast_block *block)
{
    struct multicast_outcome outcome = {.ready = true, .status = SYMM_OK};
    symm_team_multicast_begin(rank->team, block->all);
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && outcome.ready; i++) {
        unsigned polls = 0;
        while ((outcome.status = steps[i].take(rank->team)) == SYMM_PENDING) {
            unit_pause(&polls);
        }
        outcome.step = outcome.status != SYMM_OK ? steps[i].name : NULL;
        outcome.ready = vote(rank, outcome.status == SYMM_OK);
    }
    symm_team_multicast_settle(rank->team, outcome.ready);
    return outcome;
}
