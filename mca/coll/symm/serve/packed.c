/*
 * serve/packed.c - see serve/packed.h.
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
#include "mca/coll/symm/serve/packed.h"

#include <stdlib.h>

#include "kernels/prefix.h"
#include "kernels/run_steps.h"
#include "mca/coll/symm/agree/line.h"
#include "mca/coll/symm/serve/mixed.h"
#include "mca/coll/symm/serve/packed_blocks.h"
#include "mca/coll/symm/serve/packed_rooted.h"

/* ---- all-gather ------------------------------------------------------------------------------ */

static void block_unpack(const struct symm_operation *operation, int rank, const void *packed)
{
    const struct symm_call *call = operation->call;
    if (!call->in_place || rank != operation->lane->team->rank) {
        mca_coll_symm_unpack(&call->target, packed,
                             mca_coll_symm_layout_block(&call->target, call->receive, rank));
    }
}

enum { STARTING, WAITING, DEPARTING };
enum { STEP_PACKED = 1, STEP_DEPART = 2 };

static enum symm_status allgather_slot_step(struct symm_operation *operation)
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
    const struct symm_control *control = &run->team->control;
    const struct symm_call *call = operation->call;
    if (run->stage == STARTING) {
        mca_coll_symm_pack(&call->source, call->send,
                           symm_stage_buffer(control, run->team->rank, 0));
        symm_run_raise(run, STEP_PACKED);
        run->stage = WAITING;
    }
    if (!symm_run_reached(run, STEP_PACKED)) {
        return SYMM_PENDING;
    }
    for (int turn = 0; turn < run->team->size; turn++) {
        int rank = symm_run_rotate(run, turn);
        block_unpack(operation, rank, symm_stage_buffer(control, rank, 0));
    }
    return SYMM_OK;
}

/* A step unpacks one block, however large. */
static enum symm_status allgather_pull_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        int rank = symm_run_rotate(run, (int)run->piece);
        block_unpack(operation, rank, run->inputs[rank]);
        run->piece++;
        if (run->piece < (uint64_t)run->team->size) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = DEPARTING;
    }
    return symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Where elements are in a block of scratch, as well aligned as the program's own elements. */
static void *scratch_beside(const struct symm_call *call, void *block)
{
    ptrdiff_t remainder =
        (uintptr_t)mca_coll_symm_at(call->receive, call->target.start) % SYMM_CACHE_LINE;
    return mca_coll_symm_at(block, remainder - call->target.start);
}

/*
 * A reduction with a user-defined operation, which wants the elements as the program lays them out.
 * The result has the elements from `begin` on, so many as call->target says.  It grows in the
 * receive buffer, so that the gaps there keep what they hold.  Each contribution is unpacked into
 * scratch, and then reduced.  The order is from the last rank to the first, like symm_fold().
 */
static enum symm_status reduce_from_slot(struct symm_operation *operation, size_t begin)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_call *call = operation->call;
    size_t skipped = mca_coll_symm_bytes(call->dtype, begin);
    void *output = call->receive;
    if (call->target.count == 0) {
        return SYMM_OK;
    }
    void *block = symm_scratch_take();
    void *scratch = scratch_beside(call, block);
    int rank = team->size - 1;
    mca_coll_symm_unpack(&call->target, mca_coll_symm_line(operation, rank)->payload + skipped,
                         output);
    while (--rank >= 0) {
        if (rank == team->rank && !call->in_place) {
            ompi_op_reduce(call->op,
                           mca_coll_symm_at(call->send, (ptrdiff_t)(begin * call->extent)),
                           output, call->target.count, call->dtype);
            continue;
        }
        mca_coll_symm_unpack(&call->target, mca_coll_symm_line(operation, rank)->payload + skipped,
                             scratch);
        ompi_op_reduce(call->op, scratch, output, call->target.count, call->dtype);
    }
    symm_scratch_give(block);
    return SYMM_OK;
}

static enum symm_status allreduce_slot_step(struct symm_operation *operation)
{
    return reduce_from_slot(operation, 0);
}

static enum symm_status reduce_scatter_slot_step(struct symm_operation *operation)
{
    return reduce_from_slot(operation, operation->run.begins[operation->lane->team->rank]);
}

/*
 * A scan with a user-defined operation.  Prefixes grow from the first rank to the last, like those
 * of kernels/host/prefix.h, by turns in scratch and in the receive buffer, where the last one is.
 */
