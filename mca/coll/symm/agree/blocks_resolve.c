/*
 * agree/blocks_resolve.c - the blocks of a run that has started: where each comes from, and where
 * it goes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/run_steps.h"
#include "mca/coll/symm/agree/blocks_line.h"
#include "mca/coll/symm/base/steps.h"

static void even_resolve(struct symm_operation *operation, struct symm_block *block, int rank)
{
    const struct symm_team *team = operation->lane->team;
    size_t bytes = operation->call->input.largest, me = (size_t)team->rank;
    size_t from = operation->in_slot ? symm_slot_place(team, rank, team->rank) : me;
    *block = (struct symm_block){
        .send_at = (size_t)rank * bytes, .send_bytes = bytes,
        .receive_at = (size_t)rank * bytes, .receive_bytes = bytes,
        .from_at = from * bytes, .from_bytes = bytes,
        .to_at = me * bytes, .to_bytes = bytes,
    };
}

/* The block that a rank's line has for this rank. */
static void along_find(struct symm_operation *operation, struct symm_block *block, int rank)
{
    operation->work.inputs[rank] =
        mca_coll_symm_blocks_along(operation, rank, &block->from_bytes);
    block->from_at = 0;
}

/*
 * What has come with a line, and the place for it: all that a call in the slot needs to know.
 * Whether the block is longer than its place.
 */
static bool slot_resolve(struct symm_operation *operation, struct symm_block *block, int rank)
{
    const struct symm_call *call = operation->call;
    bool has_gaps = (call->gaps & SYMM_GAPS_OUTPUT) != 0;
    if (operation->own.stays && rank == operation->lane->team->rank) {
        *block = (struct symm_block){.send_at = 0}; /* is copied already */
        return false;
    }
    block->receive_bytes = block_locate(&call->output.side, has_gaps, (size_t)rank, call->output.at,
                                        &block->receive_at);
    if (row_of(operation)->gathers) {
        operation->work.inputs[rank] = mca_coll_symm_line(operation, rank)->payload;
        block->from_at = 0;
        block->from_bytes = block->receive_bytes;
        return false;
    }
    along_find(operation, block, rank);
    return block->from_bytes > block->receive_bytes;
}

static void gather_resolve(struct symm_operation *operation, struct symm_block *block, int rank)
{
    const struct symm_line *line = mca_coll_symm_line(operation, rank);
    int me = operation->lane->team->rank;
    block->from_at = 0;
    block->from_bytes = block->receive_bytes;
    block->to_at = operation->call->device >= 0 ? table_of(line)->entries[me].receive_at : 0;
    block->to_bytes = block->send_bytes;
}

/* Whether the block is longer than its place. */
static bool table_resolve(struct symm_operation *operation, struct symm_block *block, int rank)
{
    const struct symm_line *line = mca_coll_symm_line(operation, rank);
    if ((line->flags & LINE_ALONG) != 0) {
        along_find(operation, block, rank);
        block->to_at = 0;
        block->to_bytes = 0;
    } else {
        const struct line_entry *entry =
            &table_of(line)->entries[operation->lane->team->rank];
        block->from_at = entry->send_at;
        block->from_bytes = entry->send_bytes;
        block->to_at = entry->receive_at;
        block->to_bytes = entry->receive_bytes;
    }
    return block->from_bytes > block->receive_bytes;
}

/* This rank's data have come with its line: others may write to where they were. */
static void along_resolve(struct symm_operation *operation)
{
    const struct symm_line *line = mca_coll_symm_line(operation, operation->lane->team->rank);
    struct symm_block *blocks = operation->work.blocks;
    if ((line->flags & LINE_ALONG) == 0) {
        return;
    }
    operation->work.input = line->payload + along_head(operation->lane->team->size);
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        blocks[rank].send_at = along_of(line)->at[rank];
    }
}

/* Whether some block is longer than its place. */
static bool memory_resolve(struct symm_operation *operation)
{
    const struct symm_collective_row *row = row_of(operation);
    struct symm_block *blocks = operation->work.blocks;
    bool is_truncated = false;
    if (row->gathers || row->has_tables) {
        mca_coll_symm_blocks_own(operation);
    }
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        if (row->gathers) {
            gather_resolve(operation, &blocks[rank], rank);
        } else if (row->has_tables) {
            is_truncated |= table_resolve(operation, &blocks[rank], rank);
        } else {
            even_resolve(operation, &blocks[rank], rank);
        }
    }
    if (row->has_tables) {
        along_resolve(operation);
    }
    operation->work.largest = mca_coll_symm_blocks_largest(operation);
    return is_truncated;
}

void mca_coll_symm_blocks_resolve(struct symm_operation *operation)
{
    bool is_even = operation->call->collective == SYMM_ALLTOALL, is_truncated = false;
    if (operation->in_slot && is_even && operation->call->gaps == 0) {
        return; /* see exchange_inline.c */
    }
    mca_coll_symm_blocks_own_copy(operation);
    if (operation->in_slot && !is_even) {
        for (int rank = 0; rank < operation->lane->team->size; rank++) {
            is_truncated |= slot_resolve(operation, &operation->work.blocks[rank], rank);
        }
    } else {
        is_truncated = memory_resolve(operation);
    }
    if (is_truncated) {
        operation->steps = operation->steps->truncated;
    }
}
