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
    size_t *begins = operation->work.begins, ranks = (size_t)operation->lane->team->size;
    bool has_counts = row_of(operation)->has_counts;
    begins[0] = 0;
    for (size_t rank = 0; rank < ranks; rank++) {
        begins[rank + 1] = begins[rank] + (has_counts ? symm_count_at(call->counts, rank)
                                                      : call->count / ranks);
    }
}

/* The part of each payload that is for one rank, if no block is before it. */
struct part {
    size_t begin, bytes;
    size_t step; /* it is so much further on for each block before it */
};

/* The block of this rank in a reduce-scatter, which is at the same place in all inputs. */
static struct part reduced_part(const struct symm_operation *operation)
{
    const size_t *begin = &operation->work.begins[operation->lane->team->rank];
    size_t extent = operation->call->reduction.extent;
    return (struct part){begin[0] * extent, (begin[1] - begin[0]) * extent, 0};
}

/*
 * Where ranks have tables, only a sender knows how long its blocks are, so they are taken to be as
 * long as those that this rank gets on average.  The blocks of an all-to-all are equal.
 */
static struct part block_part(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    const int ranks = operation->lane->team->size;
    bool has_table = row_of(operation)->has_tables;
    size_t bytes = (has_table ? call->output.data : call->payload_bytes) / (size_t)ranks;
    return (struct part){has_table ? along_head(ranks) : 0, bytes, bytes};
}

void mca_coll_symm_part_fetch_divided(const struct symm_operation *operation,
                                      const struct symm_line *line, int rank)
{
    const struct symm_team *team = operation->lane->team;
    bool has_table = row_of(operation)->has_tables;
    if (rank == team->rank || (has_table && (line->flags & LINE_ALONG) == 0)) {
        return; /* this rank's own line, or one without data */
    }
    struct part part = row_of(operation)->scatters ? reduced_part(operation)
                                                   : block_part(operation);
    size_t begin = part.begin + symm_slot_place(team, rank, team->rank) * part.step;
    if (has_table) { /* which says where the block is */
        const struct line_along *along = along_of(line);
        size_t entry = (size_t)((const unsigned char *)&along->at[team->rank] - line->payload);
        symm_line_fetch_part(line, entry, 2 * sizeof(along->at[0]));
    }
    if (begin < team->control.payload_size) {
        symm_line_fetch_part(line, begin, part.bytes);
    }
}
