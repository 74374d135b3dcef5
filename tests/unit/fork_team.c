/*
 * fork_team.c - see fork_team.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/fork_team.h"

#include <string.h>

#include "heap/reclaim.h"

struct symm_process *fork_team_process(struct fork_rank *self)
{
    const struct symm_heap_config config = {
        .window_size = (size_t)1 << 30, .segment_size = (size_t)2 << 20};
    struct symm_process *process = NULL;
    FORK_STATUS(self, symm_process_acquire(&config, &process), SYMM_OK);
    symm_heap_defer(symm_process_heap(process), NULL, NULL);
    return process;
}

struct symm_team *fork_team_create(struct fork_rank *self, struct symm_process *process,
                                   uint8_t key, size_t payload_size, size_t piece_size)
{
    char mine[SYMM_SOCKET_NAME_SIZE] = "", all[FORK_RANKS_MAX][SYMM_SOCKET_NAME_SIZE];
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
        .key = {[0] = key, [SYMM_TEAM_KEY_SIZE - 1] = key},
        .control = {.payload_size = payload_size, .piece_size = piece_size},
    };
    FORK_STATUS(self, symm_team_create(process, &config, &team), SYMM_OK);
    return team;
}

enum symm_status fork_team_set_up(struct symm_team *team)
{
    enum symm_status status;
    unsigned polls = 0;
    while ((status = symm_team_set_up(team)) == SYMM_PENDING) {
        unit_pause(&polls);
    }
    return status;
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
