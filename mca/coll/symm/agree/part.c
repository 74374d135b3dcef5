/*
 * agree/part.c - see agree/part.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/part.h"

#include "kernels/run_steps.h"
#include "mca/coll/symm/agree/blocks_line.h"

/* The block of this rank in a reduce-scatter whose ranks have counts of their own. */
static void counted_find(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    size_t own = (size_t)operation->lane->team->rank, begin = 0;
    for (size_t rank = 0; rank < own; rank++) {
        begin += symm_count_at(call->counts, rank);
    }
    operation->part_begin = begin * call->reduction.extent;
    operation->part_bytes = symm_count_at(call->counts, own) * call->reduction.extent;
    operation->part_step = 0;
}

/*
 * Only a sender knows how long its blocks are, so they are taken to be as long as those that this
 * rank gets on average.
 */
static void expected_find(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    size_t ranks = (size_t)operation->lane->team->size;
    operation->part_begin = along_head((int)ranks);
    operation->part_bytes = call->received / ranks;
    operation->part_step = operation->part_bytes;
}

static void equal_find(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    const struct symm_team *team = operation->lane->team;
    bool is_all_to_all = call->collective == SYMM_ALLTOALL;
    operation->part_bytes = call->payload_bytes / (size_t)team->size;
    operation->part_begin = is_all_to_all ? 0 : (size_t)team->rank * operation->part_bytes;
    operation->part_step = is_all_to_all ? operation->part_bytes : 0;
}

/*
 * To fetch a cache line in vain costs less than to find the part of a short payload.  Of two ranks'
 * tables and blocks the other's block is nearly all.
 */
static bool is_worth_it(const struct symm_operation *operation)
{
    return row_of(operation)->has_tables
               ? operation->lane->team->size > 2
               : operation->call->payload_bytes > 2 * SYMM_CACHE_LINE;
}

void mca_coll_symm_part_find_divided(struct symm_operation *operation)
{
    operation->reads_part = is_worth_it(operation);
    if (!operation->reads_part) {
        return;
    }
    if (row_of(operation)->has_tables) {
        expected_find(operation);
    } else if (row_of(operation)->has_counts) {
        counted_find(operation);
    } else {
        equal_find(operation);
    }
}

void mca_coll_symm_part_fetch_divided(const struct symm_operation *operation,
                                      const struct symm_line *line, int rank)
{
    const struct symm_team *team = operation->lane->team;
    bool has_table = row_of(operation)->has_tables;
    if (rank == team->rank || (has_table && (line->flags & LINE_ALONG) == 0)) {
        return; /* this rank's own line, or one without data */
    }
    size_t before = symm_slot_place(team, rank, team->rank);
    size_t begin = operation->part_begin + before * operation->part_step;
    if (has_table) { /* which says where the block is */
        const struct line_along *along = along_of(line);
        size_t entry = (size_t)((const unsigned char *)&along->at[team->rank] - line->payload);
        symm_line_fetch(line, entry, 2 * sizeof(along->at[0]));
    }
    if (begin < team->control.payload_size) {
        symm_line_fetch(line, begin, operation->part_bytes);
    }
}
