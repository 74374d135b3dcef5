/*
 * multicast_groups.c - the groups of a team, from their beginning to their end; see multicast.h.
 *
 * Which group has which place in the table must be the same on all ranks, because it decides which one is
 * given up for the next.  So places come and go only in calls that all ranks make alike; a group whose
 * segment has gone lets go of everything at once, but its place stays taken.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/cuda_device.h"
#include "heap/directory.h"
#include "heap/multicast.h"

enum place { FREE, IN_SET_UP, READY, REFUSED, GONE };

struct group {
    enum place place;
    uint64_t used; /* the last call that asked for it */
    struct symm_location *segments; /* [size] their first bytes */
    unsigned char **replicas;       /* [size] */
    const struct symm_kind *kind;
    size_t size; /* of a segment */
    bool has_object, added;
    symm_handle object;
    struct symm_binding binding;
    void *address; /* of the first byte of the segments; NULL: not mapped, or software */
};

struct symm_multicast_groups {
    struct group groups[SYMM_MULTICAST_GROUPS_MAX];
    struct group *pending; /* in set-up; NULL: none */
    uint32_t begun;        /* groups so far */
    uint64_t sequence;     /* of the call at hand */
    struct symm_request request;
    bool requesting, exported;
};

static _Atomic int objects; /* of this process */

/* ---- life of the table --------------------------------------------------------------------------- */

/* Of the table and what its groups have for each rank. */
static size_t groups_size(const struct symm_team *team)
{
    size_t of_rank = sizeof(struct symm_location) + sizeof(unsigned char *);
    return sizeof(struct symm_multicast_groups) +
           SYMM_MULTICAST_GROUPS_MAX * (size_t)team->size * of_rank;
}

/* For all groups that there may ever be; what is never used stays addresses without memory. */
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

/* Let go of everything that a group has here. */
static void group_undo(struct group *group)
{
    symm_heap_unbind(&group->binding);
    if (group->address != NULL) {
        group->kind->multicast->unmap(group->kind, group->address, group->size);
        group->address = NULL;
    }
    if (group->has_object) {
        group->kind->multicast->release(group->kind, group->object);
        group->has_object = false;
        atomic_fetch_sub_explicit(&objects, 1, memory_order_relaxed);
    }
    group->added = false;
}

static struct symm_object_id object_id(const struct symm_team *team)
{
    struct symm_object_id id = {.what = SYMM_OBJECT_MULTICAST, .number = team->groups->begun};
    memcpy(id.key, team->key, sizeof(team->key));
    return id;
}

