/*
 * agree/blocks.c - see agree/blocks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/run_steps.h"
#include "mca/coll/symm/agree/line.h"

/* ---- what lines hold ------------------------------------------------------------------------- */

/* This follows all that describes buffers, in a line of a collective with tables. */
struct line_table {
    uint64_t largest; /* bytes of the largest block that the rank sends */
    uint64_t bytes;   /* of all that it sends */
    uint64_t fill[6];
    struct line_entry {
        uint64_t send_at, send_bytes, receive_at, receive_bytes;
    } entries[]; /* one for each rank */
};

enum { TABLE_AT = SYMM_PAYLOAD_LEAST };

_Static_assert(2 * SYMM_CACHE_LINE + sizeof(struct line_handles) <= TABLE_AT, "they come before");
_Static_assert(sizeof(struct line_table) == SYMM_CACHE_LINE, "entries do not cross cache lines");

static struct line_table *table_of(const struct symm_line *line)
{
    return (struct line_table *)(void *)symm_ompi_unconst(line->payload + TABLE_AT);
}

/*
 * A line with its data, of a collective with tables: where the block for each rank begins behind
 * the head, and where the last one ends.
 */
struct line_along {
    uint32_t largest; /* of those that travel */
    uint32_t at[];    /* one more than ranks */
};

static struct line_along *along_of(const struct symm_line *line)
{
    return (struct line_along *)(void *)symm_ompi_unconst(line->payload);
}

static size_t along_head(int ranks)
{
    return sizeof(struct line_along) + ((size_t)ranks + 1) * sizeof(uint32_t);
}

static const struct symm_collective_row *row_of(const struct symm_operation *operation)
{
    return symm_collective_get(operation->call->collective);
}

/*
 * In an all-gather only those who store to others need to know the places of their blocks.  Ranks
 * on devices do; all have that alike, or none is served.
 */
static bool has_table(const struct symm_operation *operation)
{
    return row_of(operation)->has_tables ||
           (row_of(operation)->gathers && operation->call->device >= 0);
}

/* ---- before the line is posted --------------------------------------------------------------- */

/* The same as mca_coll_symm_side_plain_block() for any side. */
static size_t block_find(const struct symm_side *side, size_t rank, uintptr_t *first)
{
    struct symm_layout layout;
    void *address;
    mca_coll_symm_side_block(side, rank, &layout, &address);
    *first = (uintptr_t)mca_coll_symm_at(address, layout.start);
    return layout.bytes;
}

/*
 * Bytes of a block in this rank's memory; *at: from `base`.  Those with gaps have no offset.
 * Inlined where it is used: else a small MPI_Alltoallv takes 60 instructions more.
 */
__attribute__((always_inline))
static inline size_t block_locate(const struct symm_side *side, bool has_gaps, size_t rank,
                                  const void *base, size_t *at)
{
    uintptr_t first;
    size_t bytes = side->plain ? mca_coll_symm_side_plain_block(side, rank, &first)
                               : block_find(side, rank, &first);
    *at = bytes == 0 || has_gaps ? 0 : first - (uintptr_t)base;
    return bytes;
}

/*
 * The block of this rank for itself is copied at once.  It travels with the line as the others do
 * if it has gaps, or is longer than its place.  Between two ranks it is half of the data.
 */
static struct symm_own_block own_find(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    size_t me = (size_t)operation->lane->team->rank;
    struct symm_own_block own = {.stays = false};
    if ((call->gaps & SYMM_GAPS_ANY) == 0) {
        own.bytes = block_locate(&call->sending, false, me, call->input, &own.from);
        own.stays = own.bytes <= block_locate(&call->receiving, false, me, call->output, &own.to);
    }
    return own;
}

bool mca_coll_symm_blocks_prepare(struct symm_operation *operation, size_t *travels)
{
    const struct symm_team *team = operation->lane->team;
    size_t ranks = (size_t)team->size;
    bool has_room = TABLE_AT + sizeof(struct line_table) + ranks * sizeof(struct line_entry) <=
                    team->control.payload_size;
    if (row_of(operation)->has_tables) {
        operation->own = own_find(operation);
        *travels += along_head(team->size) - (operation->own.stays ? operation->own.bytes : 0);
        if (!has_room) {
            return false;
        }
    } else if (has_table(operation) && !has_room) {
        operation->veto = SYMM_REASON_TABLE;
    }
    if (operation->arrays.blocks == NULL) {
        operation->arrays.blocks = calloc(ranks, sizeof(struct symm_block));
        operation->run.blocks = operation->arrays.blocks;
    }
    if (operation->arrays.blocks == NULL && operation->veto == SYMM_REASON_NONE) {
        operation->veto = SYMM_REASON_TABLE;
    }
    operation->truncated = -1;
    return true;
}

