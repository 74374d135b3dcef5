/*
 * agree/blocks.c - see agree/blocks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/blocks_line.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/run_steps.h"
#include "mca/coll/symm/choose/before.h"

/*
 * In an all-gather only those who store to others need to know the places of their blocks.  Ranks
 * on devices do; all have that alike, or none is served.
 */
static bool has_table(const struct symm_operation *operation)
{
    return row_of(operation)->has_tables ||
           (row_of(operation)->gathers && operation->call->device >= 0);
}

bool mca_coll_symm_blocks_in_place(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    return row_of(operation)->has_tables && (call->input.side.shape == SYMM_SIDE_OTHERS ||
                                             call->output.side.shape == SYMM_SIDE_OTHERS);
}

/* ---- before the line is posted --------------------------------------------------------------- */

/*
 * The block of this rank for itself is copied at once.  It travels with the line as the others do
 * if it has gaps, or is longer than its place.  Between two ranks it is half of the data.  A block
 * that no line could carry is copied later: the others wait for this rank's line, and the call may
 * yet be left to the component below, which copies it again.
 */
static struct symm_own_block own_find(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    size_t me = (size_t)operation->lane->team->rank;
    struct symm_own_block own = {.stays = (call->gaps & SYMM_GAPS_ANY) == 0};
    if (own.stays && call->payload_bytes > 0) { /* else it has no bytes */
        own.bytes = block_locate(&call->input.side, false, me, call->input.at, &own.from);
        own.stays = own.bytes <= block_locate(&call->output.side, false, me, call->output.at,
                                              &own.to);
    }
    return own;
}

bool mca_coll_symm_blocks_own_is_apart(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    return row_of(operation)->to_root && row_of(operation)->has_tables && call->device < 0 &&
           operation->lane->team->rank == call->root && operation->own.stays;
}

/*
 * The root of a gatherv knows that the others' blocks do not fit lines, on average.  Then its line
 * says where its output is, so that the others can store there, although nothing of its own has to
 * travel.
 */
static bool expects_more(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    const struct symm_team *team = operation->lane->team;
    if (!mca_coll_symm_blocks_own_is_apart(operation) || team->size == 1) {
        return false;
    }
    size_t average = (call->output.data - operation->own.bytes) / ((size_t)team->size - 1);
    return !mca_coll_symm_choose_inline(call->collective, team, along_head(team->size) + average);
}

bool mca_coll_symm_blocks_fit_lines(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    const struct symm_team *team = operation->lane->team;
    bool has_gaps = (call->gaps & SYMM_GAPS_OUTPUT) != 0;
    size_t largest = 0, at;
    for (int rank = 0; rank < team->size; rank++) {
        size_t bytes = rank == call->root ? 0
                                          : block_locate(&call->output.side, has_gaps, (size_t)rank,
                                                         call->output.at, &at);
        largest = bytes > largest ? bytes : largest;
    }
    return mca_coll_symm_choose_inline(call->collective, team, along_head(team->size) + largest);
}

bool mca_coll_symm_blocks_have_room(const struct symm_team *team)
{
    return TABLE_AT + sizeof(struct line_table) +
               (size_t)team->size * sizeof(struct line_entry) <= team->control.payload_size;
}

bool mca_coll_symm_blocks_prepare(struct symm_operation *operation, size_t *travels)
{
    const struct symm_team *team = operation->lane->team;
    size_t ranks = (size_t)team->size;
    bool has_room = mca_coll_symm_blocks_have_room(team);
    operation->own.stays = false;
    if (row_of(operation)->has_tables) {
        operation->own = own_find(operation);
        *travels += along_head(team->size) - (operation->own.stays ? operation->own.bytes : 0);
        *travels = expects_more(operation) ? SIZE_MAX : *travels;
        if (!has_room) {
            return false;
        }
    } else if (has_table(operation) && !has_room) {
        operation->veto = SYMM_REASON_TABLE;
    }
    if (operation->work.blocks == NULL) { /* it stays for all calls of the lane */
        operation->work.blocks = calloc(ranks, sizeof(struct symm_block));
    }
    if (operation->work.blocks == NULL && operation->veto == SYMM_REASON_NONE) {
        operation->veto = SYMM_REASON_TABLE;
    }
    return true;
}

void mca_coll_symm_blocks_own(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    struct symm_block *blocks = operation->work.blocks;
    bool input_gaps = (call->gaps & SYMM_GAPS_INPUT) != 0;
    bool output_gaps = (call->gaps & SYMM_GAPS_OUTPUT) != 0;
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        struct symm_block *block = &blocks[rank];
        block->send_bytes = block_locate(&call->input.side, input_gaps, (size_t)rank,
                                         call->input.at,
                                         &block->send_at);
        block->receive_bytes = block_locate(&call->output.side, output_gaps, (size_t)rank,
                                            call->output.at, &block->receive_at);
    }
}

/* Whether a block that stays is copied when the run starts, and not before the line is posted. */
static bool own_is_late(const struct symm_operation *operation)
{
    return operation->own.bytes > operation->lane->team->control.payload_size;
}

/* Copy the block of this rank for itself, which stays. */
static void own_copy(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    const struct symm_own_block *own = &operation->own;
    if (own->bytes > 0 && !call->in_place) {
        memcpy((unsigned char *)call->output.at + own->to,
               (const unsigned char *)call->input.at + own->from, own->bytes);
    }
}