static enum symm_status prefix_slot_step(struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    int ranks = symm_prefix_length(&operation->run, operation->lane->team->rank);
    void *output = call->receive;
    if (ranks == 0) {
        return SYMM_OK;
    }
    void *block = symm_scratch_take();
    void *scratch = scratch_beside(call, block);
    for (int rank = 0; rank < ranks; rank++) {
        bool in_output = (ranks - 1 - rank) % 2 == 0;
        void *next = in_output ? output : scratch;
        mca_coll_symm_unpack(&call->target, mca_coll_symm_line(operation, rank)->payload, next);
        if (rank > 0) {
            ompi_op_reduce(call->op, in_output ? scratch : output, next, call->target.count,
                           call->dtype);
        }
    }
    symm_scratch_give(block);
    return SYMM_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

typedef enum symm_status packed_step(struct symm_operation *operation);

/*
 * The algorithms whose rows say that they pack data, and those of the slot.  The choice knows these
 * rows.
 */
static packed_step *const steps[SYMM_ALGORITHM_COUNT] = {
    [SYMM_ALLREDUCE_SLOT] = allreduce_slot_step,
    [SYMM_ALLGATHER_SLOT] = allgather_slot_step,
    [SYMM_ALLGATHER_PULL] = allgather_pull_step,
    [SYMM_ALLGATHER_STAGED] = allgather_staged_step,
    [SYMM_REDUCE_SCATTER_SLOT] = reduce_scatter_slot_step,
    [SYMM_REDUCE_SCATTER_BLOCK_SLOT] = reduce_scatter_slot_step,
    [SYMM_SCAN_SLOT] = prefix_slot_step,
    [SYMM_EXSCAN_SLOT] = prefix_slot_step,
    [SYMM_ALLTOALL_SLOT] = mca_coll_symm_packed_blocks_slot,
    [SYMM_ALLTOALL_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_ALLTOALL_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_ALLGATHERV_SLOT] = mca_coll_symm_packed_blocks_slot,
    [SYMM_ALLGATHERV_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_ALLGATHERV_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_ALLTOALLV_SLOT] = mca_coll_symm_packed_blocks_slot,
    [SYMM_ALLTOALLV_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_ALLTOALLV_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_ALLTOALLW_SLOT] = mca_coll_symm_packed_blocks_slot,
    [SYMM_ALLTOALLW_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_ALLTOALLW_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_GATHERV_SLOT] = mca_coll_symm_packed_blocks_slot,
    [SYMM_GATHERV_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_GATHERV_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_SCATTERV_SLOT] = mca_coll_symm_packed_blocks_slot,
    [SYMM_SCATTERV_PULL] = mca_coll_symm_packed_blocks_pull,
    [SYMM_SCATTERV_STAGED] = mca_coll_symm_packed_blocks_staged,
    [SYMM_BCAST_SLOT] = mca_coll_symm_packed_from_root_slot,
    [SYMM_BCAST_STAGED] = mca_coll_symm_packed_from_root_staged,
    [SYMM_BCAST_PULL] = mca_coll_symm_packed_from_root_pull,
    [SYMM_REDUCE_SLOT] = allreduce_slot_step, /* ranks without an output have no result */
    [SYMM_GATHER_SLOT] = mca_coll_symm_packed_gather_slot,
    [SYMM_GATHER_STAGED] = mca_coll_symm_packed_gather_staged,
    [SYMM_SCATTER_SLOT] = mca_coll_symm_packed_from_root_slot,
    [SYMM_SCATTER_STAGED] = mca_coll_symm_packed_from_root_staged,
    [SYMM_SCATTER_PULL] = mca_coll_symm_packed_from_root_pull,
};

static enum symm_status plain_step(struct symm_operation *operation)
{
    packed_step *step = steps[operation->run.algorithm];
    if (step == NULL) {
        abort(); /* a row says that it packs data, and no function here does */
    }
    return step(operation);
}

/*
 * A rank that gets a longer block than it has a place for takes part to the end, and fails then:
 * other ranks may still need it.
 */
static enum symm_status truncated_step(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    enum symm_status status =
        operation->truncated_packed ? plain_step(operation) : symm_run_step(run);
    if (status == SYMM_OK && run->failure == SYMM_OK) {
        run->failure = SYMM_ERR_ARGUMENT;
    }
    return status;
}

enum symm_status mca_coll_symm_packed_step(struct symm_operation *operation)
{
    if (operation->mixed) {
        return mca_coll_symm_mixed_step(operation);
    }
    bool is_exchange = symm_collective_get(operation->call->collective)->has_blocks;
    return is_exchange && operation->truncated >= 0 ? truncated_step(operation)
                                                     : plain_step(operation);
}
