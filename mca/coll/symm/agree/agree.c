/*
 * agree/agree.c - see agree/agree.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/agree.h"

#include <errno.h>

#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/device/device.h"
#include "mca/coll/symm/agree/line.h"
#include "mca/coll/symm/agree/multicast.h"

struct symm_line *mca_coll_symm_line(const struct symm_operation *operation, int rank)
{
    return symm_control_line(&operation->module->team->control, operation->sequence, rank);
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum symm_reason veto_of(const struct symm_line *line)
{
    uint32_t reason = line->flags >> LINE_VETO_SHIFT;
    return reason < SYMM_REASON_COUNT ? (enum symm_reason)reason : SYMM_REASON_PEER;
}

enum symm_agreement mca_coll_symm_lines_read(struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    const struct symm_call *call = &operation->call;
    uint32_t now = (uint32_t)operation->sequence;
    for (; operation->seen < team->size; operation->seen++) {
        struct symm_line *line = mca_coll_symm_line(operation, operation->seen);
        if (!symm_line_is_posted(line, operation->sequence)) {
            return SYMM_AGREEMENT_PENDING;
        }
        if ((line->flags & LINE_VETO) != 0) {
            operation->peer_reason = veto_of(line);
            return SYMM_AGREEMENT_VETO;
        }
        /* Every rank finds one that differs from itself, if any two differ. */
        if (((line->flags & LINE_DEVICE) != 0) != (call->device >= 0)) {
            operation->peer_reason = SYMM_REASON_MIXED;
            return SYMM_AGREEMENT_VETO;
        }
        if (line->signature != call->signature || line->count != call->agreed_count) {
            operation->mismatch = operation->seen;
        }
        if (operation->in_slot) {
            symm_line_fetch(line, call->payload_bytes);
        }
        /* Counters wrap; what counts is how far behind this call they are. */
        if (now - line->finished > now - operation->least_finished) {
            operation->least_finished = line->finished;
        }
    }
    team->finished_by_all = operation->sequence - (uint32_t)(now - operation->least_finished);
    return operation->mismatch < 0 ? SYMM_AGREEMENT_ALIKE : SYMM_AGREEMENT_MISMATCH;
}

/* ---- buffers of all ranks -------------------------------------------------------------------- */

static enum symm_segment_state scratch_state(const struct symm_team *team, int rank,
                                             const struct symm_line *line)
{
    return (line->flags & LINE_SCRATCH) != 0
               ? symm_team_segment_state(team, rank, &scratch_of(line)->where)
               : SYMM_SEGMENT_REFUSED;
}

/* What the team knows about segments depends on the devices that the ranks use in this call. */
static void devices_note(const struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        symm_team_note_device(team, rank, (uint8_t)(line->flags >> LINE_DEVICE_SHIFT));
        if (operation->call.device >= 0) {
            symm_team_note_dropped(team, rank, buffers_of(line)->dropped);
        }
    }
    symm_team_devices_done(team);
    symm_team_dropped_done(team);
}

/* A buffer from elsewhere that some rank has not been able to open. */
static bool is_closed(uint32_t is_there, const struct symm_location *location,
                      enum symm_segment_state state)
{
    return is_there != 0 && location->heap == SYMM_HEAP_IPC && state == SYMM_SEGMENT_REFUSED;
}

void mca_coll_symm_facts_gather(struct symm_operation *operation, struct symm_facts *facts,
                                bool *unknown)
{
    const struct symm_team *team = operation->module->team;
    const struct symm_call *call = &operation->call;
    *facts = (struct symm_facts){
        .table = mca_coll_symm_choose_table(team),
        .collective = call->collective,
        .ranks = team->size,
        .bytes = call->payload_bytes,
        .staged_max = mca_coll_symm_choose_staged_max(team),
        .piece_size = team->control.piece_size,
        .forced = mca_coll_symm_choose_forced(call->collective, team),
        .device = call->device >= 0,
        .inputs_reachable = true,
        .outputs_reachable = true,
        .out_of_place = true,
        .scratch_size = SIZE_MAX,
        .asked = true,
        .slices = true,
    };
    *unknown = false;
    devices_note(operation);
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_buffers *buffers = buffers_of(line);
        enum symm_segment_state input = SYMM_SEGMENT_REFUSED, output = SYMM_SEGMENT_REFUSED;
        if ((line->flags & LINE_INPUT_IN_HEAP) != 0) {
            input = symm_team_segment_state(team, rank, &buffers->input);
        }
        if ((line->flags & LINE_OUTPUT_IN_HEAP) != 0) {
            output = symm_team_segment_state(team, rank, &buffers->output);
        }
        facts->inputs_reachable &= input != SYMM_SEGMENT_REFUSED;
        facts->outputs_reachable &= output != SYMM_SEGMENT_REFUSED;
        facts->out_of_place &= (line->flags & LINE_IN_PLACE) == 0;
        facts->gaps |= (line->flags & LINE_GAPS) != 0;
        facts->kept |= (line->flags & LINE_KEPT) != 0;
        facts->closed |=
            is_closed(line->flags & LINE_INPUT_IN_HEAP, &buffers->input, input) ||
            is_closed(line->flags & LINE_OUTPUT_IN_HEAP, &buffers->output, output);
        facts->asked &= (line->flags & LINE_ASKED) != 0;
        facts->slices &= (line->flags & LINE_SLICES) != 0;
        facts->small_pages |= (line->flags & LINE_SMALL_PAGES) != 0;
        facts->extents_differ |= buffers->extent != (uint32_t)call->extent;
        enum symm_segment_state scratch = scratch_state(team, rank, line);
        if (scratch == SYMM_SEGMENT_REFUSED) {
            facts->scratch_size = 0;
        } else if (scratch_of(line)->size < facts->scratch_size) {
            facts->scratch_size = (size_t)scratch_of(line)->size;
        }
        *unknown |= input == SYMM_SEGMENT_UNKNOWN || output == SYMM_SEGMENT_UNKNOWN ||
                    scratch == SYMM_SEGMENT_UNKNOWN;
    }
    if (!*unknown) {
        mca_coll_symm_multicast_facts(operation, facts);
    }
}

