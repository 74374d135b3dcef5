/*
 * serve/mixed_moving.c - see serve/mixed_moving.h.
 *
 * A rank writes into its line how long its block is.  It copies piece k into its staging buffer
 * k mod 4 and raises k + 1.  Then the root copies the piece out.  It takes piece k of all ranks
 * that have one, and raises k + 1.  A rank that has copied in as many pieces as there are buffers waits
 * for the root; otherwise for nobody, and leaves with its last piece.
 *
 * A rank that can map the root's output stores its block there instead, says so in its line, and
 * raises 1.  It maps for itself, and votes with nobody.
 *
 * Staging buffers are free: these ranks have read all lines, so all have ended the calls before.
 * Whoever writes to the buffers next has read all lines of a later call, the root's among them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/mixed_moving.h"

#include <stdlib.h>

#include "kernels/cuda/steps.h"
#include "kernels/run_steps.h"
#include "mca/coll/symm/agree/blocks_line.h"
#include "mca/coll/symm/serve/mixed_data.h"

enum { STARTING, MAPPING, MOVING };

/* A block on its way. */
struct moving_block {
    bool is_over;      /* at the root: nothing of it is to come */
    size_t bytes;      /* that are sent */
    size_t length;     /* of a piece */
    size_t room;       /* at the root: bytes of its place */
    unsigned char *at; /* where pieces come from, or go to; NULL: straight from the one buffer */
    void *packed;      /* that is a copy; NULL: it is the program's memory */
    unsigned char *place; /* at another rank: where it stores the block; NULL: nowhere */
};

struct symm_moving {
    int count;
    struct moving_block blocks[]; /* the root has one for each rank, another rank one in all */
};

static struct symm_moving *moving_open(struct symm_operation *operation, int count)
{
    size_t bytes = sizeof(struct symm_moving) + (size_t)count * sizeof(struct moving_block);
    struct symm_moving *moving = calloc(1, bytes);
    if (moving == NULL) {
        mca_coll_symm_mixed_fail(operation, OMPI_ERR_OUT_OF_RESOURCE);
        return NULL;
    }
    moving->count = count;
    operation->moving = moving;
    operation->run.piece = 0;
    operation->run.seen = 0;
    operation->run.position = 0;
    return moving;
}

void mca_coll_symm_moving_end(struct symm_operation *operation)
{
    struct symm_moving *moving = operation->moving;
    for (int i = 0; moving != NULL && i < moving->count; i++) {
        free(moving->blocks[i].packed);
    }
    free(moving);
    operation->moving = NULL;
}

/* Memory for a packed block; without it the run fails. */
static unsigned char *packed_make(struct symm_operation *operation, struct moving_block *block,
                                  size_t bytes)
{
    block->packed = malloc(bytes);
    if (block->packed == NULL) {
        mca_coll_symm_mixed_fail(operation, OMPI_ERR_OUT_OF_RESOURCE);
    }
    return block->packed;
}

/* The first byte of elements that are plain host memory; NULL: they are not. */
static unsigned char *plain_at(const struct symm_operation *operation,
                               const struct symm_layout *layout, const void *address)
{
    bool is_plain = layout->dense && mca_coll_symm_mixed_is_on_host(operation->call);
    return is_plain ? mca_coll_symm_at(address, layout->start) : NULL;
}

static size_t length_of(const struct symm_run *run, size_t bytes)
{
    return symm_flow_piece(run, run->team->control.piece_size, bytes);
}

/* The bytes of a piece; *begin: where it begins in the block. */
static size_t piece_of(const struct moving_block *block, uint64_t piece, size_t *begin)
{
    *begin = symm_least((size_t)piece * block->length, block->bytes);
    return symm_least(block->length, block->bytes - *begin);
}

/* Whether the piece is the block's last.  A block without bytes has one as well. */
static bool is_last(const struct moving_block *block, uint64_t piece)
{
    return ((size_t)piece + 1) * block->length >= block->bytes;
}

/* ---- a rank that brings its block ------------------------------------------------------------ */

/* What the line, which came without a block, says of it in the end. */
struct moving_head {
    uint64_t bytes, is_stored;
};

static struct moving_head *head_of(const struct symm_operation *operation, int rank)
{
    return (struct moving_head *)(void *)mca_coll_symm_line(operation, rank)->payload;
}

/*
 * Whether the block of this rank could be stored to its place at the root, if that can be mapped.
 * Through staging buffers one that is short takes as long.  A communicator that may lose ranks
 * would have to be entered first (serve/leave.h).
 */
