/*
 * transfer/packed_reduce.c - see transfer/packed_reduce.h.
 *
 * Every rank reduces all that its result consists of, from packed elements of all ranks:
 *   slot    They are in the lines.
 *   staged  They come in pieces through staging buffers, piece k through buffer k mod 4, and are
 *           packed one piece ahead of the reduction.  The steps, and the reason why four buffers
 *           suffice, are as in kernels/host/allreduce_staged_one_shot.c.
 *
 * A result grows in the receive buffer, so that the gaps there keep what they hold.  Contributions
 * are unpacked into scratch, as many elements at a time as fit it.
 *
 * In place a rank's elements of a piece are packed before any result of that piece is stored, and
 * no result lies further from the beginning of the buffer than the elements that it comes from.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/transfer/packed_reduce.h"

#include "heap/scratch.h"
#include "kernels/prefix.h"
#include "kernels/run_steps.h"
#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/base/module.h"

enum { STARTING, REDUCING };

/* The elements from `begin` to before `end`, counted in this rank's input. */
struct range {
    size_t begin, end;
};

/* Those whose results this rank gets. */
static struct range results_of(const struct symm_operation *operation)
{
    const struct symm_call *call = operation->call;
    bool scatters = symm_collective_get(call->collective)->scatters;
    size_t begin = scatters ? operation->work.begins[operation->lane->team->rank] : 0;
    return (struct range){begin, begin + call->output.layout.count};
}

static void *element_at(const struct symm_call *call, const void *buffer, size_t index)
{
    return mca_coll_symm_at(buffer, (ptrdiff_t)(index * call->extent));
}

/* Where elements are in a block of scratch, as well aligned as the program's own elements. */
static void *scratch_beside(const struct symm_call *call, void *block)
{
    ptrdiff_t remainder =
        (uintptr_t)mca_coll_symm_at(call->output.address,
                                    call->output.layout.start) % SYMM_CACHE_LINE;
    return mca_coll_symm_at(block, remainder - call->output.layout.start);
}

/* How many elements fit a block of scratch; one does (mca_coll_symm_reduction_veto()). */
static size_t batch_of(const struct symm_call *call)
{
    struct symm_layout one;
    mca_coll_symm_layout_describe(&one, call->dtype, 1);
    size_t left = SYMM_SCRATCH_SIZE - SYMM_CACHE_LINE - mca_coll_symm_layout_span(&one);
    return call->extent == 0 ? 1 : 1 + left / call->extent;
}

/* ---- a few elements -------------------------------------------------------------------------- */

/* So many elements, packed on all ranks at work->inputs, and where this rank has them. */
struct batch {
    struct symm_layout layout;
    size_t packed_at;
    const void *own; /* in the send buffer; NULL: in place */
    void *output, *scratch;
};

static const unsigned char *packed_of(const struct symm_operation *operation,
                                      const struct batch *batch, int rank)
{
    return (const unsigned char *)operation->work.inputs[rank] + batch->packed_at;
}

/* The order is from the last rank to the first, like symm_fold(). */
static void batch_fold(const struct symm_operation *operation, const struct batch *batch)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_call *call = operation->call;
    int rank = team->size - 1;
    mca_coll_symm_unpack(&batch->layout, packed_of(operation, batch, rank), batch->output);
    while (--rank >= 0) {
        const void *source = batch->scratch;
        if (rank == team->rank && batch->own != NULL) {
            source = batch->own;
        } else {
            mca_coll_symm_unpack(&batch->layout, packed_of(operation, batch, rank),
                                 batch->scratch);
        }
        ompi_op_reduce(call->op, symm_ompi_unconst(source), batch->output, batch->layout.count,
                       call->dtype);
    }
}

/*
 * Prefixes grow from the first rank to the last, like those of kernels/host/prefix.h, by turns in
 * scratch and in the receive buffer, where the last one is.
 */
