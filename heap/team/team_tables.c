/*
 * team_tables.c - see team_tables.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/team/team_tables.h"

#include "heap/team/multicast_groups.h"

enum symm_status symm_team_tables_get(struct symm_team *team)
{
    enum symm_status status = symm_team_memory_create(team);
    if (status == SYMM_OK && team->groups == NULL) {
        status = symm_multicast_groups_create(team);
    }
    return status;
}

void symm_team_tables_destroy(struct symm_team *team)
{
    symm_multicast_groups_destroy(team);
    symm_team_memory_destroy(team);
}

void symm_team_tables_settle(struct symm_team *team, bool all_have)
{
    team->has_tables = all_have;
    if (!all_have) {
        symm_team_tables_destroy(team);
        team->refuses_all = true;
        symm_team_note_refusal(team);
    }
}
