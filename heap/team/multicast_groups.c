/*
 * multicast_groups.c - see multicast_groups.h; and what multicast_setup.c needs, from
 * multicast_state.h.
 *
 * Which group has which place in the table must be the same on all ranks, because it decides which
 * one is given up for the next.  So places come and go only in calls that all ranks make alike; a
 * group whose segment has gone lets go of everything at once, but its place stays taken.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "heap/directory.h"
#include "heap/gpu/cuda_device.h"
#include "heap/team/multicast_state.h"

static _Atomic int objects; /* of this process */

/* ---- objects --------------------------------------------------------------------------------- */

void symm_group_object_uncount(void)
{
    atomic_fetch_sub_explicit(&objects, 1, memory_order_relaxed);
}

enum symm_status symm_group_object_count(void)
{
    if (atomic_fetch_add_explicit(&objects, 1, memory_order_relaxed) < SYMM_MULTICAST_OBJECTS_MAX) {
        return SYMM_OK;
    }
    symm_group_object_uncount();
    symm_cuda_forget_failure();
    return SYMM_ERR_NO_MEMORY;
}

/* ---- life of the table ----------------------------------------------------------------------- */

/* Of the table and what its groups have for each rank. */
static size_t groups_size(const struct symm_team *team)
{
    size_t of_rank = sizeof(struct symm_location) + sizeof(unsigned char *);
    return sizeof(struct symm_multicast_groups) +
           SYMM_MULTICAST_GROUPS_MAX * (size_t)team->size * of_rank;
}

/* Room for all groups that there may ever be; what is never used stays addresses without memory. */
enum symm_status symm_multicast_groups_create(struct symm_team *team)
{
    size_t size = (size_t)team->size;
    struct symm_multicast_groups *groups =
        mmap(NULL, groups_size(team), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (groups == MAP_FAILED) {
        return SYMM_ERR_NO_MEMORY;
    }
    struct symm_location *segments = (struct symm_location *)(void *)(groups + 1);
    unsigned char **replicas =
        (unsigned char **)(void *)(segments + SYMM_MULTICAST_GROUPS_MAX * size);
    for (size_t i = 0; i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        groups->groups[i].segments = segments + i * size;
        groups->groups[i].replicas = replicas + i * size;
    }
    team->groups = groups;
    return SYMM_OK;
}

void symm_group_undo(struct symm_group *group)
{
    symm_heap_unbind(&group->binding);
    if (group->address != NULL) {
        group->kind->multicast->unmap(group->kind, group->address, group->size);
        group->address = NULL;
    }
    if (group->has_object) {
        group->kind->multicast->release(group->kind, group->object);
        group->has_object = false;
        symm_group_object_uncount();
    }
    group->added = false;
}

struct symm_object_id symm_group_object_id(const struct symm_team *team)
{
    struct symm_object_id id = {.what = SYMM_OBJECT_MULTICAST, .number = team->groups->begun};
    memcpy(id.key, &team->lane.place.serial, sizeof(team->lane.place.serial));
    return id;
}

void symm_group_offer_end(struct symm_team *team)
{
    struct symm_multicast_groups *groups = team->groups;
    symm_request_cancel(&groups->request);
    if (groups->exported) {
        struct symm_object_id id = symm_group_object_id(team);
        symm_server_withdraw(symm_process_server(team->process), &id);
        groups->exported = false;
    }
}

void symm_multicast_groups_destroy(struct symm_team *team)
{
    struct symm_multicast_groups *groups = team->groups;
    if (groups == NULL) {
        return;
    }
    symm_group_offer_end(team);
    for (int i = 0; i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        symm_group_undo(&groups->groups[i]);
    }
    (void)munmap(groups, groups_size(team));
    team->groups = NULL;
}

/* ---- looking --------------------------------------------------------------------------------- */

static bool is_group_of(const struct symm_team *team, const struct symm_group *group,
                        const struct symm_location *locations)
{
    if (group->place == SYMM_GROUP_FREE || group->place == SYMM_GROUP_GONE) {
        return false;
    }
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_location *segment = &group->segments[rank];
        if (segment->serial != locations[rank].serial || segment->heap != locations[rank].heap ||
            segment->index != locations[rank].index) {
            return false;
        }
    }
    return true;
}

static struct symm_group *group_find(const struct symm_team *team,
                                     const struct symm_location *locations)
{
    struct symm_multicast_groups *groups = team->groups;
    for (int i = 0; groups != NULL && i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        if (is_group_of(team, &groups->groups[i], locations)) {
            return &groups->groups[i];
        }
    }
    return NULL;
}

struct symm_group *symm_group_place_find(struct symm_multicast_groups *groups)
{
    struct symm_group *oldest = NULL;
    for (int i = 0; i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        struct symm_group *group = &groups->groups[i];
        if (group->place == SYMM_GROUP_FREE) {
            return group;
        }
        if (group->place != SYMM_GROUP_IN_SET_UP &&
            (oldest == NULL || group->used < oldest->used)) {
            oldest = group;
        }
    }
    bool needed = oldest == NULL || groups->sequence - oldest->used < SYMM_MULTICAST_CALLS_KEPT;
    return needed ? NULL : oldest;
}