/* Both ends of the blocks that lie in this rank's memory. */
static void own_describe(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    struct symm_block *blocks = operation->arrays.blocks;
    bool input_gaps = (call->gaps & SYMM_GAPS_INPUT) != 0;
    bool output_gaps = (call->gaps & SYMM_GAPS_OUTPUT) != 0;
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        struct symm_block *block = &blocks[rank];
        block->send_bytes = block_locate(&call->sending, input_gaps, (size_t)rank, call->input,
                                         &block->send_at);
        block->receive_bytes = block_locate(&call->receiving, output_gaps, (size_t)rank,
                                            call->output, &block->receive_at);
    }
}

/* Write a block, packed.  Returns its bytes. */
static size_t block_write(const struct symm_side *side, size_t rank, unsigned char *to)
{
    struct symm_layout layout;
    void *address;
    if (side->plain) {
        uintptr_t first;
        size_t bytes = mca_coll_symm_side_plain_block(side, rank, &first);
        if (bytes > 0) {
            memcpy(to, (const void *)first, bytes);
        }
        return bytes;
    }
    mca_coll_symm_side_block(side, rank, &layout, &address);
    if (layout.bytes > 0) {
        mca_coll_symm_pack(&layout, address, to);
    }
    return layout.bytes;
}

/* Copy the block of this rank for itself, if it does not travel. */
static bool own_copy(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    const struct symm_own_block *own = &operation->own;
    if (!own->stays) {
        return false;
    }
    if (own->bytes > 0 && !call->in_place) {
        memcpy((unsigned char *)call->output + own->to,
               (const unsigned char *)call->input + own->from, own->bytes);
    }
    return true;
}

/*
 * Write blocks of any length one after the other.  Returns the bytes of the largest that has been
 * written.
 */
static size_t blocks_write(const struct symm_operation *operation, unsigned char *to, uint32_t *at)
{
    const struct symm_side *side = &operation->call->sending;
    const struct symm_team *team = operation->lane->team;
    size_t ranks = (size_t)team->size, written = 0, largest = 0;
    size_t left_out = own_copy(operation) ? (size_t)team->rank : ranks;
    for (size_t rank = 0; rank < ranks; rank++) {
        at[rank] = (uint32_t)written;
        size_t bytes = rank == left_out ? 0 : block_write(side, rank, to + written);
        largest = bytes > largest ? bytes : largest;
        written += bytes;
    }
    at[ranks] = (uint32_t)written;
    return largest;
}

/* Write the block of an all-gather, or the equal ones of an all-to-all. */
static void equal_write(const struct symm_operation *operation, unsigned char *to)
{
    const struct symm_call *call = operation->call;
    const struct symm_team *team = operation->lane->team;
    if (row_of(operation)->gathers) {
        (void)block_write(&call->sending, 0, to);
        return;
    }
    for (int rank = 0; rank < team->size; rank++) {
        (void)block_write(&call->sending, (size_t)rank,
                          to + symm_slot_place(team, team->rank, rank) * call->largest);
    }
}

uint32_t mca_coll_symm_blocks_pack(struct symm_operation *operation, struct symm_line *line)
{
    int ranks = operation->lane->team->size;
    if (!row_of(operation)->has_tables) {
        equal_write(operation, line->payload);
        return 0;
    }
    struct line_along *along = along_of(line);
    along->largest =
        (uint32_t)blocks_write(operation, line->payload + along_head(ranks), along->at);
    return LINE_ALONG | ((operation->gaps & SYMM_GAPS_OUTPUT) != 0 ? LINE_GAPS : 0);
}

void mca_coll_symm_blocks_post(struct symm_operation *operation, struct symm_line *line)
{
    const struct symm_call *call = operation->call;
    const struct symm_block *blocks = operation->arrays.blocks;
    struct line_table *table = table_of(line);
    size_t sent = 0;
    if (!has_table(operation)) {
        return;
    }
    own_describe(operation);
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        const struct symm_block *block = &blocks[rank];
        table->entries[rank] = (struct line_entry){block->send_at, block->send_bytes,
                                                   block->receive_at, block->receive_bytes};
        sent += block->send_bytes;
    }
    table->largest = call->largest;
    table->bytes = sent;
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
    const struct symm_line *line = mca_coll_symm_line(operation, rank);
    const struct line_along *along = along_of(line);
    int me = operation->lane->team->rank;
    *bytes = along->at[me + 1] - along->at[me];
    return line->payload + along_head(operation->lane->team->size) + along->at[me];
}

