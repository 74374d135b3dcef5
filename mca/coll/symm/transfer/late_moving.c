/*
 * transfer/late_moving.c - see transfer/late_moving.h.
 *
 * A rank says in the head of its line how long its block is.  It copies piece k into its staging
 * buffer k mod 4 and raises k + 1.  The root takes the blocks of one rank after the other, piece by
 * piece, and raises how many pieces it has taken in all.  So it needs a packed copy of one block at
 * a time, if of any.  A rank that has filled its buffers waits for the root.  It finds out from the
 * heads of the ranks before it how many pieces the root takes first.  It leaves with its last
 * piece.
 *
 * Staging buffers are free: these ranks have read all lines, so all have ended the calls before.
 * Whoever writes to the buffers next has read all lines of a later call, the root's among them.
 *
 * A rank that can map its place at the root stores its block there instead.  It says so in its
 * head, raises 1, and 2 when it is done.  It maps for itself, and votes with nobody.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/transfer/late_moving.h"

#include <stdlib.h>

#include "heap/team/team_tables.h"
#include "kernels/cuda/steps.h"
#include "kernels/run_steps.h"
#include "mca/coll/symm/agree/blocks_line.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/transfer/late_data.h"

enum { OPENING, MAPPING, STORING, FILLING, TAKING, CLOSING };

enum { STEP_STORING = 1, STEP_STORED = 2 };

/* After a failure to map, a rank does not try again for so many calls. */
enum { CALLS_WITHOUT_MAPPING = 1000 };

/* What a line that came without a block says of it in the end, in place of buffers. */
struct moving_head {
    uint64_t bytes, is_stored;
};

static struct symm_moving *moving_of(const struct symm_operation *operation)
{
    return operation->late;
}

static struct moving_head *head_of(const struct symm_operation *operation, int rank)
{
    return (struct moving_head *)(void *)mca_coll_symm_line(operation, rank)->payload;
}

/* Go on to the next rank whose block is on its way: it has not come with its line. */
static void next_find(struct symm_operation *operation)
{
    int *rank = &moving_of(operation)->rank;
    while (*rank < operation->work.team->size &&
           (*rank == operation->call->root ||
            (mca_coll_symm_line(operation, *rank)->flags & LINE_ALONG) != 0)) {
        (*rank)++;
    }
}

static uint64_t step_of(const struct symm_operation *operation, int rank)
{
    return symm_phase_of(&operation->work.team->control, operation->work.sequence, rank);
}

/* ---- blocks and pieces ----------------------------------------------------------------------- */

/* Bytes of a piece of a block. */
static size_t length_of(const struct symm_work *work, size_t bytes)
{
    return symm_flow_piece(work, work->team->control.piece_size, bytes);
}

/* Pieces that the root takes of a rank whose head is there. */
static uint64_t pieces_of(const struct symm_operation *operation, int rank)
{
    const struct moving_head *head = head_of(operation, rank);
    size_t bytes = (size_t)head->bytes, length = length_of(&operation->work, bytes);
    return head->is_stored ? 0 : bytes / length + (bytes % length != 0);
}

/* The bytes of a piece; *begin: where it begins in the block. */
static size_t piece_find(const struct symm_moving *moving, uint64_t piece, size_t *begin)
{
    *begin = symm_least((size_t)piece * moving->length, moving->bytes);
    return symm_least(moving->length, moving->bytes - *begin);
}

static bool is_last(const struct symm_moving *moving, uint64_t piece)
{
    return ((size_t)piece + 1) * moving->length >= moving->bytes;
}

/* Memory for a packed block; without it the run fails. */
static unsigned char *packed_make(struct symm_operation *operation, size_t bytes)
{
    struct symm_moving *moving = moving_of(operation);
    moving->packed = malloc(bytes);
    if (moving->packed == NULL) {
        mca_coll_symm_late_fail(operation, OMPI_ERR_OUT_OF_RESOURCE);
    }
    return moving->packed;
}

void mca_coll_symm_moving_end(struct symm_operation *operation)
{
    struct symm_moving *moving = moving_of(operation);
    free(moving->packed);
    moving->packed = NULL;
}

/* The first byte of elements that are plain host memory; NULL: they are not. */
static unsigned char *plain_at(const struct symm_operation *operation,
                               const struct symm_layout *layout, const void *address)
{
    bool is_plain = layout->dense && mca_coll_symm_late_is_on_host(operation->call);
    return is_plain ? mca_coll_symm_at(address, layout->start) : NULL;
}

void mca_coll_symm_moving_start(struct symm_operation *operation)
{
    struct symm_moving *moving = moving_of(operation);
    *moving = (struct symm_moving){.stage = OPENING, .maps_from = moving->maps_from};
    operation->run.piece = 0;
    operation->run.position = 0;
}

