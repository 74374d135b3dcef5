/*
 * ordering_votes.h - in the place of Open MPI and of the sockets, as set-up meets them: votes by
 * words in place of messages, and one arena, which all processes reach.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_VOTES_H
#define SYMM_TESTS_ORDERING_VOTES_H

#include "heap/team/arena.h"
#include "tests/unit/ordering/ordering_actor.h"
#include "tests/unit/ordering/ordering_life.h"

/* The arena, of which the one chunk lies at `chunk`. */
void ordering_votes_open(struct symm_arena *arena, void *chunk, enum life_breakage how);

/* The messages are words of the recording that has begun. */
void ordering_votes_share(void);

/* Who acts from now on: in which communicator, and how its set-up is to end. */
void ordering_votes_turn(struct actor *actor, int life, const struct planned_life *planned);

/* The process takes part in a communicator whose members are so many processes. */
void ordering_comm_set(struct actor *actor);

#endif /* SYMM_TESTS_ORDERING_VOTES_H */