/* Write the block of an all-gather, or the equal ones of an all-to-all. */
static void equal_write(const struct symm_operation *operation, unsigned char *to)
{
    const struct symm_call *call = operation->call;
    const struct symm_team *team = operation->lane->team;
    if (row_of(operation)->gathers) {
        (void)along_block_write(&call->input.side, 0, to);
        return;
    }
    for (int rank = 0; rank < team->size; rank++) {
        (void)along_block_write(&call->input.side, (size_t)rank,
                                to + symm_slot_place(team, team->rank, rank) * call->input.largest);
    }
}

uint32_t mca_coll_symm_blocks_pack(struct symm_operation *operation, struct symm_line *line)
{
    int ranks = operation->lane->team->size;
    if (!row_of(operation)->has_tables) {
        equal_write(operation, line->payload);
        return 0;
    }
    bool own_stays = operation->own.stays;
    if (operation->call->payload_bytes == 0) { /* as most ranks of a scatterv have it */
        memset(along_of(line), 0, along_head(ranks));
    } else {
        if (own_stays && !own_is_late(operation)) {
            own_copy(operation);
        }
        along_write(line, operation->call->input.side, (size_t)ranks,
                    own_stays ? (size_t)operation->lane->team->rank : (size_t)ranks);
    }
    return LINE_ALONG | ((operation->gaps & SYMM_GAPS_OUTPUT) != 0 ? LINE_GAPS : 0) |
           (mca_coll_symm_blocks_in_place(operation) ? LINE_IN_PLACE : 0) |
           (mca_coll_symm_call_is_idle(operation->call) ? LINE_IDLE : 0);
}

void mca_coll_symm_blocks_post(struct symm_operation *operation, struct symm_line *line)
{
    const struct symm_call *call = operation->call;
    const struct symm_block *blocks = operation->work.blocks;
    struct line_table *table = table_of(line);
    size_t sent = 0;
    if (!has_table(operation)) {
        return;
    }
    mca_coll_symm_blocks_own(operation);
    bool is_apart = mca_coll_symm_blocks_own_is_apart(operation);
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        const struct symm_block *block = &blocks[rank];
        if (is_apart && rank == operation->lane->team->rank) {
            table->entries[rank] = (struct line_entry){.send_at = 0};
            continue;
        }
        table->entries[rank] = (struct line_entry){block->send_at, block->send_bytes,
                                                   block->receive_at, block->receive_bytes};
        sent += block->send_bytes;
    }
    table->largest = is_apart ? 0 : call->input.largest; /* the root sends no other */
    table->bytes = sent;
}

/* ---- when the run starts --------------------------------------------------------------------- */

void mca_coll_symm_blocks_own_copy(const struct symm_operation *operation)
{
    const struct symm_line *line = mca_coll_symm_line(operation, operation->lane->team->rank);
    bool is_along = (line->flags & LINE_ALONG) != 0;
    if (is_along ? operation->own.stays && own_is_late(operation)
                 : mca_coll_symm_blocks_own_is_apart(operation)) {
        own_copy(operation);
    }
}

/* ---- when all lines are there ---------------------------------------------------------------- */

bool mca_coll_symm_blocks_all_along(const struct symm_operation *operation)
{
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        if ((mca_coll_symm_line(operation, rank)->flags & LINE_ALONG) == 0) {
            return false;
        }
    }
    return true;
}

const unsigned char *mca_coll_symm_blocks_along(const struct symm_operation *operation, int rank,
                                                size_t *bytes)
{
    const struct symm_team *team = operation->lane->team;
    return along_block(mca_coll_symm_line(operation, rank), team->size, team->rank, bytes);
}

/* Bytes that packed data may have: the largest block of a rank has to fit. */
static size_t packed_most(const struct symm_operation *operation)
{
    const struct symm_control *control = &operation->lane->team->control;
    return row_of(operation)->gathers ? SYMM_STAGE_BUFFERS * control->piece_size
                                      : SYMM_STAGE_BUFFERS * symm_stage_row(control);
}

size_t mca_coll_symm_blocks_largest(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    size_t largest = 0;
    if (row_of(operation)->gathers) {
        return call->payload_bytes;
    }
    if (!row_of(operation)->has_tables) {
        return call->input.largest;
    }
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        size_t theirs = (line->flags & LINE_ALONG) != 0 ? along_of(line)->largest
                                                        : table_of(line)->largest;
        largest = theirs > largest ? theirs : largest;
    }
    return largest;
}

void mca_coll_symm_blocks_facts(const struct symm_operation *operation, struct symm_facts *facts)
{
    int ranks = operation->lane->team->size;
    uint64_t bytes = 0;
    facts->packed = mca_coll_symm_blocks_largest(operation);
    facts->piece_size = packed_most(operation);
    if (!row_of(operation)->has_tables) {
        return;
    }
    for (int rank = 0; rank < ranks; rank++) {
        const struct symm_line *line = mca_coll_symm_line(operation, rank);
        bytes += (line->flags & LINE_ALONG) != 0 ? along_of(line)->at[ranks]
                                                 : table_of(line)->bytes;
    }
    facts->bytes = (size_t)((bytes + (uint64_t)ranks - 1) / (uint64_t)ranks);
}
