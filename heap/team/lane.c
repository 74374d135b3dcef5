/*
 * lane.c - see lane.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "heap/team/lane.h"

enum symm_status symm_lane_take(struct symm_lane *lane, struct symm_process *process, int size,
                                const struct symm_control_config *config,
                                struct symm_control *control)
{
    return symm_arena_take(symm_process_arena(process), size, config, control, &lane->place,
                           &lane->block);
}

/* Get the chunk from its owner's server. */
static enum symm_status chunk_fetch(struct symm_lane *lane, struct symm_process *process,
                                    const char *owner)
{
    struct symm_object_id id = {.what = SYMM_OBJECT_ARENA, .number = lane->place.chunk};
    struct symm_object object;
    enum symm_status status = symm_request_ask(&lane->request, owner, &id, &object);
    if (status == SYMM_OK) {
        status = symm_arena_peers_add(symm_process_arena_peers(process), owner, lane->place.chunk,
                                      &object, &lane->mapping);
        int error = errno;
        (void)close(object.descriptor);
        errno = error;
    }
    return status;
}

enum symm_status symm_lane_reach(struct symm_lane *lane, struct symm_process *process,
                                 const char *owner, int size,
                                 const struct symm_control_place *place,
                                 struct symm_control *control)
{
    lane->place = *place;
    if (lane->mapping == NULL && !lane->request.under_way) {
        lane->mapping =
            symm_arena_peers_get(symm_process_arena_peers(process), owner, place->chunk);
    }
    if (lane->mapping == NULL) {
        enum symm_status status = chunk_fetch(lane, process, owner);
        if (status != SYMM_OK) {
            return status;
        }
    }
    return symm_control_attach(control, size, lane->mapping->memory, lane->mapping->size,
                               &lane->place);
}

/* Let go of the memory, of which the rank makes no use. */
static void lane_drop(struct symm_lane *lane, struct symm_process *process,
                      struct symm_control *control)
{
    symm_request_cancel(&lane->request);
    if (lane->mapping != NULL) {
        symm_arena_peers_put(symm_process_arena_peers(process), lane->mapping);
    }
    *lane = (struct symm_lane){.block = NULL};
    *control = (struct symm_control){.size = control->size};
}

void symm_lane_settle(struct symm_lane *lane, struct symm_process *process,
                      struct symm_control *control, enum symm_lane_verdict verdict)
{
    struct symm_arena *arena = symm_process_arena(process);
    if (verdict == SYMM_LANE_ALL) {
        lane->is_agreed = true;
        return;
    }
    if (lane->block != NULL && verdict == SYMM_LANE_NOT) {
        symm_arena_give(arena, lane->block);
    } else if (lane->block != NULL) {
        symm_arena_abandon(arena, lane->block);
    }
    lane_drop(lane, process, control);
}

void symm_lane_leave(struct symm_lane *lane, struct symm_process *process,
                     struct symm_control *control, uint64_t last)
{
    if (!lane->is_agreed) {
        symm_lane_settle(lane, process, control, SYMM_LANE_DOUBT);
        return;
    }
    if (symm_process_is_own(process)) { /* a child of fork() is no rank */
        symm_control_count_out(control, last);
    }
    if (lane->block != NULL) {
        symm_arena_leave(symm_process_arena(process), lane->block);
    }
    lane_drop(lane, process, control);
}