/*
 * Where the identity of a device begins, which ends its description: "device 0 (NVIDIA H200,
 * GPU-8b3a...)", and its length; 0: there is none.  Asked in each call on memory that is not a
 * group's, so nothing is copied.
 */
static size_t device_identity(const char *description, const char **identity)
{
    size_t end = strnlen(description, SYMM_DEVICE_TEXT_SIZE), begin = end;
    while (begin > 0 && description[begin - 1] != ',') {
        begin--;
    }
    *identity = description + begin;
    return begin > 0 ? end - begin : 0;
}

/* Whether no rank before `rank` is on the device of this description. */
static bool is_on_own_device(const struct symm_team *team, const struct symm_location *locations,
                             int rank, const char *description)
{
    const char *mine, *other;
    struct symm_segment_place place;
    size_t length = device_identity(description, &mine);
    for (int before = 0; before < rank; before++) {
        if (symm_team_segment_place(team, before, &locations[before], &place) != SYMM_OK ||
            (device_identity(place.device, &other) == length &&
             memcmp(mine, other, length) == 0)) {
            return false;
        }
    }
    return length > 0; /* a device without an identity may be any */
}

/* For a known group only the offsets differ from call to call. */
static bool offsets_are_equal(const struct symm_team *team, const struct symm_group *group,
                              const struct symm_location *locations)
{
    uint64_t offset = locations[0].offset - group->segments[0].offset;
    for (int rank = 1; rank < team->size; rank++) {
        if (locations[rank].offset - group->segments[rank].offset != offset) {
            return false;
        }
    }
    return true;
}

bool symm_team_multicast_fits(const struct symm_team *team, const struct symm_location *locations)
{
    struct symm_segment_place place, first;
    const struct symm_group *known = group_find(team, locations);
    if (known != NULL) {
        return offsets_are_equal(team, known, locations);
    }
    if (team->size < 2 || team->groups == NULL ||
        symm_team_segment_place(team, 0, &locations[0], &first) != SYMM_OK) {
        return false;
    }
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_location *location = &locations[rank];
        bool on_device = location->heap != 0;
        if (on_device != (locations[0].heap != 0) ||
            symm_team_segment_place(team, rank, location, &place) != SYMM_OK ||
            place.size != first.size ||
            location->offset - place.offset != locations[0].offset - first.offset ||
            (on_device && !is_on_own_device(team, locations, rank, place.device))) {
            return false;
        }
    }
    return true;
}

enum symm_multicast_state symm_team_multicast_state(struct symm_team *team,
                                                    const struct symm_location *locations)
{
    struct symm_group *group = group_find(team, locations);
    if (group == NULL) {
        bool has_place = team->groups != NULL && symm_group_place_find(team->groups) != NULL;
        return has_place ? SYMM_MULTICAST_UNKNOWN : SYMM_MULTICAST_REFUSED;
    }
    group->used = team->groups->sequence;
    return group->place == SYMM_GROUP_READY     ? SYMM_MULTICAST_READY
           : group->place == SYMM_GROUP_REFUSED ? SYMM_MULTICAST_REFUSED
                                                : SYMM_MULTICAST_UNKNOWN;
}

bool symm_team_multicast_address(struct symm_team *team, const struct symm_location *locations,
                                 struct symm_multicast_address *address)
{
    const struct symm_group *group = group_find(team, locations);
    if (group == NULL || group->place != SYMM_GROUP_READY) {
        return false;
    }
    size_t offset = locations[team->rank].offset - group->segments[team->rank].offset;
    *address = (struct symm_multicast_address){.offset = offset};
    if (group->address != NULL) {
        address->address = (unsigned char *)group->address + offset;
    } else if (group->kind->device >= 0) { /* software: kernels are given the replicas anyway */
        address->address = symm_team_address(team, team->rank, &locations[team->rank]);
    } else {
        address->replicas = group->replicas;
    }
    return true;
}

/* ---- in each call ---------------------------------------------------------------------------- */

void symm_multicast_groups_enter(struct symm_team *team, uint64_t sequence, bool forget)
{
    struct symm_multicast_groups *groups = team->groups;
    if (groups == NULL) {
        return;
    }
    groups->sequence = sequence;
    for (int i = 0; forget && i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        if (groups->groups[i].place == SYMM_GROUP_REFUSED) {
            groups->groups[i].place = SYMM_GROUP_FREE;
        }
    }
}

void symm_multicast_groups_collect(struct symm_team *team, int rank, uint32_t heap)
{
    struct symm_multicast_groups *groups = team->groups;
    struct symm_segment_place place;
    for (int i = 0; groups != NULL && i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        struct symm_group *group = &groups->groups[i];
        const struct symm_location *segment = &group->segments[rank];
        if (group->place == SYMM_GROUP_READY && segment->heap == heap &&
            symm_team_segment_place(team, rank, segment, &place) != SYMM_OK) {
            symm_group_undo(group);
            group->place = SYMM_GROUP_GONE;
        }
    }
}
