/*
 * ordering_life.h - processes that make, use and free communicators one after another, for the
 * recorder: a block of control memory from team to team.
 *
 * Set-up, arena and control memory are the product's own; rank 0 of each communicator is process 0,
 * which owns the arena.  Open MPI's messages are stand-ins: words, each of which is written once.
 * They hand on what the sender knows, as messages do, unless the test makes them relaxed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_LIFE_H
#define SYMM_TESTS_ORDERING_LIFE_H

#include "tests/unit/ordering/ordering_ranks.h"

enum { LIVES_MAX = 8, LIFE_CALLS_MAX = 32 };

enum life_end {
    LIFE_FREED,
    LIFE_FAILED,  /* all ranks leave for good (ULFM), and then free it */
    LIFE_LOST,    /* a rank votes no in set-up; the one call goes below */
    LIFE_DOUBTED, /* messages fail at rank 0 alone: the others think that all have the memory */
};

/* One communicator.  All have as many ranks. */
struct planned_life {
    bool members[MODEL_RANKS_MAX]; /* processes; always 0 */
    struct planned_call calls[LIFE_CALLS_MAX];
    int count;
    enum life_end end;
    int loser; /* LIFE_LOST: the rank */
    int late;  /* the process that frees it only after its next communicator's calls; -1: none */
    int table; /* which table of choices: a change makes the arena clear the chunk */
};

/* Of the code, while it is recorded. */
enum life_breakage {
    LIFE_WHOLE,
    LIFE_NO_NUMBERS, /* each team numbers its calls from the same one on */
    LIFE_NO_DOUBT,   /* a block of which it is not known who uses it is free */
    LIFE_NO_BALLOTS, /* rank 0 does not wait for the ballots */
};

/*
 * Record processes that have these communicators.  In the recording a process begins with one when
 * it has freed the one before, or is late with that.
 */
void ordering_record_lives(struct recording *recording, int processes,
                           const struct planned_life *lives, int count, enum life_breakage how,
                           struct unit_random random);

#endif /* SYMM_TESTS_ORDERING_LIFE_H */
