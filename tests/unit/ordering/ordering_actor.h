/*
 * ordering_actor.h - a process of the recorded ones, and its calls: for ordering_ranks.c and
 * ordering_life.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_ACTOR_H
#define SYMM_TESTS_ORDERING_ACTOR_H

#include "tests/unit/ordering/ordering_ranks.h"

#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/choose/table.h"
#include "mca/coll/symm/transfer/late_moving.h"

enum {
    WORDS_SMALL = 6,   /* that fit in a line */
    PIECE = 4096,      /* the least that control memory takes */
    BLOCK = PIECES_MAX * PIECE, /* of a rank's input */
};

struct actor {
    struct symm_table table; /* the team's, with what its call is to be made by */
    int rank, size;          /* in the communicator at hand, whose lane is module.blocking */
    struct mca_coll_symm_module_t module;
    const void *inputs[MODEL_RANKS_MAX];
    void *outputs[MODEL_RANKS_MAX], *scratches[MODEL_RANKS_MAX];
    _Alignas(64) unsigned char input[BLOCK], output[MODEL_RANKS_MAX * BLOCK]; /* peers reach them */
    unsigned char private_input[BLOCK], private_output[MODEL_RANKS_MAX * BLOCK];
    struct symm_packed_block blocks[MODEL_RANKS_MAX]; /* that it gets of a gatherv */
    const struct planned_call *planned; /* of the call under way */
    int call; /* the one under way or to come */
    bool is_busy;
    struct symm_moving late; /* operation->late, unless the lane sets it up */
};

extern struct actor ordering_actors[MODEL_RANKS_MAX];

/* Start anew with so many processes, each a rank of the one communicator. */
void ordering_actors_open(int count);

/* What others reach of the processes' memory is recorded. */
void ordering_actors_share(void);

/* The words of a block. */
void ordering_control_share(const struct symm_control *control);

/* The process has reached its team's control memory: from now on it goes by rank 0's table. */
void ordering_table_take(struct actor *actor);

void ordering_call_begin(struct actor *actor, const struct planned_call *planned);

/*
 * The call is described.  Two of three ranks try to make a small one at once, as blocking calls do;
 * others meet their lines by an operation.  Whether it has been made.
 */
bool ordering_is_fast(struct actor *actor);

/* The call is done, or has gone below.  The program reads the result, at once. */
void ordering_call_end(struct actor *actor);

#endif /* SYMM_TESTS_ORDERING_ACTOR_H */
