/*
 * team.c - see team.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/allocator.h"
#include "heap/directory.h"
#include "heap/headroom.h"
#include "heap/multicast.h"

/* Serial numbers count from 1; this bit beside one says that some rank could not map it. */
static const uint32_t refused_bit = UINT32_C(1) << 31;

enum { FIRST_REFUSAL_SPAN = 1000 }; /* calls; a try costs about as much as a hundred of them */

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
    created->peers = calloc((size_t)config->size * SYMM_HEAPS_MAX, sizeof(struct symm_peer *));
    created->retired = calloc((size_t)config->size * SYMM_HEAPS_MAX, sizeof(*created->retired));
    created->devices = calloc((size_t)config->size, 1 + SYMM_TEAM_VIEWS);
    created->importers = calloc((size_t)config->size, sizeof(struct symm_importer *));
    created->dropped = calloc((size_t)config->size, sizeof(*created->dropped));
    created->extra = malloc(config->control.extra_size + 1);
    if (created->names == NULL || created->peers == NULL || created->devices == NULL ||
        created->importers == NULL || created->dropped == NULL || created->retired == NULL ||
        created->extra == NULL) {
        symm_team_destroy(created);
        return SYMM_ERR_NO_MEMORY;
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
    if (team->requesting) {
        symm_request_cancel(&team->request);
        team->requesting = false;
    }
    if (team->exported) {
        struct symm_object_id id = control_id(team);
        symm_server_withdraw(symm_process_server(team->process), &id);
        team->exported = false;
    }
}

/* Entries of one heap, and of all heaps in one view. */
static size_t heap_states(const struct symm_team *team)
{
    return (size_t)team->size * SYMM_SEGMENTS_MAX;
}

static size_t view_states(const struct symm_team *team)
{
    return heap_states(team) * SYMM_TEAM_ROWS;
}

static size_t segment_states_size(const struct symm_team *team)
{
    return view_states(team) * SYMM_TEAM_VIEWS * sizeof(uint32_t);
}

void symm_team_destroy(struct symm_team *team)
{
    if (team == NULL) {
        return;
    }
    symm_team_set_up_end(team);
    symm_multicast_groups_destroy(team);
    for (size_t i = 0; team->peers != NULL && i < (size_t)team->size * SYMM_HEAPS_MAX; i++) {
        if (team->peers[i] != NULL) {
            symm_process_put_peer(team->process, team->peers[i]);
        }
    }
    symm_team_close_opened(team);
    symm_control_detach(&team->control);
    free(team->extra);
    free(team->scratch);
    if (team->segment_states != NULL) {
        (void)munmap(team->segment_states, segment_states_size(team));
        symm_headroom_give();
    }
    free(team->devices);
    free(team->retired);
    free(team->dropped);
    free(team->importers);
    free(team->peers);
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
    struct symm_object object;
    if (!team->requesting) {
        struct symm_object_id id = control_id(team);
        symm_request_begin(&team->request, team->names[0], &id);
        team->requesting = true;
    }
    enum symm_status status = symm_request_test(&team->request, &object);
    if (status == SYMM_PENDING) {
        return status;
    }
    team->requesting = false;
    if (status == SYMM_OK) {
        status = symm_control_attach(&team->control, team->size, object.descriptor);
        (void)close(object.descriptor);
    }
    return status;
}

/*
 * States for all heaps that the ranks may ever have, since getting them later could fail on one rank
 * alone.  Those of heaps that nobody has are never touched, and stay addresses without memory.
 */
static enum symm_status segment_states_get(struct symm_team *team)
{
    enum symm_status status = symm_headroom_take(segment_states_size(team));
    if (status != SYMM_OK) {
        return status;
    }
    void *memory = mmap(NULL, segment_states_size(team), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        symm_headroom_give();
        return SYMM_ERR_NO_MEMORY;
    }
    team->segment_states = memory;
    return SYMM_OK;
}

