/*
 * pipeline.c - see pipeline.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/pipeline.h"
#include "kernels/cuda/steps.h"

enum {
    ROW_UNIT = 256, /* bytes: aligns vectors in rows; and elements: pieces are multiples */
    PIECE_LEAST = 2 << 20, /* bytes; smaller ones take longer to start than to move */
};

size_t symm_pipeline_scratch_least(int ranks)
{
    return symm_cuda_scratch_rows(ranks) * SYMM_PIPELINE_DEPTH * ROW_UNIT;
}

size_t symm_pipeline_scratch_fair(int ranks)
{
    return symm_cuda_scratch_rows(ranks) * SYMM_PIPELINE_DEPTH * PIECE_LEAST;
}

static size_t piece_wanted(size_t slice, uint32_t pieces)
{
    size_t wanted = (slice + pieces - 1) / pieces;
    return wanted > PIECE_LEAST ? wanted : PIECE_LEAST;
}

size_t symm_pipeline_scratch(const struct symm_mover *mover, size_t bytes, int ranks)
{
    size_t piece = piece_wanted(bytes / (size_t)ranks, mover->pieces);
    size_t parts = mover->pieces > 1 ? mover->depth : 1;
    size_t longest = piece + PIECE_LEAST; /* slices are not all of one length */
    return symm_cuda_scratch_rows(ranks) * parts * longest;
}

/*
 * How slices are cut, alike on all ranks: `parts` * rows * `row` bytes of scratch are used at most.
 */
struct cut {
    size_t row;      /* bytes of a row of the scratch */
    size_t elements; /* of a piece; they fit a row */
    uint32_t pieces; /* of the longest slice */
    uint32_t depth, lead;
    uint32_t parts;  /* of the scratch: `depth`, or 1 for a single piece */
    bool scatters;
};

static void slice_of(const struct symm_work *work, bool scatters, int rank, size_t *begin,
                     size_t *end)
{
    if (scatters) {
        *begin = work->begins[rank];
        *end = work->begins[rank + 1];
    } else {
        symm_slice(work->count, symm_cuda_type_extent(work->cuda_type), rank, work->team->size,
                   begin, end);
    }
}

static struct cut cut_make(const struct symm_work *work, const struct symm_mover *mover)
{
    int ranks = work->team->size;
    size_t extent = symm_cuda_type_extent(work->cuda_type), longest = 0;
    struct cut cut = {
        .depth = mover->depth, .lead = mover->lead, .scatters = mover->scatters};
    for (int rank = 0; rank < ranks; rank++) {
        size_t begin, end;
        slice_of(work, cut.scatters, rank, &begin, &end);
        longest = end - begin > longest ? end - begin : longest;
    }
    size_t slice = longest * extent, wanted = piece_wanted(slice, mover->pieces);
    size_t row = work->scratch_size / symm_cuda_scratch_rows(ranks);
    cut.parts = mover->pieces == 1 && slice <= row / ROW_UNIT * ROW_UNIT ? 1 : cut.depth;
    cut.row = row / cut.parts / ROW_UNIT * ROW_UNIT;
    cut.elements = symm_least(cut.row, wanted) / extent;
    if (cut.parts > 1 && cut.elements > ROW_UNIT) {
        cut.elements -= cut.elements % ROW_UNIT;
    }
    /* If all slices are empty, there is one piece, because ranks meet in its steps. */
    cut.pieces = longest == 0 ? 1 : (uint32_t)((longest + cut.elements - 1) / cut.elements);
    return cut;
}

/* The elements of piece `piece` of a rank's slice. */
static size_t piece_of(const struct symm_work *work, const struct cut *cut, int rank,
                       uint32_t piece,
                       size_t *begin)
{
    size_t end;
    slice_of(work, cut->scatters, rank, begin, &end);
    *begin = symm_least(*begin + piece * cut->elements, end);
    return symm_least(end - *begin, cut->elements);
}

/* Where `source` puts its part of a piece for `owner`. */
static unsigned char *row_of(const struct symm_work *work, const struct cut *cut, int owner,
                             int source, uint32_t piece)
{
    return symm_cuda_scratch_row(work, owner, source, piece % cut->parts, cut->row);
}

/* ---- steps of the phase: pushes told plus stores told ---------------------------------------- */

uint64_t symm_pipeline_step_of_push(uint32_t lead, uint32_t piece)
{
    return piece < lead ? (uint64_t)piece + 1 : 2 * (uint64_t)piece + 2 - lead;
}

uint64_t symm_pipeline_step_of_store(uint32_t lead, uint32_t pieces, uint32_t piece)
{
    return (uint64_t)piece + 1 + symm_least(pieces, (size_t)piece + lead);
}

