/*
 * transfer/packed.c - see transfer/packed.h.
 *
 * The algorithms here are those of kernels/host for which packing pays.  They use Open MPI's
 * convertor where kernels/host uses memcpy():
 *   slot    Blocks come packed in the lines.  Ranks without gaps use kernels/host instead.
 *   staged  A rank packs what it sends into its staging buffers, which that has to fit, and the
 *           others unpack it from there: one array for all, or the block for each peer in that
 *           peer's row.  There is one piece, so no element is cut in two, and there is one phase.
 *   pull    All inputs are in the heap, without gaps.  They are unpacked from there.
 * Reductions are in transfer/packed_reduce.c.  Where buffers are not used any more, and who waits,
 * is as in kernels/host.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/transfer/packed.h"

#include "kernels/rooted.h"
#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/transfer/packed_reduce.h"

enum { STARTING, WAITING, DEPARTING };
enum { STEP_PACKED = 1, STEP_DEPART = 2 };

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Whether ranks' blocks are described one by one; otherwise all are equally long. */
static bool has_blocks(const struct symm_operation *operation)
{
    return symm_collective_get(operation->call->collective)->has_blocks;
}

static bool is_gather(const struct symm_operation *operation)
{
    return symm_collective_get(operation->call->collective)->gathers;
}

/* Whether this rank's own block is where it belongs. */
static bool own_is_there(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    return (call->in_place && is_gather(operation)) ||
           (call->collective == SYMM_BCAST && operation->work.team->rank == call->root);
}

/* The place for what comes from a rank.  Returns false if nothing is to be unpacked. */
static bool place_find(const struct symm_operation *operation, int rank,
                       struct symm_layout *layout, void **address)
{
    const struct symm_call *call = operation->call;
    const struct symm_work *work = &operation->work;
    const struct symm_block block = symm_work_block(work, rank);
    size_t bytes = symm_block_incoming(&block);
    if (bytes == 0 || (call->absent & SYMM_ABSENT_OUTPUT) != 0 ||
        (rank == work->team->rank && own_is_there(operation))) {
        return false;
    }
    if (has_blocks(operation)) {
        mca_coll_symm_side_block(&call->output.side, (size_t)rank, layout, address);
    } else {
        *layout = call->output.layout;
        *address = symm_rooted_is_from_root(work) ? call->output.address
                                                  : mca_coll_symm_buffer_block(&call->output, rank);
    }
    layout->bytes = bytes; /* one that is longer or shorter than its place is an error */
    return true;
}

/* Unpack what a rank sends to this one, which has all that the rank sends to it at `packed`. */
static void unpack(const struct symm_operation *operation, int rank, const void *packed)
{
    struct symm_layout layout;
    void *address;
    if (place_find(operation, rank, &layout, &address)) {
        mca_coll_symm_unpack(&layout, packed, address);
    }
}

/* The same, where `array` has what the rank sends to all. */
static void array_unpack(const struct symm_operation *operation, int rank, const void *array)
{
    const struct symm_block block = symm_work_block(&operation->work, rank);
    unpack(operation, rank, (const unsigned char *)array + block.from_at);
}

/* ---- in the slot ----------------------------------------------------------------------------- */

static enum symm_status slot_step(struct symm_operation *operation)
{
    const struct symm_work *work = &operation->work;
    bool is_even = !has_blocks(operation) || operation->call->collective == SYMM_ALLTOALL;
    for (int rank = 0; rank < work->team->size; rank++) {
        array_unpack(operation, rank, is_even ? mca_coll_symm_line(operation, rank)->payload
                                              : work->inputs[rank]);
    }
    return SYMM_OK;
}

/* ---- staged ---------------------------------------------------------------------------------- */

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

static void input_pack(struct symm_operation *operation)
{
    const struct symm_work *work = &operation->work;
    if (has_blocks(operation)) {
        blocks_pack(operation);
    } else if ((operation->call->absent & SYMM_ABSENT_INPUT) == 0) {
        mca_coll_symm_buffer_pack(&operation->call->input,
                                  symm_stage_buffer(&work->team->control, work->team->rank, 0));
    }
}

/* What a rank sends is the same for all, or has a row for each. */
static void staged_unpack(const struct symm_operation *operation, int rank)
{
    const struct symm_work *work = &operation->work;
    if (has_blocks(operation)) {
        unpack(operation, rank, row_at(operation, rank, work->team->rank));
    } else {
        array_unpack(operation, rank, symm_stage_buffer(&work->team->control, rank, 0));
    }
}

/* Whether those have packed from whom this rank gets data. */
static bool others_have_packed(struct symm_run *run)
{
    return symm_rooted_is_from_root(run->work)
               ? symm_work_rank_reached(run->work, run->work->root, STEP_PACKED)
               : symm_run_reached(run, STEP_PACKED);
}

/* Staging buffers are free when the call starts. */
static enum symm_status staged_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        input_pack(operation);
        symm_run_raise(run, STEP_PACKED);
        run->stage = WAITING;
    }
    if ((operation->call->absent & SYMM_ABSENT_OUTPUT) != 0) {
        return SYMM_OK;
    }
    if (!others_have_packed(run)) {
        return SYMM_PENDING;
    }
    for (int turn = 0; turn < run->work->team->size; turn++) {
        staged_unpack(operation, symm_work_rotate(run->work, turn));
    }
    return SYMM_OK;
}

/* ---- pulled ---------------------------------------------------------------------------------- */

/* A step unpacks one block, however large. */
static enum symm_status pull_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        int rank = symm_work_rotate(run->work, (int)run->piece);
        array_unpack(operation, rank, run->work->inputs[rank]);
        run->piece++;
        if (run->piece < (uint64_t)run->work->team->size) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = DEPARTING;
    }
    bool is_read = (operation->call->absent & SYMM_ABSENT_INPUT) == 0;
    return !is_read || symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}

/* ---- all ------------------------------------------------------------------------------------- */

enum symm_status mca_coll_symm_packed_step(struct symm_operation *operation)
{
    const struct symm_algorithm_row *algorithm = symm_algorithm_get(operation->work.algorithm);
    if (symm_collective_get(algorithm->collective)->reduces) {
        return algorithm->in_slot ? mca_coll_symm_packed_reduce_slot(operation)
                                  : mca_coll_symm_packed_reduce_staged(operation);
    }
    return algorithm->in_slot                               ? slot_step(operation)
           : (algorithm->needs & SYMM_NEEDS_INPUTS) != 0 ? pull_step(operation)
                                                            : staged_step(operation);
}
