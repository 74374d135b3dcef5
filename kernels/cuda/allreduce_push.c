/*
 * allreduce_push.c - ranks store the slices of their inputs in the memory of the slices' owners; an owner
 * adds what has come and stores the result to all outputs.
 *
 * Stores over a link move 366 GB/s where loads move 338, so large arrays go this way rather than by
 * two-shot, which loads.  It takes one more launch and one more meeting, and scratch for what arrives.
 * A slice goes in as many pieces as the scratch asks for.  For piece k:
 *
 *   push   every rank stores piece k of each other slice of its input in row `rank` of part
 *          k % SYMM_PIPELINE_DEPTH of the owner's scratch.
 *   sum    when all ranks have said that theirs have landed, the owner adds its own input and the rows, in
 *          rank order, and stores the sum to all outputs.
 *
 * A part of the scratch is used again when all ranks have said that they are done with the piece before.
 * Kernels of a rank follow each other on one stream, and while ranks meet for one piece, another one moves;
 * only before the last sum does the link wait for the hosts.
 *
 * What a rank says are steps of its phase, which only rises; so pushes and sums are told in a fixed order.
 * A sum comes just before the push that waits for it, SYMM_PIPELINE_DEPTH pieces on:
 *
 *   push 0, push 1, sum 0, push 2, sum 1, ... push K-1, sum K-2, sum K-1
 *
 * Told any earlier, a sum would keep back pushes that have landed; so nobody waits for longer than the work
 * takes, nor in a circle.
 *
 * In place it is right as well: a piece of an output is written after all ranks have pushed this piece of
 * their inputs; the owner's own input and output are read and written by the same thread.  Inputs need
 * not be reachable for anybody else.  The sums are those of two-shot, bit for bit.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"

enum { ROW_UNIT = 256 }; /* bytes, so that vectors in rows are aligned; and elements of whole pieces */

static size_t rows_of(int ranks)
{
    return ranks > 1 ? (size_t)(ranks - 1) : 1;
}

size_t symm_allreduce_cuda_scratch_least(int ranks)
{
    return rows_of(ranks) * SYMM_PIPELINE_DEPTH * ROW_UNIT;
}

/* How slices are cut, alike on all ranks. */
struct cut {
    size_t row;      /* bytes of a row of the scratch */
    size_t elements; /* of a piece */
    uint32_t pieces; /* of the longest slice */
};

static struct cut cut_make(const struct symm_run *run)
{
    int ranks = run->team->size;
    size_t extent = symm_cuda_type_extent(run->cuda_type), longest = 0;
    struct cut cut;
    for (int rank = 0; rank < ranks; rank++) {
        size_t begin, end;
        symm_slice(run->count, extent, rank, ranks, &begin, &end);
        longest = end - begin > longest ? end - begin : longest;
    }
    cut.row = run->scratch_size / SYMM_PIPELINE_DEPTH / rows_of(ranks) / ROW_UNIT * ROW_UNIT;
    cut.elements = cut.row / extent;
    if (cut.elements > ROW_UNIT) {
        cut.elements -= cut.elements % ROW_UNIT;
    }
    /* One at least, if it is empty: ranks meet in its steps. */
    cut.pieces = longest == 0 ? 1 : (uint32_t)((longest + cut.elements - 1) / cut.elements);
    return cut;
}

/* The elements of piece `piece` of a rank's slice. */
static size_t piece_of(const struct symm_run *run, const struct cut *cut, int rank, uint32_t piece,
                       size_t *begin)
{
    size_t end;
    symm_slice(run->count, symm_cuda_type_extent(run->cuda_type), rank, run->team->size, begin,
               &end);
    *begin = symm_least(*begin + piece * cut->elements, end);
    return symm_least(end - *begin, cut->elements);
}

/* Where `source` puts its part of a piece for `owner`. */
static unsigned char *row_of(const struct symm_run *run, const struct cut *cut, int owner,
                             int source, uint32_t piece)
{
    size_t row = (size_t)(source < owner ? source : source - 1);
    return (unsigned char *)run->scratches[owner] +
           (piece % SYMM_PIPELINE_DEPTH * rows_of(run->team->size) + row) * cut->row;
}

/* ---- steps of the phase: pushes told plus sums told --------------------------------------------- */

static uint64_t step_of_push(uint32_t piece)
{
    return piece < SYMM_PIPELINE_DEPTH ? (uint64_t)piece + 1
                                       : 2 * (uint64_t)piece + 2 - SYMM_PIPELINE_DEPTH;
}

static uint64_t step_of_sum(const struct cut *cut, uint32_t piece)
{
    return (uint64_t)piece + 1 + symm_least(cut->pieces, (size_t)piece + SYMM_PIPELINE_DEPTH);
}

/* Tell the others how far this rank has got, if that is further than they know. */
static void progress_tell(struct symm_run *run, const struct cut *cut)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    uint32_t before = pipeline->told_pushes + pipeline->told_sums, now = before;
    bool is_more = true;
    while (is_more) {
        if (pipeline->told_pushes < cut->pieces &&
            pipeline->told_pushes < pipeline->told_sums + SYMM_PIPELINE_DEPTH) {
            is_more = pipeline->landed > pipeline->told_pushes;
            pipeline->told_pushes += is_more;
        } else {
            is_more = pipeline->added > pipeline->told_sums;
            pipeline->told_sums += is_more;
        }
        now += is_more;
    }
    if (now != before) {
        symm_run_raise(run, now);
    }
}

