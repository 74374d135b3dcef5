/*
 * team.c - see team.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "heap/team/multicast_groups.h"
#include "heap/team/team_tables.h"

/* A team, and the arrays that every team needs, in one piece. */
struct symm_team_block {
    struct symm_team team;
    max_align_t arrays[];
};

static void arrays_place(struct symm_team *team, void *arrays)
{
    size_t size = (size_t)team->size;
    team->dropped = arrays;
    team->names = (char (*)[SYMM_NAME_SIZE])(team->dropped + size);
    team->devices = (uint8_t *)(team->names + size);
}

enum symm_status symm_team_create(struct symm_process *process,
                                  const struct symm_team_config *config, struct symm_team **team)
{
    if (config->size < 1 || config->rank < 0 || config->rank >= config->size) {
        return SYMM_ERR_ARGUMENT;
    }
    size_t of_rank = sizeof(uint32_t) + SYMM_NAME_SIZE + 1 + SYMM_TEAM_VIEWS;
    struct symm_team_block *block = calloc(1, sizeof(*block) + (size_t)config->size * of_rank);
    if (block == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    struct symm_team *created = &block->team;
    created->rank = config->rank;
    created->size = config->size;
    created->process = process;
    arrays_place(created, block->arrays);
    for (int rank = 0; rank < config->size; rank++) {
        (void)strncpy(created->names[rank], config->names[rank], SYMM_NAME_SIZE - 1);
    }
    *team = created;
    return SYMM_OK;
}

void symm_team_destroy(struct symm_team *team)
{
    if (team == NULL) {
        return;
    }
    symm_team_tables_destroy(team);
    symm_lane_leave(&team->lane, team->process, &team->control, team->sequence);
    free(team);
}

/* ---- set-up -------------------------------------------------------------------------------- */

static void begin_after(struct symm_team *team, uint64_t start)
{
    team->sequence = start;
    team->finished = start;
    team->finished_by_all = start;
}

/* From here on peers may ask this process for chunks and segments. */
static enum symm_status process_prepare(struct symm_team *team)
{
    if (team->lane.request.under_way) {
        return SYMM_OK; /* that has been done */
    }
    enum symm_status status = symm_scratch_reserve();
    return status == SYMM_OK ? symm_process_serve(team->process) : status;
}

enum symm_status symm_team_take(struct symm_team *team, const struct symm_control_config *config)
{
    enum symm_status status = process_prepare(team);
    if (status == SYMM_OK) {
        status = symm_lane_take(&team->lane, team->process, team->size, config, &team->control);
    }
    if (status == SYMM_OK) {
        begin_after(team, team->lane.place.start);
    }
    return status;
}

enum symm_status symm_team_reach(struct symm_team *team, const struct symm_control_place *place)
{
    enum symm_status status = process_prepare(team);
    if (status == SYMM_OK) {
        status = symm_lane_reach(&team->lane, team->process, team->names[0], team->size, place,
                                 &team->control);
    }
    if (status == SYMM_OK) {
        begin_after(team, place->start);
    }
    return status;
}

void symm_team_settle(struct symm_team *team, enum symm_lane_verdict verdict)
{
    symm_lane_settle(&team->lane, team->process, &team->control, verdict);
}

/* ---- in each call -------------------------------------------------------------------------- */

void symm_team_forget_refusals(struct symm_team *team, uint64_t sequence)
{
    bool forget = team->refused_until != 0 && sequence >= team->refused_until;
    symm_multicast_groups_enter(team, sequence, forget);
    if (forget) {
        symm_team_memory_forget_refusals(team);
    }
}

void symm_team_collect(struct symm_team *team, int rank, uint32_t heap, uint32_t retired)
{
    if (heap < SYMM_HEAPS_MAX && symm_team_memory_collect(team, rank, heap, retired)) {
        symm_multicast_groups_collect(team, rank, heap);
    }
}