static void batch_scan(const struct symm_operation *operation, const struct batch *batch)
{
    const struct symm_call *call = operation->call;
    int ranks = symm_prefix_length(&operation->work, operation->lane->team->rank);
    for (int rank = 0; rank < ranks; rank++) {
        bool in_output = (ranks - 1 - rank) % 2 == 0;
        void *next = in_output ? batch->output : batch->scratch;
        mca_coll_symm_unpack(&batch->layout, packed_of(operation, batch, rank), next);
        if (rank > 0) {
            ompi_op_reduce(call->op, in_output ? batch->scratch : batch->output, next,
                           batch->layout.count, call->dtype);
        }
    }
}

/* Reduce what this rank gets of elements that are packed at work->inputs, from the first on. */
static void range_reduce(const struct symm_operation *operation, struct range packed)
{
    const struct symm_call *call = operation->call;
    bool is_prefix = symm_collective_get(call->collective)->is_prefix;
    struct range results = results_of(operation);
    size_t most = batch_of(call), begin = packed.begin > results.begin ? packed.begin
                                                                       : results.begin;
    size_t end = symm_least(packed.end, results.end);
    if (begin >= end) {
        return;
    }
    void *block = symm_scratch_take();
    struct batch batch = {.scratch = scratch_beside(call, block)};
    for (size_t some; begin < end; begin += some) {
        some = symm_least(end - begin, most);
        mca_coll_symm_layout_describe(&batch.layout, call->dtype, some);
        batch.packed_at = mca_coll_symm_bytes(call->dtype, begin - packed.begin);
        batch.own = call->in_place ? NULL : element_at(call, call->input.address, begin);
        batch.output = element_at(call, call->output.address, begin - results.begin);
        (is_prefix ? batch_scan : batch_fold)(operation, &batch);
    }
    symm_scratch_give(block);
}

/* ---- slot ------------------------------------------------------------------------------------ */

enum symm_status mca_coll_symm_packed_reduce_slot(struct symm_operation *operation)
{
    const struct symm_work *work = &operation->work;
    for (int rank = 0; rank < operation->lane->team->size; rank++) {
        work->inputs[rank] = mca_coll_symm_line(operation, rank)->payload;
    }
    range_reduce(operation, (struct range){0, operation->call->count});
    return SYMM_OK;
}

/* ---- staged ---------------------------------------------------------------------------------- */

/* Elements have one size on all ranks, or the call is not served (agree/post.c). */
static struct range piece_of(const struct symm_operation *operation, uint64_t piece)
{
    const struct symm_call *call = operation->call;
    size_t length = operation->lane->team->control.piece_size /
                    mca_coll_symm_bytes(call->dtype, 1);
    size_t begin = symm_least((size_t)piece * length, call->count);
    return (struct range){begin, symm_least(begin + length, call->count)};
}

/* Pack a piece, if there is one. */
static void piece_pack(struct symm_operation *operation, uint64_t piece)
{
    const struct symm_call *call = operation->call;
    struct symm_run *run = &operation->run;
    struct range range = piece_of(operation, piece);
    struct symm_layout layout;
    if (range.begin < range.end) {
        mca_coll_symm_layout_describe(&layout, call->dtype, range.end - range.begin);
        mca_coll_symm_pack(&layout, element_at(call, call->input.address, range.begin),
                           symm_work_stage(run->work, run->work->team->rank, piece));
        symm_run_raise(run, piece + 1);
    }
}

enum symm_status mca_coll_symm_packed_reduce_staged(struct symm_operation *operation)
{
    struct symm_run *run = &operation->run;
    if (run->stage == STARTING) {
        piece_pack(operation, 0);
        piece_pack(operation, 1);
        run->stage = REDUCING;
    }
    if (!symm_run_reached(run, run->piece + 1)) {
        return SYMM_PENDING;
    }
    for (int rank = 0; rank < run->work->team->size; rank++) {
        run->work->inputs[rank] = symm_work_stage(run->work, rank, run->piece);
    }
    range_reduce(operation, piece_of(operation, run->piece));
    run->piece++;
    piece_pack(operation, run->piece + 1);
    struct range next = piece_of(operation, run->piece);
    return next.begin < next.end ? symm_run_more(run) : SYMM_OK;
}
