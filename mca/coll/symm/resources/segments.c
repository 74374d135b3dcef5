/*
 * resources/segments.c - segments of peers' heaps, and memory from elsewhere, where a call's
 * buffers lie: whether all ranks can map them, mapping them, and the addresses.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/resources/resource.h"

#include <errno.h>

#include "heap/team/team_tables.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/device/reach.h"
#include "mca/coll/symm/report/shortage.h"
#include "mca/coll/symm/report/verbose.h"

/* ---- what lines say -------------------------------------------------------------------------- */

/* What the team knows about segments depends on the devices that the ranks use in this call. */
static void devices_note(const struct symm_operation *operation)
{
    struct symm_team *team = operation->lane->team;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        symm_team_note_device(team, rank, line_device(line));
        if (operation->call->device >= 0) {
            symm_team_note_dropped(team, rank, buffers_of(line)->dropped);
        }
    }
    symm_team_devices_done(team);
    symm_team_dropped_done(team);
}

static void note(struct symm_operation *operation, struct symm_facts *facts)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_call *call = operation->call;
    const uint32_t element = mca_coll_symm_operation_element(operation) & LINE_ELEMENT_MOST;
    bool to_root = symm_collective_get(call->collective)->to_root;
    facts->inputs_reachable = facts->outputs_reachable = facts->out_of_place = true;
    devices_note(operation);
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_buffers *buffers = buffers_of(line);
        enum symm_segment_state input = SYMM_SEGMENT_REFUSED, output = SYMM_SEGMENT_REFUSED;
        facts->out_of_place &= (line->flags & LINE_IN_PLACE) == 0;
        facts->gaps |= (line->flags & LINE_GAPS) != 0;
        if ((line->flags & LINE_ALONG) != 0) { /* its data are in the line, for anybody */
            facts->outputs_reachable &= to_root && rank != call->root; /* which has no output */
            continue;
        }
        if ((line->flags & LINE_INPUT_IN_HEAP) != 0) {
            input = symm_team_segment_state(team, rank, &buffers->input);
        }
        if ((line->flags & LINE_OUTPUT_IN_HEAP) != 0) {
            output = symm_team_segment_state(team, rank, &buffers->output);
        }
        facts->inputs_reachable &= input != SYMM_SEGMENT_REFUSED ||
                                   (line->flags & LINE_NO_INPUT) != 0;
        facts->outputs_reachable &= output != SYMM_SEGMENT_REFUSED ||
                                    (line->flags & LINE_NO_OUTPUT) != 0;
        facts->extents_differ |= buffers->element != element;
        facts->shifted |= buffers->shifted != 0;
        facts->unmapped |= input == SYMM_SEGMENT_UNKNOWN || output == SYMM_SEGMENT_UNKNOWN;
    }
}

/* ---- mapping --------------------------------------------------------------------------------- */

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
    return (location->heap == SYMM_HEAP_IPC) == operation->holdings->mapping.of_elsewhere;
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
    bool *is_told = &operation->holdings->mapping.is_told;
    if (symm_team_segment_state(team, rank, location) != SYMM_SEGMENT_UNKNOWN ||
        !is_its_turn(operation, location)) {
        return SYMM_OK;
    }
    if (location->heap == SYMM_HEAP_IPC && operation->holdings->imports == NULL) {
        *is_told = mca_coll_symm_component.ipc_bytes == 0; /* the user has disabled it */
        return *is_told ? SYMM_ERR_FOREIGN : SYMM_ERR_NO_MEMORY;
    }
    if (location->heap == SYMM_HEAP_IPC) {
        return mca_coll_symm_device_opened(
            operation, rank,
            symm_team_open(team, rank, operation->holdings->imports, location, segment->handle,
                           operation->call->device), is_told);
    }
    enum symm_status status = symm_team_map(team, rank, location);
    return mca_coll_symm_device_reach(operation, rank, location, status, is_told);
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

/* Go on mapping what the lines name.  False: that is not over; a failure is in the mapping. */
static bool segments_map(struct symm_operation *operation)
{
    struct symm_team *team = operation->lane->team;
    struct symm_mapping *mapping = &operation->holdings->mapping;
    struct line_segment segments[LINE_SEGMENTS];
    if (mapping->rank == 0 && mapping->status == SYMM_OK) {
        mapping->of_elsewhere = !heaps_have_turn(operation);
        mapping->status = mca_coll_symm_device_prepare(operation, &mapping->is_told);
        opened_use(operation);
    }
    for (; mapping->rank < team->size; mapping->rank++) {
        int count = segments_of(mca_coll_symm_line(operation, mapping->rank), segments);
        enum symm_status status = SYMM_OK;
        errno = 0;
        for (int i = 0; i < count && status == SYMM_OK; i++) {
            status = segment_map(operation, mapping->rank, &segments[i]);
        }
        if (status == SYMM_PENDING) {
            return false;
        }
        if (mapping->status == SYMM_OK) {
            mapping->status = status;
            mapping->error = errno;
        }
    }
    return true;
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

/* Record for the team how the mapping went. */
static void segments_settle(struct symm_operation *operation, bool all_mapped)
{
    struct line_segment segments[LINE_SEGMENTS];
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        int count = segments_of(mca_coll_symm_line(operation, rank), segments);
        for (int i = 0; i < count; i++) {
            segment_settle(operation, rank, segments[i].location, all_mapped);
        }
    }
}

