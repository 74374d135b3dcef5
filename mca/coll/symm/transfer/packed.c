/*
 * transfer/packed.c - see transfer/packed.h.
 *
 * The algorithms here are those of kernels/host for which packing pays.  They use Open MPI's
 * convertor where kernels/host uses memcpy():
 *   slot    Blocks come packed in the lines.  Ranks without gaps use kernels/host instead.
 *   staged  A rank packs its block into one of its staging buffers, which the block has to fit, and
 *           all ranks unpack it from there.  There is one piece, so no element is cut in two, and
 *           there is one phase.
 *   pull    All inputs are in the heap, without gaps.  They are unpacked from there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/transfer/packed.h"

#include <stdlib.h>

#include "kernels/prefix.h"
#include "kernels/run_steps.h"
#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/transfer/packed_blocks.h"
#include "mca/coll/symm/transfer/packed_reduce.h"
#include "mca/coll/symm/transfer/packed_rooted.h"

/* ---- all-gather ------------------------------------------------------------------------------ */

static void block_unpack(const struct symm_operation *operation, int rank, const void *packed)
{
    const struct symm_call *call = operation->call;
    if (!call->in_place || rank != operation->lane->team->rank) {
        mca_coll_symm_unpack(&call->output.layout, packed,
                             mca_coll_symm_buffer_block(&call->output, rank));
    }
}

enum { STARTING, WAITING, DEPARTING };
enum { STEP_PACKED = 1, STEP_DEPART = 2 };

static enum symm_status allgather_inline_step(struct symm_operation *operation)
{
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        block_unpack(operation, rank, mca_coll_symm_line(operation, rank)->payload);
    }
    return SYMM_OK;
}

/*
 * Staging buffers are free when the call starts, because every rank has posted its line and thereby
 * finished all calls before it.
 */
static enum symm_status allgather_staged_step(struct symm_operation *operation)
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
    if (!symm_run_reached(run, STEP_PACKED)) {
        return SYMM_PENDING;
    }
    for (int turn = 0; turn < run->work->team->size; turn++) {
        int rank = symm_work_rotate(run->work, turn);
        block_unpack(operation, rank, symm_stage_buffer(control, rank, 0));
    }
    return SYMM_OK;
}

/* A step unpacks one block, however large. */
static enum symm_status allgather_pull_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        int rank = symm_work_rotate(run->work, (int)run->piece);
        block_unpack(operation, rank, run->work->inputs[rank]);
        run->piece++;
        if (run->piece < (uint64_t)run->work->team->size) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = DEPARTING;
    }
    return symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}

/* ---- all ------------------------------------------------------------------------------------- */

typedef enum symm_status packed_step(struct symm_operation *operation);

/*
 * The algorithms whose rows say that they pack data, and those of the slot.  The choice knows these
 * rows.
 */
static packed_step *const steps[SYMM_ALGORITHM_COUNT] = {
    [SYMM_ALLREDUCE_INLINE] = mca_coll_symm_packed_reduce_slot,
    [SYMM_ALLREDUCE_STAGED] = mca_coll_symm_packed_reduce_staged,
    [SYMM_ALLGATHER_INLINE] = allgather_inline_step,
    [SYMM_ALLGATHER_PULL] = allgather_pull_step,
    [SYMM_ALLGATHER_STAGED] = allgather_staged_step,
    [SYMM_REDUCE_SCATTER_INLINE] = mca_coll_symm_packed_reduce_slot,
    [SYMM_REDUCE_SCATTER_STAGED] = mca_coll_symm_packed_reduce_staged,
    [SYMM_REDUCE_SCATTER_BLOCK_INLINE] = mca_coll_symm_packed_reduce_slot,
    [SYMM_REDUCE_SCATTER_BLOCK_STAGED] = mca_coll_symm_packed_reduce_staged,
    [SYMM_SCAN_INLINE] = mca_coll_symm_packed_reduce_slot,
    [SYMM_SCAN_STAGED] = mca_coll_symm_packed_reduce_staged,
    [SYMM_EXSCAN_INLINE] = mca_coll_symm_packed_reduce_slot,
    [SYMM_EXSCAN_STAGED] = mca_coll_symm_packed_reduce_staged,
    [SYMM_ALLTOALL_INLINE] = mca_coll_symm_packed_blocks_slot,
    [SYMM_ALLTOALL_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_ALLTOALL_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_ALLGATHERV_INLINE] = mca_coll_symm_packed_blocks_slot,
    [SYMM_ALLGATHERV_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_ALLGATHERV_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_ALLTOALLV_INLINE] = mca_coll_symm_packed_blocks_slot,
    [SYMM_ALLTOALLV_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_ALLTOALLV_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_ALLTOALLW_INLINE] = mca_coll_symm_packed_blocks_slot,
    [SYMM_ALLTOALLW_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_ALLTOALLW_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_GATHERV_INLINE] = mca_coll_symm_packed_blocks_slot,
    [SYMM_GATHERV_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_GATHERV_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_SCATTERV_INLINE] = mca_coll_symm_packed_blocks_slot,
    [SYMM_SCATTERV_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_SCATTERV_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_BCAST_INLINE] = mca_coll_symm_packed_from_root_slot,
    [SYMM_BCAST_STAGED] = mca_coll_symm_packed_from_root_staged,
    [SYMM_BCAST_PULL] = mca_coll_symm_packed_from_root_pull,
    [SYMM_REDUCE_INLINE] = mca_coll_symm_packed_reduce_slot,
    [SYMM_REDUCE_STAGED] = mca_coll_symm_packed_reduce_staged,
    [SYMM_GATHER_INLINE] = mca_coll_symm_packed_gather_slot,
    [SYMM_GATHER_STAGED] = mca_coll_symm_packed_gather_staged,
    [SYMM_SCATTER_INLINE] = mca_coll_symm_packed_from_root_slot,
    [SYMM_SCATTER_STAGED] = mca_coll_symm_packed_from_root_staged,
    [SYMM_SCATTER_PULL] = mca_coll_symm_packed_from_root_pull,
};

enum symm_status mca_coll_symm_packed_step(struct symm_operation *operation)
{
    packed_step *step = steps[operation->work.algorithm];
    if (step == NULL) {
        abort(); /* a row says that it packs data, and no function here does */
    }
    return step(operation);
}
