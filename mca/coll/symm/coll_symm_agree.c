/*
 * coll_symm_agree.c - see coll_symm_agree.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_agree.h"

#include <errno.h>

#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/coll_symm_device.h"

/* Flags of a line: what may differ between ranks. */
enum {
    LINE_VETO = 1,
    LINE_INPUT_IN_HEAP = 2,
    LINE_OUTPUT_IN_HEAP = 4,
    LINE_IN_PLACE = 8,
    LINE_GAPS = 16,
    LINE_DEVICE = 32,
    LINE_VETO_SHIFT = 8, /* from this bit on: the reason of a veto, for verbose output */
    LINE_DEVICE_SHIFT = 16, /* without a veto, 8 bits: the rank's device, plus 1; 0 for the host's */
};

/* The payload of a line whose data does not travel in it. */
struct line_buffers {
    struct symm_location input, output;
    uint32_t heap;    /* of both, where they are in one */
    uint32_t retired; /* segments of it that this rank has given back so far */
    uint32_t extent;  /* of an element: ranks cut arrays alike only where it is */
};

_Static_assert(sizeof(struct line_buffers) <= SYMM_CACHE_LINE, "it fits the smallest payload");

struct symm_line *mca_coll_symm_line(const struct symm_operation *operation, int rank)
{
    return symm_control_line(&operation->module->team->control, operation->sequence, rank);
}

static const struct line_buffers *buffers_of(const struct symm_line *line)
{
    return (const struct line_buffers *)(const void *)line->payload;
}

/* ---- posting --------------------------------------------------------------------------------- */

/*
 * An all-reduce whose output lies in the heap and whose input does not: with a copy of the input in the
 * output it is an in-place one, which peers can reach.  Staging would copy the input as well.
 */
static void input_adopt(struct symm_call *call)
{
    memcpy(call->output, call->input, call->count * call->extent);
    call->input = call->output;
    call->in_place = true;
}

static uint32_t buffers_describe(struct symm_call *call, struct symm_team *team,
                                 struct line_buffers *buffers)
{
    struct symm_process *process = team->process;
    uint32_t flags = 0, heap = 0;
    if ((call->gaps & SYMM_GAPS_OUTPUT) == 0 &&
        symm_process_locate(process, call->output, call->output_bytes, &buffers->output) ==
            SYMM_OK) {
        flags |= LINE_OUTPUT_IN_HEAP;
        heap = buffers->output.heap;
    }
    if ((call->gaps & SYMM_GAPS_INPUT) == 0 &&
        symm_process_locate(process, call->input, call->count * call->extent, &buffers->input) ==
            SYMM_OK) {
        heap = buffers->input.heap; /* the other one's as well, unless that is in none */
        flags |= LINE_INPUT_IN_HEAP;
    } else if ((flags & LINE_OUTPUT_IN_HEAP) != 0 && call->collective == SYMM_ALLREDUCE &&
               call->device < 0) {
        input_adopt(call);
        buffers->input = buffers->output;
        flags |= LINE_INPUT_IN_HEAP;
    }
    buffers->heap = heap;
    buffers->retired = symm_heap_retired(symm_process_heap_at(process, heap));
    buffers->extent = (uint32_t)call->extent;
    return flags | (call->in_place ? LINE_IN_PLACE : 0) | (call->gaps != 0 ? LINE_GAPS : 0) |
           (call->device >= 0 ? LINE_DEVICE : 0) |
           (uint32_t)(call->device + 1) << LINE_DEVICE_SHIFT;
}

void mca_coll_symm_line_post(struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    struct symm_call *call = &operation->call;
    struct symm_line *line = mca_coll_symm_line(operation, team->rank);
    line->signature = call->signature;
    line->count = call->agreed_count;
    line->finished = (uint32_t)team->finished;
    if (call->veto != SYMM_REASON_NONE) {
        line->flags = LINE_VETO | (uint32_t)call->veto << LINE_VETO_SHIFT;
    } else if (operation->in_slot) {
        line->flags = call->device >= 0 ? LINE_DEVICE : 0;
        if (call->gaps == 0) {
            memcpy(line->payload, call->input, call->payload_bytes);
        } else {
            mca_coll_symm_pack(&call->source, call->send, line->payload);
        }
    } else {
        line->flags =
            buffers_describe(call, team, (struct line_buffers *)(void *)line->payload);
    }
    symm_line_post(line, operation->sequence);
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
        /* Counters wrap; what counts is how far behind this call they are. */
        if (now - line->finished > now - operation->least_finished) {
            operation->least_finished = line->finished;
        }
    }
    team->finished_by_all = operation->sequence - (uint32_t)(now - operation->least_finished);
    return operation->mismatch < 0 ? SYMM_AGREEMENT_ALIKE : SYMM_AGREEMENT_MISMATCH;
}