/* ---- a rank that brings its block ------------------------------------------------------------ */

static void block_describe(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    struct symm_moving *moving = moving_of(operation);
    struct symm_layout layout;
    void *address;
    mca_coll_symm_side_block(&call->input.side, (size_t)call->root, &layout, &address);
    moving->bytes = layout.bytes;
    moving->length = length_of(&operation->work, layout.bytes);
    if (layout.bytes == 0) {
        return;
    }
    moving->at = plain_at(operation, &layout, address);
    if (moving->at == NULL) {
        moving->at = packed_make(operation, layout.bytes);
        if (moving->at != NULL) {
            mca_coll_symm_late_bring(operation, &layout, address, moving->at);
        }
    }
}

/*
 * Whether the block of this rank could be stored to its place at the root, if that can be mapped.
 * Through staging buffers one that is short takes as long.  A communicator that may lose ranks
 * would have to be entered first (serve/leave.h).
 */
static bool may_store(const struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_moving *moving = moving_of(operation);
    const struct symm_line *line = mca_coll_symm_line(operation, operation->call->root);
    const uint32_t kinds = LINE_OUTPUT_IN_HEAP | LINE_GAPS | LINE_ALONG | LINE_DEVICE | LINE_VETO;
    return moving->packed == NULL && !is_last(moving, 0) &&
           (line->flags & kinds) == LINE_OUTPUT_IN_HEAP && !symm_ompi_is_fault_tolerant() &&
           operation->work.sequence >= moving->maps_from &&
           table_of(line)->entries[team->rank].receive_bytes >= moving->bytes;
}

/* Map the root's output. */
static enum symm_status place_map(struct symm_operation *operation)
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
        moving_of(operation)->place = (unsigned char *)symm_team_address(team, root, output) +
                                      table_of(line)->entries[team->rank].receive_at;
    } else if (status != SYMM_PENDING) {
        moving_of(operation)->maps_from = operation->work.sequence + CALLS_WITHOUT_MAPPING;
        mca_coll_symm_verbose_about(SYMM_VERBOSE_TROUBLE, operation->comm,
                                    "rank %d cannot map a root's memory, its block is staged "
                                    "instead: %s", team->rank, symm_status_string(status));
    }
    return status;
}

/* The head is complete, or this rank has failed. */
static void head_tell(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    struct symm_moving *moving = moving_of(operation);
    bool has_failed = run->failure != SYMM_OK, is_stored = moving->place != NULL;
    moving->bytes = has_failed ? 0 : moving->bytes;
    *head_of(operation, run->work->team->rank) =
        (struct moving_head){.bytes = moving->bytes, .is_stored = is_stored};
    if (has_failed) {
        symm_run_raise(run, SYMM_CUDA_STEP_FAILED);
    } else if (is_stored || moving->bytes == 0) {
        symm_run_raise(run, STEP_STORING);
    }
    moving->stage = is_stored ? STORING : FILLING;
    moving->rank = 0;
    next_find(operation);
}

/* Store the next bytes of the block. */
static enum symm_status block_store(struct symm_run *run, const struct symm_moving *moving)
{
    size_t bytes = symm_least(moving->bytes - run->position, SYMM_STEP_BYTES);
    memcpy(moving->place + run->position, moving->at + run->position, bytes);
    run->position += bytes;
    if (run->position < moving->bytes) {
        return symm_run_more(run);
    }
    symm_run_raise(run, STEP_STORED);
    return SYMM_OK;
}

/* Count the pieces that the root takes before those of this rank.  False: a head is not there. */
static bool before_count(struct symm_operation *operation)
{
    struct symm_moving *moving = moving_of(operation);
    while (moving->rank < operation->work.team->rank) {
        if (step_of(operation, moving->rank) == 0) {
            return false;
        }
        moving->before += pieces_of(operation, moving->rank);
        moving->rank++;
        next_find(operation);
    }
    return true;
}

/* Copy the next piece in, as soon as the root has taken the one that was in its buffer. */
static enum symm_status piece_fill(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    const struct symm_moving *moving = moving_of(operation);
    if (run->piece >= SYMM_STAGE_BUFFERS &&
        (!before_count(operation) ||
         step_of(operation,
                 run->work->root) < moving->before + run->piece - SYMM_STAGE_BUFFERS + 1)) {
        return SYMM_PENDING;
    }
    size_t begin, bytes = piece_find(moving, run->piece, &begin);
    memcpy(symm_work_stage(run->work, run->work->team->rank, run->piece), moving->at + begin,
           bytes);
    symm_run_raise(run, run->piece + 1);
    return is_last(moving, run->piece++) ? SYMM_OK : symm_run_more(run);
}