static bool may_store(const struct symm_operation *operation, const struct moving_block *block)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_line *line = mca_coll_symm_line(operation, operation->call->root);
    const uint32_t kinds = LINE_OUTPUT_IN_HEAP | LINE_GAPS | LINE_ALONG | LINE_DEVICE | LINE_VETO;
    return block->packed == NULL && !is_last(block, 0) &&
           (line->flags & kinds) == LINE_OUTPUT_IN_HEAP && !symm_ompi_is_fault_tolerant() &&
           !operation->lane->mapping_failed &&
           table_of(line)->entries[team->rank].receive_bytes >= block->bytes;
}

/* Map the root's output.  Without it the block goes through staging buffers, now and later. */
static enum symm_status place_map(struct symm_operation *operation, struct moving_block *block)
{
    struct symm_team *team = operation->lane->team;
    int root = operation->call->root;
    const struct symm_line *line = mca_coll_symm_line(operation, root);
    const struct symm_location *output = &buffers_of(line)->output;
    enum symm_status status = symm_team_tables_get(team);
    if (status == SYMM_OK) {
        status = symm_team_map(team, root, output);
    }
    if (status == SYMM_OK) {
        block->place = (unsigned char *)symm_team_address(team, root, output) +
                       table_of(line)->entries[team->rank].receive_at;
    }
    operation->lane->mapping_failed = status != SYMM_OK && status != SYMM_PENDING;
    return status;
}

/* Store the next bytes of a block. */
static enum symm_status block_store(struct symm_run *run, const struct moving_block *block)
{
    size_t bytes = symm_least(block->bytes - run->position, SYMM_STEP_BYTES);
    memcpy(block->place + run->position, block->at + run->position, bytes);
    run->position += bytes;
    if (run->position < block->bytes) {
        return symm_run_more(run);
    }
    symm_run_raise(run, 1);
    return SYMM_OK;
}

static void block_describe(struct symm_operation *operation, struct moving_block *block)
{
    const struct symm_call *call = operation->call;
    struct symm_layout layout;
    void *address;
    mca_coll_symm_side_block(&call->sending, (size_t)call->root, &layout, &address);
    block->bytes = layout.bytes;
    block->length = length_of(&operation->run, layout.bytes);
    if (layout.bytes == 0) {
        return;
    }
    block->at = plain_at(operation, &layout, address);
    if (block->at == NULL) {
        block->at = packed_make(operation, block, layout.bytes);
        if (block->at != NULL) {
            mca_coll_symm_mixed_bring(operation, &layout, address, block->at);
        }
    }
}

/* Describe the block to this rank itself, and find out where it goes. */
static enum symm_status bring_start(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        if (moving_open(operation, 1) == NULL) {
            return SYMM_OK;
        }
        block_describe(operation, &operation->moving->blocks[0]);
        run->stage = MAPPING;
    }
    struct moving_block *block = &operation->moving->blocks[0];
    if (run->failure == SYMM_OK && may_store(operation, block) &&
        place_map(operation, block) == SYMM_PENDING) {
        return SYMM_PENDING;
    }
    *head_of(operation, run->team->rank) =
        (struct moving_head){.bytes = block->bytes, .is_stored = block->place != NULL};
    run->stage = MOVING;
    return SYMM_OK;
}

enum symm_status mca_coll_symm_moving_bring(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage != MOVING) {
        if (bring_start(operation) == SYMM_PENDING) {
            return SYMM_PENDING;
        }
        if (run->failure != SYMM_OK) {
            symm_run_raise(run, SYMM_CUDA_STEP_FAILED);
            return SYMM_OK;
        }
    }
    const struct moving_block *block = &operation->moving->blocks[0];
    if (block->place != NULL) {
        return block_store(run, block);
    }
    if (run->piece >= SYMM_STAGE_BUFFERS &&
        !symm_run_rank_reached(run, run->root, run->piece - SYMM_STAGE_BUFFERS + 1)) {
        return SYMM_PENDING;
    }
    size_t begin, bytes = piece_of(block, run->piece, &begin);
    if (bytes > 0) {
        memcpy(symm_run_stage(run, run->team->rank, run->piece), block->at + begin, bytes);
    }
    symm_run_raise(run, run->piece + 1);
    return is_last(block, run->piece++) ? SYMM_OK : symm_run_more(run);
}

/* ---- the root -------------------------------------------------------------------------------- */

/* The first piece of a rank's block is there. */
static void block_expect(struct symm_operation *operation, int rank, struct moving_block *block)
{
    struct symm_layout layout;
    void *address;
    mca_coll_symm_side_block(&operation->call->receiving, (size_t)rank, &layout, &address);
    block->bytes = (size_t)head_of(operation, rank)->bytes;
    block->length = length_of(&operation->run, block->bytes);
    block->room = layout.bytes;
    block->at = plain_at(operation, &layout, address);
    if (block->at == NULL && !is_last(block, 0) &&
        packed_make(operation, block, symm_least(block->bytes, block->room)) == NULL) {
        block->room = 0;
    }
    if (block->packed != NULL) {
        block->at = block->packed;
    }
}