static enum symm_status private_memory_get(struct symm_team *team)
{
    if (team->scratch == NULL) {
        team->scratch = aligned_alloc(SYMM_ALIGNMENT_BIG, SYMM_SCRATCH_SIZE);
    }
    if (team->scratch == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status =
        team->segment_states != NULL ? SYMM_OK : segment_states_get(team);
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

/* ---- segments ------------------------------------------------------------------------------ */

static uint8_t *devices_of_view(const struct symm_team *team, unsigned view)
{
    return team->devices + (1 + (size_t)view) * (size_t)team->size;
}

void symm_team_note_device(struct symm_team *team, int rank, uint8_t device)
{
    team->devices[rank] = device;
    team->devices_differ |= device != devices_of_view(team, team->view)[rank];
}

/* Forget what is known in the oldest view.  The first is that of host memory and stays. */
static void view_replace(struct symm_team *team)
{
    team->view_to_lose = team->view_to_lose % (SYMM_TEAM_VIEWS - 1) + 1;
    team->view = team->view_to_lose;
    memset(team->segment_states + team->view * view_states(team), 0,
           team->rows_known * heap_states(team) * sizeof(uint32_t));
    memcpy(devices_of_view(team, team->view), team->devices, (size_t)team->size);
}

void symm_team_devices_done(struct symm_team *team)
{
    if (!team->devices_differ) {
        return;
    }
    team->devices_differ = false;
    for (unsigned view = 0; view < SYMM_TEAM_VIEWS; view++) {
        if (memcmp(devices_of_view(team, view), team->devices, (size_t)team->size) == 0) {
            team->view = view;
            return;
        }
    }
    view_replace(team);
}

/* Memory from elsewhere comes first, so that rows in use have low numbers. */
static uint32_t row_of(uint32_t heap)
{
    return heap == SYMM_HEAP_IPC ? 0 : heap + 1;
}

static uint32_t *segment_entry(const struct symm_team *team, int rank,
                               const struct symm_location *location)
{
    if (team->segment_states == NULL || location->index >= SYMM_SEGMENTS_MAX ||
        location->heap > SYMM_HEAP_IPC) {
        return NULL;
    }
    size_t row = (size_t)row_of(location->heap) * (size_t)team->size + (size_t)rank;
    return &team->segment_states[team->view * view_states(team) + row * SYMM_SEGMENTS_MAX +
                                 location->index];
}

enum symm_segment_state symm_team_segment_state(const struct symm_team *team, int rank,
                                                const struct symm_location *location)
{
    const uint32_t *entry = segment_entry(team, rank, location);
    if (entry == NULL || (*entry & ~refused_bit) != location->serial) {
        return SYMM_SEGMENT_UNKNOWN;
    }
    return (*entry & refused_bit) != 0 ? SYMM_SEGMENT_REFUSED : SYMM_SEGMENT_MAPPED;
}

void symm_team_note_refusal(struct symm_team *team)
{
    if (team->refused_until == 0) {
        team->refusal_span = team->refusal_span == 0 ? FIRST_REFUSAL_SPAN : 2 * team->refusal_span;
        team->refused_until = team->sequence + team->refusal_span;
    }
}

void symm_team_set_segment_state(struct symm_team *team, int rank,
                                 const struct symm_location *location,
                                 enum symm_segment_state state)
{
    uint32_t *entry = segment_entry(team, rank, location);
    if (entry != NULL) {
        *entry = location->serial | (state == SYMM_SEGMENT_REFUSED ? refused_bit : 0);
        if (team->rows_known <= row_of(location->heap)) {
            team->rows_known = row_of(location->heap) + 1;
        }
    }
    if (state == SYMM_SEGMENT_REFUSED) {
        symm_team_note_refusal(team);
    }
}

void symm_team_forget_refusals(struct symm_team *team, uint64_t sequence)
{
    bool forget = team->refused_until != 0 && sequence >= team->refused_until;
    symm_multicast_groups_enter(team, sequence, forget);
    if (!forget) {
        return;
    }
    team->refused_until = 0;
    for (size_t view = 0; view < SYMM_TEAM_VIEWS; view++) {
        uint32_t *states = team->segment_states + view * view_states(team);
        for (size_t i = 0; i < team->rows_known * heap_states(team); i++) {
            if ((states[i] & refused_bit) != 0) {
                states[i] = 0;
            }
        }
    }
}

/* What has been refused stays so: tried at each such event, it would make others go each time. */
void symm_team_dropped_done(struct symm_team *team)
{
    if (!team->dropped_more) {
        return;
    }
    team->dropped_more = false;
    for (size_t view = 0; view < SYMM_TEAM_VIEWS && team->rows_known > 0; view++) {
        uint32_t *states = team->segment_states + view * view_states(team); /* the first row */
        for (size_t i = 0; i < heap_states(team); i++) {
            states[i] = (states[i] & refused_bit) != 0 ? states[i] : 0;
        }
    }
}

static struct symm_peer **peer_entry(const struct symm_team *team, int rank, uint32_t heap)
{
    return &team->peers[(size_t)heap * (size_t)team->size + (size_t)rank];
}

enum symm_status symm_team_map(struct symm_team *team, int rank,
                               const struct symm_location *location)
{
    if (rank == team->rank) {
        return SYMM_OK;
    }
    if (location->heap >= SYMM_HEAPS_MAX) {
        return SYMM_ERR_PROTOCOL;
    }
    struct symm_peer **peer = peer_entry(team, rank, location->heap);
    if (*peer == NULL) {
        enum symm_status status =
            symm_process_get_peer(team->process, team->names[rank], location->heap, peer);
        if (status != SYMM_OK) {
            return status;
        }
    }
    return symm_peer_map(*peer, location);
}

void symm_team_describe_device(const struct symm_team *team, int rank,
                               const struct symm_location *location, char *text, size_t size)
{
    struct symm_peer *peer =
        location->heap < SYMM_HEAPS_MAX ? *peer_entry(team, rank, location->heap) : NULL;
    if (peer != NULL) {
        symm_peer_describe_device(peer, text, size);
    }
}

void *symm_team_address(const struct symm_team *team, int rank,
                        const struct symm_location *location)
{
    if (rank == team->rank) {
        const struct symm_heap *heap = symm_process_heap_at(team->process, location->heap);
        return symm_heap_address(heap, location->offset);
    }
    return symm_peer_address(*peer_entry(team, rank, location->heap), location->offset);
}

enum symm_status symm_team_segment_place(const struct symm_team *team, int rank,
                                         const struct symm_location *location,
                                         struct symm_segment_place *place)
{
    if (location->heap >= SYMM_HEAPS_MAX) {
        return SYMM_ERR_NOT_FOUND;
    }
    if (rank == team->rank) {
        struct symm_heap *heap = symm_process_heap_at(team->process, location->heap);
        return heap != NULL ? symm_heap_segment(heap, location, place) : SYMM_ERR_NOT_FOUND;
    }
    struct symm_peer *peer = *peer_entry(team, rank, location->heap);
    return peer != NULL ? symm_peer_segment(peer, location, place) : SYMM_ERR_NOT_FOUND;
}

void symm_team_collect(struct symm_team *team, int rank, uint32_t heap, uint32_t retired)
{
    if (heap >= SYMM_HEAPS_MAX) {
        return;
    }
    struct symm_peer *peer = *peer_entry(team, rank, heap);
    uint32_t *seen = &team->retired[(size_t)heap * (size_t)team->size + (size_t)rank];
    if (peer != NULL) {
        symm_peer_collect(peer, retired);
    }
    if (*seen != retired) {
        *seen = retired;
        symm_multicast_groups_collect(team, rank, heap);
    }
}
