/*
 * multicast_setup.c - see multicast_setup.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <unistd.h>

#include "heap/gpu/cuda_device.h"
#include "heap/team/multicast_setup.h"
#include "heap/team/multicast_state.h"

void symm_team_multicast_begin(struct symm_team *team, const struct symm_location *locations)
{
    struct symm_multicast_groups *groups = team->groups;
    struct symm_segment_place place = {.size = 0};
    if (groups == NULL || groups->pending != NULL) {
        return;
    }
    struct symm_group *group = symm_group_place_find(groups);
    if (group == NULL) {
        return; /* its state has not been unknown */
    }
    symm_group_undo(group);
    for (int rank = 0; rank < team->size; rank++) {
        group->segments[rank] = locations[rank];
        if (symm_team_segment_place(team, rank, &locations[rank], &place) == SYMM_OK) {
            group->segments[rank].offset = place.offset;
            group->size = place.size;
        }
        group->replicas[rank] = NULL;
    }
    group->kind =
        symm_heap_kind(symm_process_heap_at(team->process, locations[team->rank].heap));
    group->place = SYMM_GROUP_IN_SET_UP;
    group->used = groups->sequence;
    groups->pending = group;
    groups->begun++;
}

static enum symm_status object_offer(struct symm_team *team, const struct symm_group *group)
{
    struct symm_object object = {.size = group->size};
    enum symm_status status = group->kind->multicast->export_object(group->kind, group->object,
                                                                    &object.descriptor);
    if (status != SYMM_OK) {
        return status;
    }
    struct symm_object_id id = symm_group_object_id(team);
    status = symm_server_export(symm_process_server(team->process), &id, &object);
    (void)close(object.descriptor);
    team->groups->exported = status == SYMM_OK;
    return status;
}

enum symm_status symm_team_multicast_create(struct symm_team *team)
{
    struct symm_group *group = team->groups->pending;
    if (group == NULL || group->kind->multicast == NULL) {
        return SYMM_ERR_NOT_FOUND;
    }
    if (team->rank != 0 || group->has_object) {
        return SYMM_OK;
    }
    enum symm_status status = symm_group_object_count();
    if (status != SYMM_OK) {
        return status;
    }
    status = group->kind->multicast->create(group->kind, team->size, group->size, &group->object);
    if (status != SYMM_OK) {
        symm_group_object_uncount();
        return status;
    }
    group->has_object = true;
    return object_offer(team, group);
}

/* What rank 0's server has sent. */
static enum symm_status object_take(struct symm_group *group, const struct symm_object *received)
{
    enum symm_status status =
        received->size == group->size ? symm_group_object_count() : SYMM_ERR_PROTOCOL;
    if (status != SYMM_OK) {
        return status;
    }
    status = group->kind->multicast->import_object(group->kind, received->descriptor,
                                                   &group->object);
    group->has_object = status == SYMM_OK;
    if (status != SYMM_OK) {
        symm_group_object_uncount();
    }
    return status;
}

static enum symm_status object_fetch(struct symm_team *team, struct symm_group *group)
{
    struct symm_object_id id = symm_group_object_id(team);
    struct symm_object received;
    enum symm_status status =
        symm_request_ask(&team->groups->request, team->names[0], &id, &received);
    if (status == SYMM_PENDING) {
        return status;
    }
    if (status != SYMM_OK) {
        symm_cuda_forget_failure();
        return status;
    }
    status = object_take(group, &received);
    (void)close(received.descriptor);
    return status;
}

enum symm_status symm_team_multicast_join(struct symm_team *team)
{
    struct symm_group *group = team->groups->pending;
    if (group == NULL || group->kind->multicast == NULL) {
        return SYMM_ERR_NOT_FOUND;
    }
    if (!group->has_object) {
        enum symm_status fetched = object_fetch(team, group);
        if (fetched != SYMM_OK) {
            return fetched;
        }
    }
    if (group->added) {
        return SYMM_OK;
    }
    enum symm_status status =
        group->kind->multicast->add(group->kind, group->object, team->rank);
    group->added = status == SYMM_OK;
    return status;
}

enum symm_status symm_team_multicast_bind(struct symm_team *team)
{
    struct symm_group *group = team->groups->pending;
    if (group == NULL || !group->added) {
        return SYMM_ERR_NOT_FOUND;
    }
    const struct symm_location *segment = &group->segments[team->rank];
    const struct symm_multicast_kind *multicast = group->kind->multicast;
    enum symm_status status = SYMM_OK;
    if (group->binding.heap == NULL) {
        status = symm_heap_bind(symm_process_heap_at(team->process, segment->heap), segment,
                                group->object, team->rank, &group->binding);
    }
    if (status == SYMM_OK && multicast->map != NULL && group->address == NULL) {
        status = multicast->map(group->kind, group->object, group->size, &group->address);
    }
    return status;
}

/* Where the segments are here that the object says are bound. */
static void replicas_find(struct symm_team *team, struct symm_group *group)
{
    struct symm_location bound;
    struct symm_segment_place place;
    for (int rank = 0; group->kind->multicast->bound != NULL && rank < team->size; rank++) {
        if (group->kind->multicast->bound(group->kind, group->object, rank, &bound) == SYMM_OK &&
            symm_team_segment_place(team, rank, &bound, &place) == SYMM_OK) {
            group->replicas[rank] = symm_team_address(team, rank, &bound);
        }
    }
}

void symm_team_multicast_settle(struct symm_team *team, bool ready)
{
    struct symm_multicast_groups *groups = team->groups;
    struct symm_group *group = groups != NULL ? groups->pending : NULL;
    if (group == NULL) {
        return;
    }
    symm_group_offer_end(team);
    groups->pending = NULL;
    group->place = ready ? SYMM_GROUP_READY : SYMM_GROUP_REFUSED;
    if (ready) {
        replicas_find(team, group);
    } else {
        symm_group_undo(group);
        symm_team_note_refusal(team);
    }
}