/* Nobody asks for the object any more. */
static void offer_end(struct symm_team *team)
{
    struct symm_multicast_groups *groups = team->groups;
    if (groups->requesting) {
        symm_request_cancel(&groups->request);
        groups->requesting = false;
    }
    if (groups->exported) {
        struct symm_object_id id = object_id(team);
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
    offer_end(team);
    for (int i = 0; i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        group_undo(&groups->groups[i]);
    }
    (void)munmap(groups, groups_size(team));
    team->groups = NULL;
}

/* ---- looking -------------------------------------------------------------------------------------- */

static bool is_group_of(const struct symm_team *team, const struct group *group,
                        const struct symm_location *locations)
{
    if (group->place == FREE || group->place == GONE) {
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

static struct group *group_find(const struct symm_team *team, const struct symm_location *locations)
{
    struct symm_multicast_groups *groups = team->groups;
    for (int i = 0; groups != NULL && i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        if (is_group_of(team, &groups->groups[i], locations)) {
            return &groups->groups[i];
        }
    }
    return NULL;
}

/* A place for another group; NULL: all are taken by groups that are needed. */
static struct group *place_find(struct symm_multicast_groups *groups)
{
    struct group *oldest = NULL;
    for (int i = 0; i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        struct group *group = &groups->groups[i];
        if (group->place == FREE) {
            return group;
        }
        if (group->place != IN_SET_UP && (oldest == NULL || group->used < oldest->used)) {
            oldest = group;
        }
    }
    bool needed = oldest == NULL || groups->sequence - oldest->used < SYMM_MULTICAST_CALLS_KEPT;
    return needed ? NULL : oldest;
}

/*
 * Where the identity of a device begins, which ends its description: "device 0 (NVIDIA H200, GPU-8b3a...)",
 * and its length; 0: there is none.  Asked in each call on memory that is not a group's, so nothing is copied.
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

/* Whether no rank before `rank` is on the device that this description is of. */
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
    return length > 0; /* what says not who it is may be any */
}

/* Of a group that is known nothing but the offsets differs from call to call. */
static bool offsets_are_equal(const struct symm_team *team, const struct group *group,
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
    const struct group *known = group_find(team, locations);
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
    struct group *group = group_find(team, locations);
    if (group == NULL) {
        return team->groups != NULL && place_find(team->groups) != NULL ? SYMM_MULTICAST_UNKNOWN
                                                                       : SYMM_MULTICAST_REFUSED;
    }
    group->used = team->groups->sequence;
    return group->place == READY     ? SYMM_MULTICAST_READY
           : group->place == REFUSED ? SYMM_MULTICAST_REFUSED
                                     : SYMM_MULTICAST_UNKNOWN;
}

bool symm_team_multicast_address(struct symm_team *team, const struct symm_location *locations,
                                 struct symm_multicast_address *address)
{
    const struct group *group = group_find(team, locations);
    if (group == NULL || group->place != READY) {
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

/* ---- setting up ------------------------------------------------------------------------------------ */

void symm_team_multicast_begin(struct symm_team *team, const struct symm_location *locations)
{
    struct symm_multicast_groups *groups = team->groups;
    struct symm_segment_place place = {.size = 0};
    if (groups == NULL || groups->pending != NULL) {
        return;
    }
    struct group *group = place_find(groups);
    if (group == NULL) {
        return; /* its state has not been unknown */
    }
    group_undo(group);
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
    group->place = IN_SET_UP;
    group->used = groups->sequence;
    groups->pending = group;
    groups->begun++;
}

/* One more object in this process; a failure of ours, not of a driver's call. */
static enum symm_status object_count(void)
{
    if (atomic_fetch_add_explicit(&objects, 1, memory_order_relaxed) < SYMM_MULTICAST_OBJECTS_MAX) {
        return SYMM_OK;
    }
    atomic_fetch_sub_explicit(&objects, 1, memory_order_relaxed);
    symm_cuda_forget_failure();
    return SYMM_ERR_NO_MEMORY;
}

static enum symm_status object_offer(struct symm_team *team, const struct group *group)
{
    struct symm_object object = {.size = group->size};
    enum symm_status status = group->kind->multicast->export_object(group->kind, group->object,
                                                                    &object.descriptor);
    if (status != SYMM_OK) {
        return status;
    }
    struct symm_object_id id = object_id(team);
    status = symm_server_export(symm_process_server(team->process), &id, &object);
    (void)close(object.descriptor);
    team->groups->exported = status == SYMM_OK;
    return status;
}

enum symm_status symm_team_multicast_create(struct symm_team *team)
{
    struct group *group = team->groups->pending;
    if (group == NULL || group->kind->multicast == NULL) {
        return SYMM_ERR_NOT_FOUND;
    }
    if (team->rank != 0 || group->has_object) {
        return SYMM_OK;
    }
    enum symm_status status = object_count();
    if (status != SYMM_OK) {
        return status;
    }
    status = group->kind->multicast->create(group->kind, team->size, group->size, &group->object);
    if (status != SYMM_OK) {
        atomic_fetch_sub_explicit(&objects, 1, memory_order_relaxed);
        return status;
    }
    group->has_object = true;
    return object_offer(team, group);
}

/* What rank 0's server has sent. */
static enum symm_status object_take(struct group *group, const struct symm_object *received)
{
    enum symm_status status =
        received->size == group->size ? object_count() : SYMM_ERR_PROTOCOL;
    if (status != SYMM_OK) {
        return status;
    }
    status = group->kind->multicast->import_object(group->kind, received->descriptor,
                                                   &group->object);
    group->has_object = status == SYMM_OK;
    if (status != SYMM_OK) {
        atomic_fetch_sub_explicit(&objects, 1, memory_order_relaxed);
    }
    return status;
}

static enum symm_status object_fetch(struct symm_team *team, struct group *group)
{
    struct symm_multicast_groups *groups = team->groups;
    struct symm_object received;
    if (!groups->requesting) {
        struct symm_object_id id = object_id(team);
        symm_request_begin(&groups->request, team->names[0], &id);
        groups->requesting = true;
    }
    enum symm_status status = symm_request_test(&groups->request, &received);
    if (status == SYMM_PENDING) {
        return status;
    }
    groups->requesting = false;
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
    struct group *group = team->groups->pending;
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
    struct group *group = team->groups->pending;
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

/* Where the bound segments are here, as the object has it. */
static void replicas_find(struct symm_team *team, struct group *group)
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
    struct group *group = groups != NULL ? groups->pending : NULL;
    if (group == NULL) {
        return;
    }
    offer_end(team);
    groups->pending = NULL;
    group->place = ready ? READY : REFUSED;
    if (ready) {
        replicas_find(team, group);
    } else {
        group_undo(group);
        symm_team_note_refusal(team);
    }
}

/* ---- in each call ----------------------------------------------------------------------------------- */

void symm_multicast_groups_enter(struct symm_team *team, uint64_t sequence, bool forget)
{
    struct symm_multicast_groups *groups = team->groups;
    if (groups == NULL) {
        return;
    }
    groups->sequence = sequence;
    for (int i = 0; forget && i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        if (groups->groups[i].place == REFUSED) {
            groups->groups[i].place = FREE;
        }
    }
}

void symm_multicast_groups_collect(struct symm_team *team, int rank, uint32_t heap)
{
    struct symm_multicast_groups *groups = team->groups;
    struct symm_segment_place place;
    for (int i = 0; groups != NULL && i < SYMM_MULTICAST_GROUPS_MAX; i++) {
        struct group *group = &groups->groups[i];
        const struct symm_location *segment = &group->segments[rank];
        if (group->place == READY && segment->heap == heap &&
            symm_team_segment_place(team, rank, segment, &place) != SYMM_OK) {
            group_undo(group);
            group->place = GONE;
        }
    }
}