/* ---- buffers of all ranks -------------------------------------------------------------------- */

/* What the team knows about segments depends on the devices that the ranks use in this call. */
static void devices_note(const struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        symm_team_note_device(team, rank, (uint8_t)(line->flags >> LINE_DEVICE_SHIFT));
    }
    symm_team_devices_done(team);
}

void mca_coll_symm_facts_gather(const struct symm_operation *operation, struct symm_facts *facts,
                                bool *unknown)
{
    const struct symm_team *team = operation->module->team;
    const struct symm_call *call = &operation->call;
    *facts = (struct symm_facts){
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
        facts->extents_differ |= buffers->extent != (uint32_t)call->extent;
        *unknown |= input == SYMM_SEGMENT_UNKNOWN || output == SYMM_SEGMENT_UNKNOWN;
    }
}

/* Map one buffer of a rank for the device of this call, unless the team knows about its segment. */
static enum symm_status segment_map(struct symm_operation *operation, int rank,
                                    const struct symm_location *location)
{
    struct symm_team *team = operation->module->team;
    if (symm_team_segment_state(team, rank, location) != SYMM_SEGMENT_UNKNOWN) {
        return SYMM_OK;
    }
    enum symm_status status = symm_team_map(team, rank, location);
    return mca_coll_symm_device_reach(operation, rank, location, status);
}

enum symm_status mca_coll_symm_segments_map(struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    if (operation->seen == 0 && operation->map_status == SYMM_OK) {
        operation->map_status = mca_coll_symm_device_prepare(operation);
    }
    for (; operation->seen < team->size; operation->seen++) {
        const struct symm_line *line = mca_coll_symm_line(operation, operation->seen);
        const struct line_buffers *buffers = buffers_of(line);
        enum symm_status status = SYMM_OK;
        errno = 0;
        if ((line->flags & LINE_INPUT_IN_HEAP) != 0) {
            status = segment_map(operation, operation->seen, &buffers->input);
        }
        if (status == SYMM_OK && (line->flags & LINE_OUTPUT_IN_HEAP) != 0) {
            status = segment_map(operation, operation->seen, &buffers->output);
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

static void segment_settle(struct symm_team *team, int rank, const struct symm_location *location,
                           bool all_mapped)
{
    if (symm_team_segment_state(team, rank, location) == SYMM_SEGMENT_UNKNOWN) {
        symm_team_set_segment_state(team, rank, location,
                                    all_mapped ? SYMM_SEGMENT_MAPPED : SYMM_SEGMENT_REFUSED);
    }
}

void mca_coll_symm_segments_settle(struct symm_operation *operation, bool all_mapped)
{
    struct symm_team *team = operation->module->team;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_buffers *buffers = buffers_of(line);
        if ((line->flags & LINE_INPUT_IN_HEAP) != 0) {
            segment_settle(team, rank, &buffers->input, all_mapped);
        }
        if ((line->flags & LINE_OUTPUT_IN_HEAP) != 0) {
            segment_settle(team, rank, &buffers->output, all_mapped);
        }
    }
}

/* NULL for a buffer that this rank cannot reach. */
static void *buffer_address(const struct symm_team *team, int rank, bool in_heap,
                            const struct symm_location *location)
{
    if (!in_heap || symm_team_segment_state(team, rank, location) != SYMM_SEGMENT_MAPPED) {
        return NULL;
    }
    return symm_team_address(team, rank, location);
}

void mca_coll_symm_buffers_resolve(struct symm_operation *operation)
{
    struct symm_team *team = operation->module->team;
    struct symm_run *run = &operation->run;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_buffers *buffers = buffers_of(line);
        symm_team_collect(team, rank, buffers->heap, buffers->retired);
        run->inputs[rank] = buffer_address(team, rank, (line->flags & LINE_INPUT_IN_HEAP) != 0,
                                           &buffers->input);
        run->outputs[rank] = buffer_address(team, rank, (line->flags & LINE_OUTPUT_IN_HEAP) != 0,
                                            &buffers->output);
    }
    run->inputs[team->rank] = run->input;
    run->outputs[team->rank] = run->output;
}
