/*
 * fork_team.c - see fork_team.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/fork_team.h"

#include <string.h>

#include "heap/reclaim.h"
#include "heap/team/team_tables.h"

struct symm_process *fork_team_process(struct fork_rank *self)
{
    const struct symm_heap_config config = {
        .window_size = (size_t)1 << 30, .segment_size = (size_t)2 << 20};
    struct symm_process *process = NULL;
    FORK_STATUS(self, symm_process_acquire(&config, &process), SYMM_OK);
    symm_heap_defer(symm_process_heap(process), NULL, NULL);
    return process;
}

struct symm_team *fork_team_create(struct fork_rank *self, struct symm_process *process)
{
    char mine[SYMM_NAME_SIZE] = "", all[FORK_RANKS_MAX][SYMM_NAME_SIZE];
    const char *names[FORK_RANKS_MAX] = {NULL};
    struct symm_team *team = NULL;
    (void)strcpy(mine, symm_server_name(symm_process_server(process)));
    fork_rank_exchange(self, mine, sizeof(mine), all);
    for (int rank = 0; rank < self->size; rank++) {
        names[rank] = all[rank];
    }
    const struct symm_team_config config = {
        .rank = self->rank,
        .size = self->size,
        .names = names,
    };
    FORK_STATUS(self, symm_team_create(process, &config, &team), SYMM_OK);
    return team;
}

/* What a rank tells the others about its part. */
struct note {
    enum symm_status status;
    struct symm_control_place place;
};

static bool all_are_well(struct fork_rank *self, const struct note *mine)
{
    struct note all[FORK_RANKS_MAX];
    bool well = true;
    fork_rank_exchange(self, mine, sizeof(*mine), all);
    for (int rank = 0; rank < self->size; rank++) {
        well = well && all[rank].status == SYMM_OK;
    }
    return well;
}

enum symm_status fork_team_set_up(struct fork_rank *self, struct symm_team *team,
                                  size_t payload_size, size_t piece_size)
{
    const struct symm_control_config config = {
        .payload_size = payload_size, .piece_size = piece_size};
    struct note all[FORK_RANKS_MAX], mine = {.status = SYMM_OK};
    unsigned polls = 0;
    if (self->rank == 0) {
        mine.status = symm_team_take(team, &config);
        mine.place = team->lane.place;
    }
    fork_rank_exchange(self, &mine, sizeof(mine), all);
    if (self->rank != 0 && all[0].status != SYMM_OK) {
        mine.status = SYMM_ERR_NOT_FOUND;
    }
    while (self->rank != 0 && all[0].status == SYMM_OK &&
           (mine.status = symm_team_reach(team, &all[0].place)) == SYMM_PENDING) {
        unit_pause(&polls);
    }
    bool well = all_are_well(self, &mine);
    symm_team_settle(team, well ? SYMM_LANE_ALL : SYMM_LANE_NOT);
    if (well) {
        FORK_STATUS(self, symm_team_tables_get(team), SYMM_OK);
        symm_team_tables_settle(team, true);
    }
    return mine.status;
}

void *fork_team_reach(struct fork_rank *self, struct symm_team *team, int rank,
                      const struct symm_location *location)
{
    enum symm_status status;
    unsigned polls = 0;
    while ((status = symm_team_map(team, rank, location)) == SYMM_PENDING) {
        unit_pause(&polls);
    }
    FORK_STATUS(self, status, SYMM_OK);
    return symm_team_address(team, rank, location);
}
