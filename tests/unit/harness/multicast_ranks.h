/*
 * multicast_ranks.h - forked ranks that set up multicast groups: blocks of all ranks, and the steps
 * with the ranks' votes between them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_MULTICAST_RANKS_H
#define SYMM_TESTS_MULTICAST_RANKS_H

#include "tests/unit/harness/fork_team.h"

#include "heap/team/multicast_setup.h"

struct multicast_rank {
    struct fork_rank *self;
    struct symm_process *process;
    struct symm_team *team;
    struct symm_heap *heap; /* for blocks */
    uint64_t sequence;      /* of the call at hand */
};

struct multicast_block {
    void *block;
    size_t size;
    struct symm_location all[FORK_RANKS_MAX];
};

/* A team that is set up, on heaps of `process`. */
void multicast_begin(struct multicast_rank *rank, struct fork_rank *self,
                     struct symm_process *process, struct symm_heap *heap);

/* A block of each rank, mapped by all. */
void multicast_block_make(struct multicast_rank *rank, struct multicast_block *block, size_t size);

/* All free theirs; the team hears of it in the call after. */
void multicast_block_free(struct multicast_rank *rank, struct multicast_block *block);

/* Another call, or a later one: what ranks have given back is looked at. */
void multicast_call(struct multicast_rank *rank, uint64_t later);

/* What happened here while a group was set up. */
struct multicast_outcome {
    bool ready;                    /* as all have agreed */
    const char *step;              /* which failed here; NULL: none */
    enum symm_status status;       /* of that */
};

/* Set up the group of a block whose state is unknown. */
struct multicast_outcome multicast_set_up(struct multicast_rank *rank,
                                          const struct multicast_block *block);

#endif /* SYMM_TESTS_MULTICAST_RANKS_H */