/* ---- voting ---------------------------------------------------------------------------------- */

static bool chosen(struct symm_operation *operation, enum symm_algorithm algorithm,
                   const struct symm_facts *facts)
{
    (void)algorithm;
    if (facts->unmapped) {
        operation->holdings->mapping = (struct symm_mapping){.status = SYMM_OK};
        symm_vote_open(&operation->lane->vote, operation->comm);
    }
    return facts->unmapped;
}

/*
 * The first segment that the team meets: before it is mapped, the ranks vote whether all have the
 * memory to keep account of segments.
 */
static void tables_get(struct symm_operation *operation)
{
    struct symm_mapping *mapping = &operation->holdings->mapping;
    errno = 0;
    mapping->status = symm_team_tables_get(operation->lane->team);
    mapping->error = errno;
}

/* Map, and vote about it.  Returns true if this rank has voted. */
static bool is_cast(struct symm_operation *operation)
{
    struct mca_coll_symm_lane *lane = operation->lane;
    struct symm_mapping *mapping = &operation->holdings->mapping;
    if (mapping->is_cast) {
        return true;
    }
    if (!lane->team->has_tables) {
        tables_get(operation);
    } else if (!segments_map(operation)) {
        return false;
    }
    if (mapping->status != SYMM_OK) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_TROUBLE, operation->comm,
                                    "rank %d cannot map a peer's memory, such buffers are staged "
                                    "instead: %s", lane->team->rank,
                                    symm_status_string(mapping->status));
    }
    symm_vote_cast(&lane->vote, operation->comm,
                   mca_coll_symm_shortage(mapping->status, mapping->error) |
                       (mapping->is_told ? MCA_COLL_SYMM_TOLD : 0));
    mapping->is_cast = true;
    return true;
}

static enum symm_status set_up(struct symm_operation *operation)
{
    struct mca_coll_symm_lane *lane = operation->lane;
    bool all_yes;
    enum symm_status status = !is_cast(operation)
                                  ? SYMM_PENDING
                                  : symm_vote_test(&lane->vote, operation->comm, &all_yes);
    if (status != SYMM_OK) {
        return status;
    }
    if (!all_yes) {
        mca_coll_symm_vote_lost_warn(operation, MCA_COLL_SYMM_CANNOT_MAP);
    }
    if (lane->team->has_tables) {
        segments_settle(operation, all_yes);
    } else {
        symm_team_tables_settle(lane->team, all_yes);
    }
    return SYMM_OK;
}

/* ---- when the run starts --------------------------------------------------------------------- */

/*
 * Returns where a peer's buffer is in this process, or NULL if this rank cannot reach it.  Sets
 * *lost if all ranks count on this rank to reach it.
 */
static void *buffer_address(const struct symm_operation *operation, int rank, bool in_heap,
                            const struct symm_location *location, bool *lost)
{
    struct symm_team *team = operation->lane->team;
    if (!in_heap || symm_team_segment_state(team, rank, location) != SYMM_SEGMENT_MAPPED ||
        rank == team->rank) {
        return NULL;
    }
    if (location->heap != SYMM_HEAP_IPC) {
        return symm_team_address(team, rank, location);
    }
    void *address = symm_team_opened(team, rank, location, operation->call->device);
    *lost = *lost || address == NULL;
    return address;
}

/*
 * All ranks meet here, so this also unmaps segments that others have given back.  Memory from
 * elsewhere may be lost: its owner has freed it after the call had begun.
 */
static bool resolve(struct symm_operation *operation, const struct symm_facts *facts)
{
    struct symm_team *team = operation->lane->team;
    const struct symm_work *work = &operation->work;
    bool lost = false;
    (void)facts;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_buffers *buffers = buffers_of(line);
        if ((line->flags & LINE_ALONG) != 0) { /* it does not describe buffers */
            work->inputs[rank] = work->outputs[rank] = NULL;
            continue;
        }
        symm_team_collect(team, rank, buffers->heap, buffers->retired);
        work->inputs[rank] = buffer_address(operation, rank,
                                            (line->flags & LINE_INPUT_IN_HEAP) != 0,
                                           &buffers->input, &lost);
        work->outputs[rank] = buffer_address(operation, rank,
                                             (line->flags & LINE_OUTPUT_IN_HEAP) != 0,
                                            &buffers->output, &lost);
    }
    work->inputs[team->rank] = work->input;
    work->outputs[team->rank] = work->output;
    return !lost;
}

const struct symm_resource mca_coll_symm_segments = {
    .name = "segments", .on_host = true, .note = note, .chosen = chosen, .set_up = set_up,
    .resolve = resolve,
};
