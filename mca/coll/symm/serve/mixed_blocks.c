/*
 * serve/mixed_blocks.c - see serve/mixed_blocks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/mixed_blocks.h"

#include "kernels/run_steps.h"
#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/agree/loose.h"
#include "mca/coll/symm/serve/mixed_data.h"

enum { STARTING, COLLECTING };

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
    mca_coll_symm_side_block(&operation->call->receiving, (size_t)sender, &block, &address);
    size_t room = block.bytes;
    block.bytes = symm_least(bytes, room);
    if (block.bytes > 0) {
        mca_coll_symm_mixed_deliver(operation, &block, packed, address);
    }
    if (bytes > room && operation->run.failure == SYMM_OK) {
        mca_coll_symm_mixed_truncated(operation, sender, bytes, room);
    }
}

static void blocks_take(struct symm_operation *operation)
{
    for (int rank = 0; rank < operation->run.team->size; rank++) {
        block_take(operation, rank);
    }
}

/*
 * Bring the block for the root of a gatherv, whose line has said that all blocks fit lines.  One
 * for which there is no room is longer than its place there.  The root gets as much as there is
 * room for, and says so.
 */
static void block_bring(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    struct symm_layout block;
    void *address;
    size_t room;
    mca_coll_symm_side_block(&call->sending, (size_t)call->root, &block, &address);
    unsigned char *packed =
        mca_coll_symm_blocks_along_begin(operation, call->root, block.bytes, &room);
    block.bytes = symm_least(block.bytes, room);
    if (block.bytes > 0) {
        mca_coll_symm_mixed_bring(operation, &block, address, packed);
    }
}

static enum symm_status to_root_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    int me = run->team->rank;
    if (me != run->root) {
        if (!mca_coll_symm_line_has_data(operation, me)) {
            block_bring(operation);
            mca_coll_symm_mixed_tell(run);
        }
        return SYMM_OK;
    }
    if (run->stage == STARTING) {
        mca_coll_symm_mixed_await(operation);
        run->stage = COLLECTING;
    }
    if (!mca_coll_symm_mixed_have_brought(operation)) {
        return SYMM_PENDING;
    }
    if (run->failure == SYMM_OK) { /* a block that is too long keeps no other from its place */
        blocks_take(operation);
    }
    return SYMM_OK;
}

enum symm_status mca_coll_symm_mixed_blocks_step(struct symm_operation *operation)
{
    if (symm_collective_get(operation->call->collective)->to_root) {
        return to_root_step(operation);
    }
    block_take(operation, operation->call->root);
    return SYMM_OK;
}