enum symm_status mca_coll_symm_moving_bring(struct symm_operation *operation)
{
    struct symm_moving *moving = moving_of(operation);
    if (moving->stage == OPENING) {
        block_describe(operation);
        moving->stage = MAPPING;
    }
    if (moving->stage == MAPPING) {
        if (operation->run.failure == SYMM_OK && may_store(operation) &&
            place_map(operation) == SYMM_PENDING) {
            return SYMM_PENDING;
        }
        head_tell(operation);
    }
    if (moving->bytes == 0) {
        return SYMM_OK;
    }
    return moving->stage == STORING ? block_store(&operation->run, moving) : piece_fill(operation);
}

/* ---- the root -------------------------------------------------------------------------------- */

/* The first piece of the rank's block is there. */
static void block_expect(struct symm_operation *operation)
{
    struct symm_moving *moving = moving_of(operation);
    struct symm_layout layout;
    void *address;
    mca_coll_symm_side_block(&operation->call->output.side, (size_t)moving->rank, &layout,
                             &address);
    moving->bytes = (size_t)head_of(operation, moving->rank)->bytes;
    moving->length = length_of(&operation->work, moving->bytes);
    moving->room = layout.bytes;
    moving->at = plain_at(operation, &layout, address);
    if (moving->at == NULL && !is_last(moving, 0) && moving->room > 0) {
        moving->at = packed_make(operation, symm_least(moving->bytes, moving->room));
        moving->room = moving->at == NULL ? 0 : moving->room;
    }
}

/* All of the block has come.  The root gets as much of it as there is room for. */
static void block_settle(struct symm_operation *operation, const void *buffer)
{
    struct symm_moving *moving = moving_of(operation);
    struct symm_layout layout;
    void *address;
    mca_coll_symm_side_block(&operation->call->output.side, (size_t)moving->rank, &layout,
                             &address);
    size_t room = layout.bytes;
    layout.bytes = symm_least(moving->bytes, moving->room);
    if (layout.bytes > 0 && (moving->packed != NULL || moving->at == NULL)) {
        mca_coll_symm_late_deliver(operation, &layout,
                                    moving->packed != NULL ? moving->packed : buffer, address);
    }
    if (moving->bytes > room && operation->run.failure == SYMM_OK) {
        mca_coll_symm_late_truncated(operation, moving->rank, moving->bytes, room);
    }
    mca_coll_symm_moving_end(operation);
}

/* Take a piece that is there.  Whether it is the block's last. */
static bool piece_take(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    struct symm_moving *moving = moving_of(operation);
    const void *buffer = symm_work_stage(run->work, moving->rank, run->piece);
    if (run->piece == 0) {
        block_expect(operation);
    }
    size_t begin, bytes = piece_find(moving, run->piece, &begin);
    if (moving->at != NULL && begin < moving->room) {
        memcpy(moving->at + begin, buffer, symm_least(bytes, moving->room - begin));
    }
    bool ends = is_last(moving, run->piece++);
    if (ends) {
        block_settle(operation, buffer);
    }
    symm_run_raise(run, ++moving->taken);
    return ends;
}

/* The blocks that come through staging buffers. */
static enum symm_status blocks_take(struct symm_operation *operation)
{
    struct symm_moving *moving = moving_of(operation);
    uint64_t step = step_of(operation, moving->rank);
    if (step <= operation->run.piece) {
        return SYMM_PENDING;
    }
    if (step == SYMM_CUDA_STEP_FAILED) {
        mca_coll_symm_late_fail(operation, OMPI_ERROR);
    }
    if (pieces_of(operation, moving->rank) == 0 || piece_take(operation)) {
        operation->run.piece = 0;
        moving->rank++;
        next_find(operation);
    }
    return symm_run_more(&operation->run);
}

/* Go on to the next rank that stores its block. */
static void stored_find(struct symm_operation *operation)
{
    struct symm_moving *moving = moving_of(operation);
    next_find(operation);
    while (moving->rank < operation->work.team->size &&
           !head_of(operation, moving->rank)->is_stored) {
        moving->rank++;
        next_find(operation);
    }
}

enum symm_status mca_coll_symm_moving_take(struct symm_operation *operation)
{
    struct symm_moving *moving = moving_of(operation);
    int ranks = operation->work.team->size;
    if (moving->stage == OPENING) {
        moving->stage = TAKING;
        next_find(operation);
    }
    if (moving->stage == TAKING) {
        if (moving->rank < ranks) {
            return blocks_take(operation);
        }
        moving->stage = CLOSING;
        moving->rank = 0;
        stored_find(operation);
    }
    while (moving->rank < ranks) {
        if (step_of(operation, moving->rank) < STEP_STORED) {
            return SYMM_PENDING;
        }
        moving->rank++;
        stored_find(operation);
    }
    return SYMM_OK;
}
