/*
 * team_tables.h - the tables of a team, of segments (team_memory.h) and of multicast groups
 * (multicast_groups.h): most teams never need them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_TEAM_TABLES_H
#define SYMM_HEAP_TEAM_TEAM_TABLES_H

#include "heap/private.h"
#include "heap/team/team.h"

/*
 * Get room for what is known of segments: before the first one is mapped, since most teams never
 * meet one.  Once that has succeeded, again costs nothing.  A rank may get it, and map, by itself.
 * What is known of segments needs all: the ranks agree whether all have it.  Until they do, all
 * segments are unknown; if some rank has not got it, all are refused until
 * symm_team_forget_refusals().  Errors: NO_MEMORY.
 */
SYMM_PRIVATE enum symm_status symm_team_tables_get(struct symm_team *team);
SYMM_PRIVATE void symm_team_tables_settle(struct symm_team *team, bool all_have);

/* Also after only some have been got. */
void symm_team_tables_destroy(struct symm_team *team);

#endif /* SYMM_HEAP_TEAM_TEAM_TABLES_H */