/* A segment that a line names. */
struct line_segment {
    const struct symm_location *location;
    const struct symm_ipc_handle *handle; /* where it is memory from elsewhere */
};

enum { LINE_SEGMENTS = 3 };

/* The segments of a line in their order; how many it names. */
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

/* What is refused with memory from elsewhere must not be a heap's: the ranks vote on the latter before. */
static bool is_its_turn(const struct symm_operation *operation,
                        const struct symm_location *location)
{
    return (location->heap == SYMM_HEAP_IPC) == operation->maps_elsewhere;
}

/*
 * Map one buffer of a rank for the device of this call, unless the team knows about its segment, or it is not
 * its turn.
 */
static enum symm_status segment_map(struct symm_operation *operation, int rank,
                                    const struct line_segment *segment)
{
    struct symm_team *team = operation->module->team;
    const struct symm_location *location = segment->location;
    if (symm_team_segment_state(team, rank, location) != SYMM_SEGMENT_UNKNOWN ||
        !is_its_turn(operation, location)) {
        return SYMM_OK;
    }
    if (location->heap == SYMM_HEAP_IPC && operation->imports == NULL) {
        operation->map_told = mca_coll_symm_component.ipc_bytes == 0; /* the user has said so */
        return operation->map_told ? SYMM_ERR_FOREIGN : SYMM_ERR_NO_MEMORY;
    }
    if (location->heap == SYMM_HEAP_IPC) {
        return mca_coll_symm_device_opened(
            operation, rank,
            symm_team_open(team, rank, operation->imports, location, segment->handle,
                           operation->call.device));
    }
    enum symm_status status = symm_team_map(team, rank, location);
    return mca_coll_symm_device_reach(operation, rank, location, status);
}

/* What is open and needed by this call must not go to make room for what is not open. */
static void opened_use(const struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    struct line_segment segments[LINE_SEGMENTS];
    for (int rank = 0; rank < team->size && operation->call.device >= 0; rank++) {
        int count = segments_of(mca_coll_symm_line(operation, rank), segments);
        for (int i = 0; i < count; i++) {
            const struct symm_location *location = segments[i].location;
            if (location->heap == SYMM_HEAP_IPC &&
                symm_team_segment_state(team, rank, location) == SYMM_SEGMENT_MAPPED) {
                (void)symm_team_opened(team, rank, location, operation->call.device);
            }
        }
    }
}

/* Whether some segment of a heap is to be mapped; all ranks find the same. */
static bool heaps_have_turn(const struct symm_operation *operation)
{
    const struct symm_team *team = operation->module->team;
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
    struct symm_team *team = operation->module->team;
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
    struct symm_team *team = operation->module->team;
    if (symm_team_segment_state(team, rank, location) == SYMM_SEGMENT_UNKNOWN &&
        is_its_turn(operation, location)) {
        symm_team_set_segment_state(team, rank, location,
                                    all_mapped ? SYMM_SEGMENT_MAPPED : SYMM_SEGMENT_REFUSED);
    }
}

void mca_coll_symm_segments_settle(struct symm_operation *operation, bool all_mapped)
{
    struct line_segment segments[LINE_SEGMENTS];
    for (int rank = 0; rank < operation->module->team->size; rank++) {
        int count = segments_of(mca_coll_symm_line(operation, rank), segments);
        for (int i = 0; i < count; i++) {
            segment_settle(operation, rank, segments[i].location, all_mapped);
        }
    }
}

/* NULL for a buffer that this rank cannot reach; *lost: all ranks count on it that it can. */
static void *buffer_address(const struct symm_operation *operation, int rank, bool in_heap,
                            const struct symm_location *location, bool *lost)
{
    struct symm_team *team = operation->module->team;
    if (!in_heap || symm_team_segment_state(team, rank, location) != SYMM_SEGMENT_MAPPED ||
        rank == team->rank) {
        return NULL;
    }
    if (location->heap != SYMM_HEAP_IPC) {
        return symm_team_address(team, rank, location);
    }
    void *address = symm_team_opened(team, rank, location, operation->call.device);
    *lost = *lost || address == NULL;
    return address;
}

bool mca_coll_symm_buffers_resolve(struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    struct symm_run *run = &operation->run;
    bool lost = false;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_buffers *buffers = buffers_of(line);
        symm_team_collect(team, rank, buffers->heap, buffers->retired);
        run->inputs[rank] = buffer_address(operation, rank,
                                           (line->flags & LINE_INPUT_IN_HEAP) != 0,
                                           &buffers->input, &lost);
        run->outputs[rank] = buffer_address(operation, rank,
                                            (line->flags & LINE_OUTPUT_IN_HEAP) != 0,
                                            &buffers->output, &lost);
        run->scratches[rank] = (line->flags & LINE_SCRATCH) == 0
                                   ? NULL : buffer_address(operation, rank, true,
                                                           &scratch_of(line)->where, &lost);
    }
    run->inputs[team->rank] = run->input;
    run->outputs[team->rank] = run->output;
    run->scratches[team->rank] = operation->scratch;
    if (symm_algorithm_is_multimem(run->algorithm)) {
        mca_coll_symm_multicast_resolve(operation);
    }
    return !lost;
}