/* ---- starting and testing ----------------------------------------------------------------------- */

/* Start the next push if it may: SYMM_PENDING if not, SYMM_OK if it did. */
static enum symm_status push_start(struct symm_run *run, const struct cut *cut, uint64_t least)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    size_t extent = symm_cuda_type_extent(run->cuda_type);
    uint32_t piece = pipeline->pushed;
    int me = run->team->rank, ranks = run->team->size;
    if (piece == cut->pieces || piece >= pipeline->landed + SYMM_PIPELINE_DEPTH ||
        (piece >= SYMM_PIPELINE_DEPTH && least < step_of_sum(cut, piece - SYMM_PIPELINE_DEPTH))) {
        return SYMM_PENDING;
    }
    for (int turn = 1; turn < ranks; turn++) {
        int owner = symm_run_rotate(run, turn);
        size_t begin, count = piece_of(run, cut, owner, piece, &begin);
        pushes[turn - 1] = (struct symm_cuda_push){
            .input = (const unsigned char *)run->input + begin * extent,
            .output = row_of(run, cut, owner, me, piece),
            .bytes = count * extent,
        };
    }
    enum symm_status status =
        symm_device_push_start(run->device, pushes, ranks - 1, run->block_limit,
                               &pipeline->pushes[piece % SYMM_PIPELINE_DEPTH]);
    pipeline->pushed += status == SYMM_OK;
    return status;
}

/* Likewise for the next sum. */
static enum symm_status sum_start(struct symm_run *run, const struct cut *cut, uint64_t least)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    size_t begin, extent = symm_cuda_type_extent(run->cuda_type);
    uint32_t piece = pipeline->adding;
    int me = run->team->rank, ranks = run->team->size;
    if (piece == cut->pieces || piece >= pipeline->added + SYMM_PIPELINE_DEPTH ||
        least < step_of_push(piece)) {
        return SYMM_PENDING;
    }
    size_t count = piece_of(run, cut, me, piece, &begin);
    struct symm_cuda_reduce arguments = {.end = count, .ranks = ranks, .output_count = ranks};
    for (int rank = 0; rank < ranks; rank++) {
        arguments.inputs[rank] = rank == me
                                     ? (const unsigned char *)run->input + begin * extent
                                     : row_of(run, cut, me, rank, piece);
        arguments.outputs[rank] =
            (unsigned char *)run->outputs[symm_run_rotate(run, rank)] + begin * extent;
    }
    enum symm_status status =
        symm_device_reduce_start(run->device, run->cuda_type, run->cuda_op, &arguments,
                                 run->block_limit, &pipeline->sums[piece % SYMM_PIPELINE_DEPTH]);
    pipeline->adding += status == SYMM_OK;
    return status;
}

/* Start what may be started. */
static enum symm_status work_start(struct symm_run *run, const struct cut *cut)
{
    uint64_t least = symm_phase_least(&run->team->control, run->sequence);
    enum symm_status sum = sum_start(run, cut, least), push = SYMM_PENDING;
    if (sum == SYMM_OK || sum == SYMM_PENDING) {
        push = push_start(run, cut, least);
    }
    run->worked |= sum == SYMM_OK || push == SYMM_OK;
    if (sum != SYMM_OK && sum != SYMM_PENDING) {
        return sum;
    }
    return push == SYMM_PENDING ? SYMM_OK : push;
}

/* Count what has ended of the pieces *ended to `started`, in order. */
static enum symm_status tickets_test(struct symm_run *run, struct symm_ticket *tickets,
                                     uint32_t *ended, uint32_t started)
{
    enum symm_status status = SYMM_OK;
    while (*ended < started && status == SYMM_OK) {
        status = symm_device_ticket_test(run->device, &tickets[*ended % SYMM_PIPELINE_DEPTH]);
        *ended += status != SYMM_PENDING; /* one that has failed has ended, too */
    }
    return status == SYMM_PENDING ? SYMM_OK : status;
}

static enum symm_status work_test(struct symm_run *run)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    enum symm_status pushes =
        tickets_test(run, pipeline->pushes, &pipeline->landed, pipeline->pushed);
    enum symm_status sums =
        tickets_test(run, pipeline->sums, &pipeline->added, pipeline->adding);
    return pushes != SYMM_OK ? pushes : sums;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

enum { WORKING, DRAINING, DEPARTING };

static bool is_drained(const struct symm_pipeline *pipeline)
{
    return pipeline->landed == pipeline->pushed && pipeline->added == pipeline->adding;
}

enum symm_status symm_allreduce_cuda_push_step(struct symm_run *run)
{
    struct cut cut = cut_make(run);
    enum symm_status status = work_test(run);
    if (run->stage == WORKING) {
        if (status == SYMM_OK) {
            progress_tell(run, &cut);
            status = work_start(run, &cut);
        }
        if (status != SYMM_OK) { /* start nothing more; what is under way uses others' memory */
            run->failure = status;
            run->stage = DRAINING;
        } else if (run->pipeline.told_sums == cut.pieces) {
            run->stage = DEPARTING;
        }
    }
    if (run->stage == DRAINING && is_drained(&run->pipeline)) {
        symm_run_raise(run, SYMM_CUDA_STEP_FAILED);
        run->stage = DEPARTING;
    }
    if (run->stage != DEPARTING || !symm_run_reached(run, 2 * (uint64_t)cut.pieces)) {
        return SYMM_PENDING;
    }
    symm_cuda_failures_collect(run);
    return SYMM_OK;
}
