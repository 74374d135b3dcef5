/*
 * team_memory.c - see team_memory.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heap/directory.h"
#include "heap/headroom.h"
#include "heap/team/team.h"

/* Serial numbers count from 1; this bit beside one says that some rank could not map it. */
static const uint32_t refused_bit = UINT32_C(1) << 31;

enum { FIRST_REFUSAL_SPAN = 1000 }; /* calls; a try costs about as much as a hundred of them */

/* ---- life ---------------------------------------------------------------------------------- */

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

static enum symm_status arrays_get(struct symm_team *team)
{
    size_t size = (size_t)team->size;
    if (team->peers == NULL) {
        team->peers = calloc(size * SYMM_HEAPS_MAX, sizeof(struct symm_peer *));
    }
    if (team->retired == NULL) {
        team->retired = calloc(size * SYMM_HEAPS_MAX, sizeof(*team->retired));
    }
    if (team->importers == NULL) {
        team->importers = calloc(size, sizeof(struct symm_importer *));
    }
    bool has_all = team->peers != NULL && team->retired != NULL && team->importers != NULL;
    return has_all ? SYMM_OK : SYMM_ERR_NO_MEMORY;
}

/*
 * States for all heaps that the ranks may ever have, since getting them later could fail on one
 * rank alone.  Those of heaps that nobody has are never touched, and stay addresses without memory.
 */
static enum symm_status states_get(struct symm_team *team)
{
    if (team->segment_states != NULL) {
        return SYMM_OK;
    }
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

enum symm_status symm_team_memory_create(struct symm_team *team)
{
    enum symm_status status = arrays_get(team);
    return status == SYMM_OK ? states_get(team) : status;
}

/* Also after only a part has been made. */
void symm_team_memory_destroy(struct symm_team *team)
{
    for (size_t i = 0; team->peers != NULL && i < (size_t)team->size * SYMM_HEAPS_MAX; i++) {
        if (team->peers[i] != NULL) {
            symm_process_put_peer(team->process, team->peers[i]);
        }
    }
    for (int rank = 0; team->importers != NULL && rank < team->size; rank++) {
        if (team->importers[rank] != NULL) {
            symm_importer_put(team->imports, team->importers[rank]);
        }
    }
    if (team->segment_states != NULL) {
        (void)munmap(team->segment_states, segment_states_size(team));
        symm_headroom_give();
    }
    free(team->retired);
    free(team->importers);
    free(team->peers);
    team->retired = NULL;
    team->importers = NULL;
    team->peers = NULL;
    team->segment_states = NULL;
}

/* ---- what the ranks have agreed ------------------------------------------------------------- */

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
    if (team->rows_known > 0) {
        memset(team->segment_states + team->view * view_states(team), 0,
               team->rows_known * heap_states(team) * sizeof(uint32_t));
    }
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
    if (team->refuses_all) {
        return SYMM_SEGMENT_REFUSED;
    }
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

void symm_team_memory_forget_refusals(struct symm_team *team)
{
    team->refused_until = 0;
    team->refuses_all = false;
    for (size_t view = 0; view < SYMM_TEAM_VIEWS && team->rows_known > 0; view++) {
        uint32_t *states = team->segment_states + view * view_states(team);
        for (size_t i = 0; i < team->rows_known * heap_states(team); i++) {
            if ((states[i] & refused_bit) != 0) {
                states[i] = 0;
            }
        }
    }
}

/* ---- segments, mapped ----------------------------------------------------------------------- */

/* Only with tables. */
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
    bool may_have = team->peers != NULL && location->heap < SYMM_HEAPS_MAX;
    struct symm_peer *peer = may_have ? *peer_entry(team, rank, location->heap) : NULL;
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

bool symm_team_memory_collect(struct symm_team *team, int rank, uint32_t heap, uint32_t retired)
{
    if (team->peers == NULL || team->retired == NULL) {
        return false; /* nothing of the rank is mapped */
    }
    struct symm_peer *peer = *peer_entry(team, rank, heap);
    uint32_t *seen = &team->retired[(size_t)heap * (size_t)team->size + (size_t)rank];
    if (peer != NULL) {
        symm_peer_collect(peer, retired);
    }
    bool is_news = *seen != retired;
    *seen = retired;
    return is_news;
}

/* ---- memory from elsewhere ------------------------------------------------------------------ */

void symm_team_note_dropped(struct symm_team *team, int rank, uint32_t dropped)
{
    team->dropped_more |= dropped != team->dropped[rank];
    team->dropped[rank] = dropped;
}

/* Refused allocations stay refused: to try them at each such event would close others each time. */
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

enum symm_status symm_team_open(struct symm_team *team, int rank, struct symm_imports *imports,
                                const struct symm_location *location,
                                const struct symm_ipc_handle *handle, int device)
{
    struct symm_importer **importer = &team->importers[rank];
    if (rank == team->rank) {
        return SYMM_OK;
    }
    if (*importer == NULL) {
        enum symm_status status = symm_importer_get(imports, team->names[rank], importer);
        if (status != SYMM_OK) {
            return status;
        }
        team->imports = imports;
    }
    return symm_importer_open(*importer, location, handle, device);
}

void *symm_team_opened(struct symm_team *team, int rank, const struct symm_location *location,
                       int device)
{
    struct symm_importer *importer = team->importers[rank];
    return importer != NULL ? symm_importer_address(importer, location, device) : NULL;
}

void symm_team_collect_opened(struct symm_team *team)
{
    if (team->imports == NULL) {
        return;
    }
    for (int rank = 0; rank < team->size; rank++) {
        if (team->importers[rank] != NULL) {
            symm_importer_collect(team->importers[rank]);
        }
    }
}
