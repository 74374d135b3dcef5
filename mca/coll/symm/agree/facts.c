/*
 * agree/facts.c - see agree/facts.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/facts.h"

#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/agree/line.h"
#include "mca/coll/symm/agree/multicast.h"
#include "mca/coll/symm/agree/pads.h"

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

/* Whether some rank has not been able to open a buffer from elsewhere. */
static bool is_closed(uint32_t is_there, const struct symm_location *location,
                      enum symm_segment_state state)
{
    return is_there != 0 && location->heap == SYMM_HEAP_IPC && state == SYMM_SEGMENT_REFUSED;
}

/* A rank offers a pad, or scratch, or neither. */
static void scratch_note(struct symm_facts *facts, const struct symm_line *line,
                         enum symm_segment_state state)
{
    size_t size = state == SYMM_SEGMENT_REFUSED ? 0 : (size_t)scratch_of(line)->size;
    bool is_pad = size > 0 && scratch_of(line)->is_pad != 0;
    size_t scratch = is_pad ? 0 : size, pad = is_pad ? size : 0;
    facts->scratch_size = scratch < facts->scratch_size ? scratch : facts->scratch_size;
    facts->pad_size = pad < facts->pad_size ? pad : facts->pad_size;
}

void mca_coll_symm_facts_gather(struct symm_operation *operation, struct symm_facts *facts,
                                bool *unknown)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_call *call = operation->call;
    *facts = (struct symm_facts){
        .table = mca_coll_symm_choose_table(team),
        .collective = call->collective,
        .ranks = team->size,
        .bytes = call->payload_bytes,
        .packed = call->payload_bytes,
        .piece_size = team->control.piece_size,
        .forced = mca_coll_symm_choose_forced(call->collective, team),
        .device = call->device >= 0,
        .beside = call->form != SYMM_CALL_BLOCKING,
        .inputs_reachable = true,
        .outputs_reachable = true,
        .out_of_place = true,
        .scratch_size = SIZE_MAX,
        .pad_size = SIZE_MAX,
        .asked = true,
        .slices = true,
    };
    bool has_blocks = symm_collective_get(call->collective)->has_blocks;
    const uint32_t element = mca_coll_symm_operation_element(operation) & LINE_ELEMENT_MOST;
    bool to_root = symm_collective_get(call->collective)->to_root;
    *unknown = false;
    devices_note(operation);
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_buffers *buffers = buffers_of(line);
        enum symm_segment_state input = SYMM_SEGMENT_REFUSED, output = SYMM_SEGMENT_REFUSED;
        facts->out_of_place &= (line->flags & LINE_IN_PLACE) == 0;
        if ((line->flags & LINE_ALONG) != 0) { /* its data are in the line, for anybody */
            facts->gaps |= (line->flags & LINE_GAPS) != 0;
            facts->outputs_reachable &= to_root && rank != call->root; /* which has no output */
            facts->scratch_size = 0;
            facts->pad_size = 0;
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
        facts->gaps |= (line->flags & LINE_GAPS) != 0;
        facts->withheld |= (line->flags & LINE_WITHHELD) != 0;
        facts->closed |=
            is_closed(line->flags & LINE_INPUT_IN_HEAP, &buffers->input, input) ||
            is_closed(line->flags & LINE_OUTPUT_IN_HEAP, &buffers->output, output);
        facts->asked &= (line->flags & LINE_ASKED) != 0;
        facts->slices &= (line->flags & LINE_SLICES) != 0;
        facts->small_pages |= (line->flags & LINE_SMALL_PAGES) != 0;
        facts->extents_differ |= buffers->element != element;
        facts->shifted |= buffers->shifted != 0;
        enum symm_segment_state scratch = scratch_state(team, rank, line);
        scratch_note(facts, line, scratch);
        *unknown |= input == SYMM_SEGMENT_UNKNOWN || output == SYMM_SEGMENT_UNKNOWN ||
                    scratch == SYMM_SEGMENT_UNKNOWN;
    }
    if (has_blocks) {
        mca_coll_symm_blocks_facts(operation, facts);
    }
    if (call->device >= 0) {
        mca_coll_symm_pads_facts(operation, facts);
    }
    if (!*unknown) {
        mca_coll_symm_multicast_facts(operation, facts);
    }
}
