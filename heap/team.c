/*
 * team.c - see team.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap/allocator.h"
#include "heap/multicast_groups.h"

static struct symm_object_id control_id(const struct symm_team *team)
{
    struct symm_object_id id = {.what = SYMM_OBJECT_CONTROL};
    memcpy(id.key, team->key, sizeof(team->key));
    return id;
}

enum symm_status symm_team_create(struct symm_process *process,
                                  const struct symm_team_config *config, struct symm_team **team)
{
    if (config->size < 1 || config->rank < 0 || config->rank >= config->size) {
        return SYMM_ERR_ARGUMENT;
    }
    struct symm_team *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    created->rank = config->rank;
    created->size = config->size;
    created->process = process;
    created->control_config = config->control;
    memcpy(created->key, config->key, sizeof(created->key));
    created->names = calloc((size_t)config->size, sizeof(*created->names));
    created->extra = malloc(config->control.extra_size + 1);
    enum symm_status status = symm_team_memory_create(created);
    if (created->names == NULL || created->extra == NULL) {
        status = SYMM_ERR_NO_MEMORY;
    }
    if (status != SYMM_OK) {
        symm_team_destroy(created);
        return status;
    }
    for (int rank = 0; rank < config->size; rank++) {
        (void)strncpy(created->names[rank], config->names[rank], SYMM_SOCKET_NAME_SIZE - 1);
    }
    if (config->control.extra_size > 0) {
        memcpy(created->extra, config->control.extra, config->control.extra_size);
    }
    created->control_config.extra = created->extra;
    *team = created;
    return SYMM_OK;
}

void symm_team_set_up_end(struct symm_team *team)
{
    symm_request_cancel(&team->request);
    if (team->exported) {
        struct symm_object_id id = control_id(team);
        symm_server_withdraw(symm_process_server(team->process), &id);
        team->exported = false;
    }
}

void symm_team_destroy(struct symm_team *team)
{
    if (team == NULL) {
        return;
    }
    symm_team_set_up_end(team);
    symm_multicast_groups_destroy(team);
    symm_team_memory_destroy(team);
    symm_control_detach(&team->control);
    free(team->extra);
    free(team->scratch);
    free(team->names);
    free(team);
}

/* ---- set-up -------------------------------------------------------------------------------- */

static enum symm_status control_make(struct symm_team *team)
{
    struct symm_object object = {.descriptor = -1};
    enum symm_status made = symm_control_create(&team->control, team->size, &team->control_config,
                                                &object.descriptor);
    if (made != SYMM_OK) {
        object.descriptor = -1; /* tell those who wait for it that it will never come */
    }
    object.size = team->control.memory_size;
    struct symm_object_id id = control_id(team);
    enum symm_status status = symm_server_export(symm_process_server(team->process), &id, &object);
    team->exported = status == SYMM_OK;
    if (object.descriptor >= 0) {
        (void)close(object.descriptor);
    }
    return made != SYMM_OK ? made : status;
}

static enum symm_status control_fetch(struct symm_team *team)
{
    struct symm_object_id id = control_id(team);
    struct symm_object object;
    enum symm_status status = symm_request_ask(&team->request, team->names[0], &id, &object);
    if (status == SYMM_OK) {
        status = symm_control_attach(&team->control, team->size, object.descriptor);
        (void)close(object.descriptor);
    }
    return status;
}

static enum symm_status private_memory_get(struct symm_team *team)
{
    if (team->scratch == NULL) {
        team->scratch = aligned_alloc(SYMM_ALIGNMENT_BIG, SYMM_SCRATCH_SIZE);
    }
    if (team->scratch == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = symm_team_memory_set_up(team);
    if (status == SYMM_OK && team->groups == NULL) {
        status = symm_multicast_groups_create(team);
    }
    return status;
}

enum symm_status symm_team_set_up(struct symm_team *team)
{
    if (team->control.memory != NULL) {
        return SYMM_OK;
    }
    enum symm_status status = private_memory_get(team);
    if (status == SYMM_OK) {
        /* From here on peers may ask this process for control memory and segments. */
        status = symm_process_serve(team->process);
    }
    if (status != SYMM_OK) {
        return status;
    }
    return team->rank == 0 ? control_make(team) : control_fetch(team);
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
