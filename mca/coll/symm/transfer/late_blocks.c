/*
 * transfer/late_blocks.c - see transfer/late_blocks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/transfer/late_blocks.h"

#include <stdlib.h>

#include "kernels/run_steps.h"
#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/transfer/late_data.h"
#include "mca/coll/symm/transfer/late_moving.h"

enum { STARTING, MOVING };

/*
 * Take the block for this rank from the line of `sender`.  A root's own block is in its line if it
 * has not been copied before (agree/blocks.c).
 */
static void block_take(struct symm_operation *operation, int sender)
{
    struct symm_layout block;
    void *address;
    size_t bytes;
    const unsigned char *packed = mca_coll_symm_blocks_along(operation, sender, &bytes);
    if (bytes == 0) {
        return;
    }
    mca_coll_symm_side_block(&operation->call->output.side, (size_t)sender, &block, &address);
    size_t room = block.bytes;
    block.bytes = symm_least(bytes, room);
    if (block.bytes > 0) {
        mca_coll_symm_late_deliver(operation, &block, packed, address);
    }
    if (bytes > room && operation->run.failure == SYMM_OK) {
        mca_coll_symm_late_truncated(operation, sender, bytes, room);
    }
}

/* The root's own block, wherever it is and belongs. */
static void own_move(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    size_t me = (size_t)call->root;
    struct symm_layout sent, received;
    void *from, *to;
    mca_coll_symm_side_block(&call->input.side, me, &sent, &from);
    mca_coll_symm_side_block(&call->output.side, me, &received, &to);
    size_t room = received.bytes;
    if (sent.bytes == 0) {
        return;
    }
    void *packed = malloc(sent.bytes);
    if (packed == NULL) {
        mca_coll_symm_late_fail(operation, OMPI_ERR_OUT_OF_RESOURCE);
        return;
    }
    received.bytes = symm_least(sent.bytes, room);
    mca_coll_symm_late_bring(operation, &sent, from, packed);
    if (operation->run.failure == SYMM_OK && received.bytes > 0) {
        mca_coll_symm_late_deliver(operation, &received, packed, to);
    }
    if (operation->run.failure == SYMM_OK && sent.bytes > room) {
        mca_coll_symm_late_truncated(operation, call->root, sent.bytes, room);
    }
    free(packed);
}

/*
 * What the root has of blocks when it starts.  Its own may have been copied by the start of the
 * run, or come from its line like those of others.  A block that is too long for its place keeps no
 * other from its own.
 */
static void blocks_take(struct symm_operation *operation)
{
    int root = operation->call->root;
    for (int rank = 0; rank < operation->work.team->size; rank++) {
        if ((mca_coll_symm_line(operation, rank)->flags & LINE_ALONG) != 0) {
            block_take(operation, rank);
        } else if (rank == root && !mca_coll_symm_blocks_own_is_apart(operation)) {
            own_move(operation);
        }
    }
}

/* Who has put its block into its line has nothing more to do. */
static enum symm_status to_root_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    bool is_root = run->work->team->rank == run->work->root;
    if (!is_root && operation->in_slot) {
        return SYMM_OK;
    }
    if (run->stage == STARTING) {
        run->stage = MOVING;
        mca_coll_symm_moving_start(operation);
        if (is_root) {
            blocks_take(operation);
        }
    }
    return is_root ? mca_coll_symm_moving_take(operation) : mca_coll_symm_moving_bring(operation);
}

enum symm_status mca_coll_symm_late_blocks_step(struct symm_operation *operation)
{
    if (symm_collective_get(operation->call->collective)->to_root) {
        return to_root_step(operation);
    }
    block_take(operation, operation->call->root);
    return SYMM_OK;
}
