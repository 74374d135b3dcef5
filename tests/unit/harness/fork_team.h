/*
 * fork_team.h - forked ranks that form a team.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_FORK_TEAM_H
#define SYMM_TESTS_FORK_TEAM_H

#include "tests/unit/harness/fork_ranks.h"

#include "heap/team/team.h"

/*
 * This process's heap, small segments first, and a server.  Memory goes at once, so that what is
 * left can be counted.
 */
struct symm_process *fork_team_process(struct fork_rank *self);

/* Exchange the names of all ranks' servers and make a team of them, not yet set up. */
struct symm_team *fork_team_create(struct fork_rank *self, struct symm_process *process);

/*
 * Set the team up, with all that it may need.  Returns how that went on this rank; the ranks have
 * settled by what all say.
 */
enum symm_status fork_team_set_up(struct fork_rank *self, struct symm_team *team,
                                  size_t payload_size, size_t piece_size);

/* Map the segment in which `location` of `rank` lies, and have the address. */
void *fork_team_reach(struct fork_rank *self, struct symm_team *team, int rank,
                      const struct symm_location *location);

#endif /* SYMM_TESTS_FORK_TEAM_H */