void symm_pipeline_tell(struct symm_run *run, uint32_t lead, uint32_t pieces)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    uint32_t before = pipeline->told_pushes + pipeline->told_stores, now = before;
    bool is_more = true;
    while (is_more) {
        if (pipeline->told_pushes < pieces &&
            pipeline->told_pushes < pipeline->told_stores + lead) {
            is_more = pipeline->landed > pipeline->told_pushes;
            pipeline->told_pushes += is_more;
        } else {
            is_more = pipeline->stored > pipeline->told_stores;
            pipeline->told_stores += is_more;
        }
        now += is_more;
    }
    if (now != before) {
        symm_run_raise(run, now);
    }
}

static uint64_t step_of_push(const struct cut *cut, uint32_t piece)
{
    return symm_pipeline_step_of_push(cut->lead, piece);
}

static uint64_t step_of_store(const struct cut *cut, uint32_t piece)
{
    return symm_pipeline_step_of_store(cut->lead, cut->pieces, piece);
}

/* ---- starting: the next piece, if it may; SYMM_PENDING if not -------------------------------- */

/* Whether a completion is free: pieces `ended` to `started` - 1 are under way. */
static bool is_startable(const struct cut *cut, uint32_t started, uint32_t ended)
{
    return started < cut->pieces && started < ended + cut->depth;
}

/* Engines copy on one stream: they lose time with every change between streams. */
static enum symm_status move_start(struct symm_run *run, const struct symm_mover *mover,
                                   const struct symm_cuda_push *pushes, int count,
                                   struct symm_completion *completion)
{
    struct symm_kernel kernel;
    const int lane = 0;
    return mover->by_engines
               ? symm_device_engine_start(run->work->device, pushes, count, lane, NULL, 0,
                                          completion)
               : symm_device_start(
                     run->work->device,
                     symm_kernel_push(&kernel, pushes, count, false, run->work->block_limit),
                         completion);
}

static enum symm_status push_start(struct symm_run *run, const struct symm_mover *mover,
                                   const struct cut *cut, uint64_t least)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    size_t extent = symm_cuda_type_extent(run->work->cuda_type);
    uint32_t piece = pipeline->pushed;
    int me = run->work->team->rank, ranks = run->work->team->size;
    if (!is_startable(cut, piece, pipeline->landed) ||
        (piece >= cut->depth && least < step_of_store(cut, piece - cut->depth))) {
        return SYMM_PENDING;
    }
    for (int turn = 1; turn < ranks; turn++) {
        int owner = symm_work_rotate(run->work, turn);
        size_t begin, count = piece_of(run->work, cut, owner, piece, &begin);
        pushes[turn - 1] = (struct symm_cuda_push){
            .input = (const unsigned char *)run->work->input + begin * extent,
            .output = row_of(run->work, cut, owner, me, piece),
            .bytes = count * extent,
        };
    }
    return move_start(run, mover, pushes, ranks - 1,
                      &pipeline->pushes[piece % cut->depth]);
}

/* The user's limit and the mover's, of which either may be 0: none. */
static unsigned sum_blocks(const struct symm_work *work, const struct symm_mover *mover)
{
    bool is_users = mover->sum_blocks == 0 ||
                    (work->block_limit != 0 && work->block_limit < mover->sum_blocks);
    return is_users ? work->block_limit : mover->sum_blocks;
}

static enum symm_status sum_start(struct symm_run *run, const struct symm_mover *mover,
                                  const struct cut *cut, uint64_t least)
{
    struct symm_kernel kernel;
    struct symm_pipeline *pipeline = &run->pipeline;
    size_t begin, extent = symm_cuda_type_extent(run->work->cuda_type);
    uint32_t piece = pipeline->adding;
    int me = run->work->team->rank, ranks = run->work->team->size;
    if (!is_startable(cut, piece, pipeline->added) || least < step_of_push(cut, piece)) {
        return SYMM_PENDING;
    }
    size_t count = piece_of(run->work, cut, me, piece, &begin);
    struct symm_cuda_reduce arguments = {
        .end = count, .ranks = ranks,
        .output_count = mover->stores || mover->scatters ? 1 : ranks,
    };
    for (int rank = 0; rank < ranks; rank++) {
        arguments.inputs[rank] = rank == me
                                     ? (const unsigned char *)run->work->input + begin * extent
                                     : row_of(run->work, cut, me, rank, piece);
    }
    for (int turn = 0; turn < arguments.output_count; turn++) {
        size_t skipped = mover->scatters ? run->work->begins[me] : 0;
        unsigned char *output =
            turn == 0 ? run->work->output : run->work->outputs[symm_work_rotate(run->work, turn)];
        arguments.outputs[turn] = output + (begin - skipped) * extent;
    }
    return symm_device_start(run->work->device,
                             symm_kernel_reduce(&kernel, run->work->cuda_type, run->work->cuda_op,
                                                &arguments,
                                                sum_blocks(run->work, mover)),
                             &pipeline->sums[piece % cut->depth]);
}

