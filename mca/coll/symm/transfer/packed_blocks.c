/*
 * transfer/packed_blocks.c - see transfer/packed_blocks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/transfer/packed_blocks.h"

#include "kernels/run_steps.h"
#include "mca/coll/symm/base/line.h"

enum { STARTING, WAITING, DEPARTING };
enum { STEP_PACKED = 1, STEP_DEPART = 2 };

static bool is_gather(const struct symm_operation *operation)
{
    return symm_collective_get(operation->call->collective)->gathers;
}

/* In place an all-gather's own block is where it belongs. */
static bool is_in_place(const struct symm_operation *operation, int rank)
{
    return operation->call->in_place && rank == operation->lane->team->rank &&
           is_gather(operation);
}

/* Unpack the block of a rank.  One that is longer or shorter than its place is an error. */
static void block_unpack(const struct symm_operation *operation, int rank, const void *packed)
{
    struct symm_layout layout;
    void *address;
    size_t bytes = symm_block_incoming(&operation->work.blocks[rank]);
    if (bytes == 0 || is_in_place(operation, rank)) {
        return;
    }
    mca_coll_symm_side_block(&operation->call->output.side, (size_t)rank, &layout, &address);
    layout.bytes = bytes;
    mca_coll_symm_unpack(&layout, packed, address);
}

static const unsigned char *packed_at(const struct symm_operation *operation, int rank)
{
    return (const unsigned char *)operation->work.inputs[rank] +
           operation->work.blocks[rank].from_at;
}

enum symm_status mca_coll_symm_packed_blocks_slot(struct symm_operation *operation)
{
    const struct symm_work *work = &operation->work;
    bool is_even = operation->call->collective == SYMM_ALLTOALL;
    for (int rank = 0; rank < work->team->size; rank++) {
        if (is_even) {
            work->inputs[rank] = mca_coll_symm_line(operation, rank)->payload;
        }
        block_unpack(operation, rank, packed_at(operation, rank));
    }
    return SYMM_OK;
}

/* The four staging buffers of a rank follow each other, and have a row for each peer together. */
static unsigned char *row_at(const struct symm_operation *operation, int source, int target)
{
    const struct symm_control *control = &operation->lane->team->control;
    size_t row = SYMM_STAGE_BUFFERS * symm_stage_row(control);
    return symm_stage_buffer(control, source, 0) +
           (is_gather(operation) ? 0 : (size_t)target * row);
}

static void blocks_pack(struct symm_operation *operation)
{
    const struct symm_work *work = &operation->work;
    const struct symm_line *line = mca_coll_symm_line(operation, work->team->rank);
    struct symm_layout layout;
    void *address;
    for (int target = 0; target < (is_gather(operation) ? 1 : work->team->size); target++) {
        unsigned char *row = row_at(operation, work->team->rank, target);
        const struct symm_block *block = &work->blocks[target];
        mca_coll_symm_side_block(&operation->call->input.side, (size_t)target, &layout, &address);
        bool stays = target == work->team->rank && symm_block_incoming(block) == 0;
        if (layout.bytes == 0 || stays) { /* agree/blocks.c copies it */
            continue;
        }
        if ((line->flags & LINE_ALONG) != 0) {
            memcpy(row, (const unsigned char *)work->input + block->send_at, layout.bytes);
        } else {
            mca_coll_symm_pack(&layout, address, row);
        }
    }
}

/* Staging buffers are free when the call starts, as in an all-gather (transfer/packed.c). */
enum symm_status mca_coll_symm_packed_blocks_staged(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        blocks_pack(operation);
        symm_run_raise(run, STEP_PACKED);
        run->stage = WAITING;
    }
    if (!symm_run_reached(run, STEP_PACKED)) {
        return SYMM_PENDING;
    }
    for (int turn = 0; turn < run->work->team->size; turn++) {
        int rank = symm_work_rotate(run->work, turn);
        block_unpack(operation, rank, row_at(operation, rank, run->work->team->rank));
    }
    return SYMM_OK;
}

/* A step unpacks one block, however large. */
enum symm_status mca_coll_symm_packed_blocks_pull(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        int rank = symm_work_rotate(run->work, (int)run->piece);
        block_unpack(operation, rank, packed_at(operation, rank));
        run->piece++;
        if (run->piece < (uint64_t)run->work->team->size) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = DEPARTING;
    }
    return symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}
