/*
 * agree/buffers.c - see agree/buffers.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/buffers.h"

#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/resources/resource.h"

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

bool mca_coll_symm_buffers_resolve(struct symm_operation *operation,
                                   const struct symm_facts *facts)
{
    struct symm_team *team = operation->lane->team;
    struct symm_run *run = &operation->run;
    bool lost = false;
    for (int rank = 0; rank < team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        const struct line_buffers *buffers = buffers_of(line);
        if ((line->flags & LINE_ALONG) != 0) { /* it does not describe buffers */
            run->inputs[rank] = run->outputs[rank] = NULL;
            continue;
        }
        symm_team_collect(team, rank, buffers->heap, buffers->retired);
        run->inputs[rank] = buffer_address(operation, rank,
                                           (line->flags & LINE_INPUT_IN_HEAP) != 0,
                                           &buffers->input, &lost);
        run->outputs[rank] = buffer_address(operation, rank,
                                            (line->flags & LINE_OUTPUT_IN_HEAP) != 0,
                                            &buffers->output, &lost);
    }
    run->inputs[team->rank] = run->input;
    run->outputs[team->rank] = run->output;
    return mca_coll_symm_resources_resolve(operation, facts) && !lost;
}