static enum symm_status store_start(struct symm_run *run, const struct symm_mover *mover,
                                    const struct cut *cut)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    size_t begin, extent = symm_cuda_type_extent(run->work->cuda_type);
    uint32_t piece = pipeline->storing;
    int me = run->work->team->rank, ranks = run->work->team->size;
    if (piece == pipeline->added || !is_startable(cut, piece, pipeline->stored)) {
        return SYMM_PENDING;
    }
    size_t bytes = piece_of(run->work, cut, me, piece, &begin) * extent;
    for (int turn = 1; turn < ranks; turn++) {
        unsigned char *output = run->work->outputs[symm_work_rotate(run->work, turn)];
        pushes[turn - 1] = (struct symm_cuda_push){
            .input = (const unsigned char *)run->work->output + begin * extent,
            .output = output + begin * extent,
            .bytes = bytes,
        };
    }
    return move_start(run, mover, pushes, ranks - 1,
                      &pipeline->stores[piece % cut->depth]);
}

/* Count a start.  An earlier failure takes precedence over the failure of this start. */
static void start_count(struct symm_run *run, enum symm_status started, uint32_t *count,
                        enum symm_status *failure)
{
    if (started == SYMM_OK) {
        (*count)++;
        run->worked = true;
    } else if (started != SYMM_PENDING && *failure == SYMM_OK) {
        *failure = started;
    }
}

/* Start what may be started, beginning with the work that lets other work start. */
static enum symm_status work_start(struct symm_run *run, const struct symm_mover *mover,
                                   const struct cut *cut)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    uint64_t least = symm_phase_least(&run->work->team->control, run->work->sequence);
    enum symm_status failure = SYMM_OK;
    if (mover->stores) {
        start_count(run, store_start(run, mover, cut), &pipeline->storing, &failure);
    }
    start_count(run, sum_start(run, mover, cut, least), &pipeline->adding, &failure);
    start_count(run, push_start(run, mover, cut, least), &pipeline->pushed, &failure);
    return failure;
}

/* ---- testing --------------------------------------------------------------------------------- */

void symm_pipeline_test(struct symm_run *run, struct symm_completion *completions, uint32_t depth,
                        uint32_t *ended, uint32_t started, enum symm_status *failure)
{
    enum symm_status status = SYMM_OK;
    while (*ended < started && status != SYMM_PENDING) {
        status = symm_completion_test(run->work->device, &completions[*ended % depth]);
        *ended += status != SYMM_PENDING; /* one that has failed has ended, too */
        if (status != SYMM_OK && status != SYMM_PENDING && *failure == SYMM_OK) {
            *failure = status;
        }
    }
}

static enum symm_status work_test(struct symm_run *run, const struct symm_mover *mover,
                                  const struct cut *cut)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    enum symm_status failure = SYMM_OK;
    symm_pipeline_test(run, pipeline->pushes, cut->depth, &pipeline->landed,
                       pipeline->pushed, &failure);
    symm_pipeline_test(run, pipeline->sums, cut->depth, &pipeline->added,
                       pipeline->adding, &failure);
    if (mover->stores) {
        symm_pipeline_test(run, pipeline->stores, cut->depth, &pipeline->stored,
                           pipeline->storing, &failure);
    } else {
        pipeline->storing = pipeline->stored = pipeline->added;
    }
    return failure;
}

static bool is_drained(const struct symm_pipeline *pipeline)
{
    return pipeline->landed == pipeline->pushed && pipeline->added == pipeline->adding &&
           pipeline->stored == pipeline->storing;
}

/* ---- the whole ------------------------------------------------------------------------------- */

enum { WORKING, DRAINING, DEPARTING = SYMM_CUDA_DEPARTING };

enum symm_status symm_pipeline_step(struct symm_run *run, const struct symm_mover *mover)
{
    struct cut cut = cut_make(run->work, mover);
    enum symm_status status = work_test(run, mover, &cut);
    if (run->stage == WORKING) {
        if (status == SYMM_OK) {
            symm_pipeline_tell(run, cut.lead, cut.pieces);
            status = work_start(run, mover, &cut);
        }
        if (status != SYMM_OK) { /* start nothing more; what is under way uses others' memory */
            run->failure = status;
            run->stage = DRAINING;
        } else if (run->pipeline.told_stores == cut.pieces) {
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