/* All of a block has come.  The root gets as much of it as there is room for. */
static void block_settle(struct symm_operation *operation, int rank, struct moving_block *block,
                         const void *buffer)
{
    struct symm_layout layout;
    void *address;
    mca_coll_symm_side_block(&operation->call->receiving, (size_t)rank, &layout, &address);
    size_t room = layout.bytes;
    layout.bytes = symm_least(block->bytes, block->room);
    if (layout.bytes > 0 && (block->packed != NULL || block->at == NULL)) {
        mca_coll_symm_mixed_deliver(operation, &layout,
                                    block->packed != NULL ? block->packed : buffer, address);
    }
    if (block->bytes > room && operation->run.failure == SYMM_OK) {
        mca_coll_symm_mixed_truncated(operation, rank, block->bytes, room);
    }
    block->is_over = true;
}

static void piece_take(struct symm_operation *operation, int rank, struct moving_block *block)
{
    struct symm_run *run = &operation->run;
    const void *buffer = symm_run_stage(run, rank, run->piece);
    if (head_of(operation, rank)->is_stored) {
        block->is_over = true;
        return;
    }
    if (run->piece == 0) {
        block_expect(operation, rank, block);
    }
    size_t begin, bytes = piece_of(block, run->piece, &begin);
    if (block->at != NULL && begin < block->room && bytes > 0) {
        memcpy(block->at + begin, buffer, symm_least(bytes, block->room - begin));
    }
    if (is_last(block, run->piece)) {
        block_settle(operation, rank, block, buffer);
    }
}

/* Blocks that have come with lines, and the root's own, are not on their way. */
static void awaited_find(const struct symm_operation *operation, struct symm_moving *moving)
{
    for (int rank = 0; rank < moving->count; rank++) {
        moving->blocks[rank].is_over =
            rank == operation->call->root ||
            (mca_coll_symm_line(operation, rank)->flags & LINE_ALONG) != 0;
    }
}

static bool all_are_over(const struct symm_moving *moving)
{
    for (int rank = 0; rank < moving->count; rank++) {
        if (!moving->blocks[rank].is_over) {
            return false;
        }
    }
    return true;
}

enum symm_status mca_coll_symm_moving_take(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        struct symm_moving *moving = moving_open(operation, run->team->size);
        if (moving == NULL) {
            symm_run_raise(run, SYMM_CUDA_STEP_FAILED); /* nobody waits for this rank */
            return SYMM_OK;
        }
        awaited_find(operation, moving);
        run->stage = MOVING;
    }
    struct symm_moving *moving = operation->moving;
    if (all_are_over(moving)) {
        return SYMM_OK;
    }
    for (; run->seen < moving->count; run->seen++) {
        struct moving_block *block = &moving->blocks[run->seen];
        if (block->is_over) {
            continue;
        }
        uint64_t step = symm_phase_of(&run->team->control, run->sequence, run->seen);
        if (step <= run->piece) {
            return SYMM_PENDING;
        }
        if (step == SYMM_CUDA_STEP_FAILED) {
            mca_coll_symm_mixed_fail(operation, OMPI_ERROR);
            block->is_over = true;
        } else {
            piece_take(operation, run->seen, block);
        }
    }
    symm_run_raise(run, ++run->piece);
    return symm_run_more(run);
}

void mca_coll_symm_moving_own(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    size_t me = (size_t)call->root;
    struct symm_layout sent, received;
    void *from, *to;
    mca_coll_symm_side_block(&call->sending, me, &sent, &from);
    mca_coll_symm_side_block(&call->receiving, me, &received, &to);
    size_t room = received.bytes;
    if (sent.bytes == 0) {
        return;
    }
    void *packed = malloc(sent.bytes);
    if (packed == NULL) {
        mca_coll_symm_mixed_fail(operation, OMPI_ERR_OUT_OF_RESOURCE);
        return;
    }
    received.bytes = symm_least(sent.bytes, room);
    mca_coll_symm_mixed_bring(operation, &sent, from, packed);
    if (operation->run.failure == SYMM_OK && received.bytes > 0) {
        mca_coll_symm_mixed_deliver(operation, &received, packed, to);
    }
    if (operation->run.failure == SYMM_OK && sent.bytes > room) {
        mca_coll_symm_mixed_truncated(operation, call->root, sent.bytes, room);
    }
    free(packed);
}
