/*
 * agree/map.c - see agree/map.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/map.h"

#include <errno.h>

#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/device/reach.h"
#include "mca/coll/symm/resources/resource.h"

/* A segment that a line names. */
struct line_segment {
    const struct symm_location *location;
    const struct symm_ipc_handle *handle; /* where it is memory from elsewhere */
};

enum { LINE_SEGMENTS = 3 };

/* Get the segments of a line in their order.  Returns how many the line names. */
static int segments_of(const struct symm_line *line, struct line_segment segments[LINE_SEGMENTS])
{
    const struct line_buffers *buffers = buffers_of(line);
    int count = 0;
    if ((line->flags & LINE_INPUT_IN_HEAP) != 0) {
        segments[count++] = (struct line_segment){&buffers->input, &handles_of(line)->input};
    }
    if ((line->flags & LINE_OUTPUT_IN_HEAP) != 0) {
        segments[count++] = (struct line_segment){&buffers->output, &handles_of(line)->output};
    }
    if ((line->flags & LINE_SCRATCH) != 0) {
        segments[count++] = (struct line_segment){&scratch_of(line)->where, NULL};
    }
    return count;
}

/*
 * Segments of heaps have their turn first, and the ranks vote on them.  Memory from elsewhere comes
 * after that vote, so a failure to open it does not count against a heap's segment.
 */
static bool is_its_turn(const struct symm_operation *operation,
                        const struct symm_location *location)
{
    return (location->heap == SYMM_HEAP_IPC) == operation->maps_elsewhere;
}

/*
 * Map one buffer of a rank for the device of this call, unless the team knows about its segment or
 * the segment's turn has not come.
 */
static enum symm_status segment_map(struct symm_operation *operation, int rank,
                                    const struct line_segment *segment)
{
    struct symm_team *team = operation->lane->team;
    const struct symm_location *location = segment->location;
    if (symm_team_segment_state(team, rank, location) != SYMM_SEGMENT_UNKNOWN ||
        !is_its_turn(operation, location)) {
        return SYMM_OK;
    }
    if (location->heap == SYMM_HEAP_IPC && operation->holdings->imports == NULL) {
        operation->map_told = mca_coll_symm_component.ipc_bytes == 0; /* the user has disabled it */
        return operation->map_told ? SYMM_ERR_FOREIGN : SYMM_ERR_NO_MEMORY;
    }
    if (location->heap == SYMM_HEAP_IPC) {
        return mca_coll_symm_device_opened(
            operation, rank,
            symm_team_open(team, rank, operation->holdings->imports, location, segment->handle,
                           operation->call->device));
    }
    enum symm_status status = symm_team_map(team, rank, location);
    return mca_coll_symm_device_reach(operation, rank, location, status);
}

/*
 * Mark what is open and needed by this call as used, so that it is not closed to make room for what
 * is not open.
 */
static void opened_use(const struct symm_operation *operation)
{
    struct symm_team *team = operation->lane->team;
    struct line_segment segments[LINE_SEGMENTS];
    for (int rank = 0; rank < team->size && operation->call->device >= 0; rank++) {
        int count = segments_of(mca_coll_symm_line(operation, rank), segments);
        for (int i = 0; i < count; i++) {
            const struct symm_location *location = segments[i].location;
            if (location->heap == SYMM_HEAP_IPC &&
                symm_team_segment_state(team, rank, location) == SYMM_SEGMENT_MAPPED) {
                (void)symm_team_opened(team, rank, location, operation->call->device);
            }
        }
    }
}

/* Whether some segment of a heap has to be mapped.  All ranks find the same. */
static bool heaps_have_turn(const struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    struct line_segment segments[LINE_SEGMENTS];
    for (int rank = 0; rank < team->size; rank++) {
        int count = segments_of(mca_coll_symm_line(operation, rank), segments);
        for (int i = 0; i < count; i++) {
            const struct symm_location *location = segments[i].location;
            if (location->heap != SYMM_HEAP_IPC &&
                symm_team_segment_state(team, rank, location) == SYMM_SEGMENT_UNKNOWN) {
                return true;
            }
        }
    }
    return false;
}

enum symm_status mca_coll_symm_segments_map(struct symm_operation *operation)
{
    struct symm_team *team = operation->lane->team;
    struct line_segment segments[LINE_SEGMENTS];
    if (operation->seen == 0 && operation->map_status == SYMM_OK) {
        operation->maps_elsewhere = !heaps_have_turn(operation);
        operation->map_status = mca_coll_symm_device_prepare(operation);
        opened_use(operation);
    }
    for (; operation->seen < team->size; operation->seen++) {
        int count = segments_of(mca_coll_symm_line(operation, operation->seen), segments);
        enum symm_status status = SYMM_OK;
        errno = 0;
        for (int i = 0; i < count && status == SYMM_OK; i++) {
            status = segment_map(operation, operation->seen, &segments[i]);
        }
        if (status == SYMM_PENDING) {
            return SYMM_PENDING;
        }
        if (operation->map_status == SYMM_OK) {
            operation->map_status = status;
            operation->map_errno = errno;
        }
    }
    return SYMM_OK;
}

static void segment_settle(const struct symm_operation *operation, int rank,
                           const struct symm_location *location, bool all_mapped)
{
    struct symm_team *team = operation->lane->team;
    if (symm_team_segment_state(team, rank, location) == SYMM_SEGMENT_UNKNOWN &&
        is_its_turn(operation, location)) {
        symm_team_set_segment_state(team, rank, location,
                                    all_mapped ? SYMM_SEGMENT_MAPPED : SYMM_SEGMENT_REFUSED);
    }
}

void mca_coll_symm_segments_settle(struct symm_operation *operation, bool all_mapped)
{
    struct line_segment segments[LINE_SEGMENTS];
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        int count = segments_of(mca_coll_symm_line(operation, rank), segments);
        for (int i = 0; i < count; i++) {
            segment_settle(operation, rank, segments[i].location, all_mapped);
        }
    }
}
