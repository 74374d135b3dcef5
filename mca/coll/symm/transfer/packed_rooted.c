/*
 * transfer/packed_rooted.c - see transfer/packed_rooted.h.
 *
 * The root's line or staging buffer has its whole vector, packed, or each rank's has the rank's
 * block.  Where buffers are not used any more, and who waits, is as in kernels/host/rooted_*.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/transfer/packed_rooted.h"

#include "kernels/rooted.h"
#include "mca/coll/symm/base/line.h"

enum { STEP_PACKED = 1, STEP_DEPART = 1 };
enum { STARTING, WAITING };

/* Unpack this rank's block from the root's packed vector, unless it is there already. */
static void own_unpack(const struct symm_operation *operation, const unsigned char *vector)
{
    const struct symm_call *call = operation->call;
    const struct symm_work *work = &operation->work;
    bool is_there = symm_rooted_is_root(work) &&
                    (call->collective == SYMM_BCAST || (call->absent & SYMM_ABSENT_OUTPUT) != 0);
    if (!is_there) {
        mca_coll_symm_unpack(&call->output.layout,
                             vector + symm_rooted_begin(work, work->team->rank),
                             call->output.address);
    }
}

/* The root unpacks a rank's block to its place. */
static void block_unpack(const struct symm_operation *operation, int rank, const void *packed)
{
    const struct symm_call *call = operation->call;
    if (!call->in_place || rank != operation->work.root) {
        mca_coll_symm_unpack(&call->output.layout, packed,
                             mca_coll_symm_buffer_block(&call->output, rank));
    }
}

/* ---- from the root --------------------------------------------------------------------------- */

enum symm_status mca_coll_symm_packed_from_root_slot(struct symm_operation *operation)
{
    own_unpack(operation, mca_coll_symm_line(operation, operation->work.root)->payload);
    return SYMM_OK;
}

enum symm_status mca_coll_symm_packed_from_root_staged(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    const struct symm_call *call = operation->call;
    unsigned char *vector = symm_stage_buffer(&run->work->team->control, run->work->root, 0);
    if (symm_rooted_is_root(run->work)) {
        mca_coll_symm_buffer_pack(&call->input, vector);
        symm_run_raise(run, STEP_PACKED);
    } else if (!symm_work_rank_reached(run->work, run->work->root, STEP_PACKED)) {
        return SYMM_PENDING;
    }
    own_unpack(operation, vector);
    return SYMM_OK;
}

/* The root's input is in the heap, without gaps. */
enum symm_status mca_coll_symm_packed_from_root_pull(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        own_unpack(operation, run->work->inputs[run->work->root]);
        symm_run_raise(run, STEP_DEPART);
        run->stage = WAITING;
    }
    return !symm_rooted_is_root(run->work) || symm_run_reached(run, STEP_DEPART) ? SYMM_OK
                                                                           : SYMM_PENDING;
}

/* ---- to the root ----------------------------------------------------------------------------- */

enum symm_status mca_coll_symm_packed_gather_slot(struct symm_operation *operation)
{
    const struct symm_work *work = &operation->work;
    for (int rank = 0; symm_rooted_is_root(work) && rank < work->team->size; rank++) {
        block_unpack(operation, rank, mca_coll_symm_line(operation, rank)->payload);
    }
    return SYMM_OK;
}

enum symm_status mca_coll_symm_packed_gather_staged(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    const struct symm_control *control = &run->work->team->control;
    const struct symm_call *call = operation->call;
    if (run->stage == STARTING) {
        mca_coll_symm_buffer_pack(&call->input,
                           symm_stage_buffer(control, run->work->team->rank, 0));
        symm_run_raise(run, STEP_PACKED);
        run->stage = WAITING;
    }
    if (!symm_rooted_is_root(run->work)) {
        return SYMM_OK;
    }
    if (!symm_run_reached(run, STEP_PACKED)) {
        return SYMM_PENDING;
    }
    for (int rank = 0; rank < run->work->team->size; rank++) {
        block_unpack(operation, rank, symm_stage_buffer(control, rank, 0));
    }
    return SYMM_OK;
}
