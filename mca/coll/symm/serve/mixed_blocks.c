/*
 * serve/mixed_blocks.c - see serve/mixed_blocks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/mixed_blocks.h"

#include "kernels/run_steps.h"
#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/agree/line.h"
#include "mca/coll/symm/serve/mixed_data.h"
#include "mca/coll/symm/serve/mixed_moving.h"

enum { STARTING };



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

/*
 * The root's own block, unless the run's start has copied it, or it comes from the root's line like
 * those of others.
 */
static void own_take(struct symm_operation *operation)
{
    const struct symm_line *line = mca_coll_symm_line(operation, operation->call->root);
    if ((line->flags & LINE_ALONG) == 0 && !mca_coll_symm_blocks_own_is_apart(operation)) {
        mca_coll_symm_moving_own(operation);
    }
}

static void blocks_take(struct symm_operation *operation)
{
    for (int rank = 0; rank < operation->run.team->size; rank++) {
        if ((mca_coll_symm_line(operation, rank)->flags & LINE_ALONG) != 0) {
            block_take(operation, rank);
        }
    }
}

/*
 * Who has put its block into its line has nothing more to do.  A block that is too long for its
 * place keeps no other from its own.
 */
static enum symm_status to_root_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->team->rank != run->root) {
        return operation->in_slot ? SYMM_OK : mca_coll_symm_moving_bring(operation);
    }
    if (run->stage == STARTING) {
        own_take(operation);
        blocks_take(operation);
    }
    return mca_coll_symm_moving_take(operation);
}

enum symm_status mca_coll_symm_mixed_blocks_step(struct symm_operation *operation)
{
    if (symm_collective_get(operation->call->collective)->to_root) {
        return to_root_step(operation);
    }
    block_take(operation, operation->call->root);
    return SYMM_OK;
}
