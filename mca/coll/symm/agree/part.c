/*
 * agree/part.c - see agree/part.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/part.h"

#include "kernels/run_steps.h"
#include "mca/coll/symm/agree/blocks_line.h"

void mca_coll_symm_begins_find(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    size_t *begins = operation->run.begins, ranks = (size_t)operation->lane->team->size;
    bool has_counts = row_of(operation)->has_counts;
    begins[0] = 0;
    for (size_t rank = 0; rank < ranks; rank++) {
        begins[rank + 1] = begins[rank] + (has_counts ? symm_count_at(call->counts, rank)
                                                      : call->count / ranks);
    }
}

/* The block of this rank in a reduce-scatter, which is at the same place in all inputs. */
static void block_find(struct symm_operation *operation)
{
    const size_t *begin = &operation->run.begins[operation->lane->team->rank];
    size_t extent = operation->call->reduction.extent;
    operation->part_begin = begin[0] * extent;
    operation->part_bytes = (begin[1] - begin[0]) * extent;
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

/* The blocks of an all-to-all, which are equal. */
static void equal_find(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    operation->part_begin = 0;
    operation->part_bytes = call->payload_bytes / (size_t)operation->lane->team->size;
    operation->part_step = operation->part_bytes;
}

void mca_coll_symm_part_find_divided(struct symm_operation *operation)
{
    if (row_of(operation)->has_tables) {
        expected_find(operation);
    } else if (row_of(operation)->scatters) {
        block_find(operation);
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
        symm_line_fetch_part(line, entry, 2 * sizeof(along->at[0]));
    }
    if (begin < team->control.payload_size) {
        symm_line_fetch_part(line, begin, operation->part_bytes);
    }
}