/* Bytes that packed data may have: the largest block of a rank has to fit. */
static size_t packed_most(const struct symm_operation *operation)
{
    const struct symm_control *control = &operation->lane->team->control;
    return row_of(operation)->gathers ? SYMM_STAGE_BUFFERS * control->piece_size
                                      : SYMM_STAGE_BUFFERS * symm_stage_row(control);
}

static size_t largest_of(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    size_t largest = 0;
    if (row_of(operation)->gathers) {
        return call->payload_bytes;
    }
    if (!row_of(operation)->has_tables) {
        return call->largest;
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
    facts->packed = largest_of(operation);
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

/* ---- the run --------------------------------------------------------------------------------- */

static void even_resolve(struct symm_operation *operation, struct symm_block *block, int rank)
{
    const struct symm_team *team = operation->lane->team;
    size_t bytes = operation->call->largest, me = (size_t)team->rank;
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
    operation->run.inputs[rank] =
        mca_coll_symm_blocks_along(operation, rank, &block->from_bytes);
    block->from_at = 0;
}

/* What has come with a line, and the place for it: all that a call in the slot needs to know. */
static void slot_resolve(struct symm_operation *operation, struct symm_block *block, int rank)
{
    const struct symm_call *call = operation->call;
    bool has_gaps = (call->gaps & SYMM_GAPS_OUTPUT) != 0;
    bool gathers = row_of(operation)->gathers;
    if (!gathers && operation->own.stays && rank == operation->lane->team->rank) {
        *block = (struct symm_block){.send_at = 0}; /* has been copied */
        return;
    }
    block->receive_bytes = block_locate(&call->receiving, has_gaps, (size_t)rank, call->output,
                                        &block->receive_at);
    if (gathers) {
        operation->run.inputs[rank] = mca_coll_symm_line(operation, rank)->payload;
        block->from_at = 0;
        block->from_bytes = block->receive_bytes;
        return;
    }
    along_find(operation, block, rank);
    if (block->from_bytes > block->receive_bytes && operation->truncated < 0) {
        operation->truncated = rank;
    }
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

static void table_resolve(struct symm_operation *operation, struct symm_block *block, int rank)
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
    if (block->from_bytes > block->receive_bytes) {
        operation->truncated = operation->truncated < 0 ? rank : operation->truncated;
    }
}

/* This rank's data have come with its line: others may write to where they were. */
static void along_resolve(struct symm_operation *operation)
{
    const struct symm_line *line = mca_coll_symm_line(operation, operation->lane->team->rank);
    struct symm_block *blocks = operation->arrays.blocks;
    if ((line->flags & LINE_ALONG) == 0) {
        return;
    }
    operation->run.input = line->payload + along_head(operation->lane->team->size);
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        blocks[rank].send_at = along_of(line)->at[rank];
    }
}

static void memory_resolve(struct symm_operation *operation)
{
    const struct symm_collective_row *row = row_of(operation);
    struct symm_block *blocks = operation->arrays.blocks;
    if (row->gathers || row->has_tables) {
        own_describe(operation);
    }
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        if (row->gathers) {
            gather_resolve(operation, &blocks[rank], rank);
        } else if (row->has_tables) {
            table_resolve(operation, &blocks[rank], rank);
        } else {
            even_resolve(operation, &blocks[rank], rank);
        }
    }
    if (row->has_tables) {
        along_resolve(operation);
    }
    operation->run.largest = largest_of(operation);
}

void mca_coll_symm_blocks_resolve(struct symm_operation *operation)
{
    bool is_even = operation->call->collective == SYMM_ALLTOALL;
    if (operation->in_slot && is_even && operation->call->gaps == 0) {
        return; /* see exchange_slot.c */
    }
    if (operation->in_slot && !is_even) {
        for (int rank = 0; rank < operation->lane->team->size; rank++) {
            slot_resolve(operation, &operation->arrays.blocks[rank], rank);
        }
    } else {
        memory_resolve(operation);
    }
    if (operation->truncated >= 0) {
        operation->truncated_packed = operation->packed;
        operation->packed = true; /* serve/packed.c makes an error of it when the run is over */
    }
}
