/*
 * agree/facts.c - see agree/facts.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/facts.h"

#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/resources/resource.h"

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
        facts->extents_differ |= buffers->element != element;
        facts->shifted |= buffers->shifted != 0;
        *unknown |= input == SYMM_SEGMENT_UNKNOWN || output == SYMM_SEGMENT_UNKNOWN;
    }
    if (has_blocks) {
        mca_coll_symm_blocks_facts(operation, facts);
    }
    mca_coll_symm_resources_note(operation, facts, unknown);
}
