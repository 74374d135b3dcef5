/*
 * bcast_chain.c - broadcast of large arrays: copy engines of the root's device send the array to
 * the next rank, and each rank passes on to the next what it got.
 *
 * So the array leaves each device once at most, and enters it once.  It moves in pieces.  A rank
 * passes a piece on when the rank before it has said, by its phase, that the piece has landed,
 * while the next one arrives.  Whoever sends a slice to each of several others meets the copies of
 * third ranks at one device, while other links are idle.  So did a scatter and all-gather in
 * pieces: 1 GiB on four H100 took 5020 us by kernels and 4000 to 4890 us by engines
 * (bench/results/gpu-h100-4-ranks-engines.txt).
 *
 * Pieces go to the outputs, or to slots in the ranks' scratch.  Of outputs, a byte is written by
 * one rank, and the root waits for nobody.  A slot is written again when its rank has said that it
 * has passed on what was there, and has copied it to its output.  A kernel does that beside the
 * engines.  That is for outputs that others cannot reach, or only in small pages.
 *
 * Each piece needs the host of each rank.  The root's engines alone need one start, and no call of
 * MPI after it (exchange_copy_engine.c), but take the time of as many arrays as there are other
 * ranks.
 *
 * (NCCL's ring does the same.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/pipeline.h"
#include "kernels/cuda/rooted.h"

enum {
    PIECE_LEAST = 1 << 20,
    PIECE_MOST = 32 << 20,
    START = 768 << 10, /* bytes that cross a link while an engine goes on to its next copy, 2 us */
    SLOT_UNIT = 256,
    SLOT_MOST = 16 << 20,
    SLOTS = SYMM_PIPELINE_DEPTH, /* eight are no quicker */
    LEAD = 2, /* a piece is told of before the one before it is out of its slot: pipeline.h */
};

/* How an array is cut, alike on all ranks. */
struct cut {
    size_t piece; /* bytes */
    uint32_t pieces;
    bool by_slots; /* in scratch, which are as long as a piece */
};

/* Such that all starts take about as long as the last piece takes to reach the last rank. */
static size_t piece_wanted(size_t bytes, int ranks)
{
    size_t piece = PIECE_LEAST, hops = (size_t)ranks - 1;
    while (piece < PIECE_MOST && piece * piece / START * hops < bytes) {
        piece *= 2;
    }
    return piece;
}

static struct cut cut_make(const struct symm_work *work, bool by_slots)
{
    struct cut cut = {.by_slots = by_slots, .piece = piece_wanted(work->count, work->team->size)};
    if (by_slots) {
        size_t slot = work->scratch_size / SLOTS / SLOT_UNIT * SLOT_UNIT;
        cut.piece = symm_least(cut.piece, symm_least(slot, SLOT_MOST));
    }
    cut.pieces = work->count == 0 ? 1 : (uint32_t)((work->count + cut.piece - 1) / cut.piece);
    return cut;
}

size_t symm_bcast_slots_wanted(size_t bytes, int ranks)
{
    return SLOTS * symm_least(piece_wanted(bytes, ranks), SLOT_MOST);
}

/* ---- where a piece is ------------------------------------------------------------------------ */

/* The rank before this one, or after it; the ranks are in a circle. */
static int neighbour(const struct symm_work *work, int step)
{
    return symm_work_rotate(work, step < 0 ? work->team->size - 1 : 1);
}

static size_t bytes_of(const struct symm_work *work, const struct cut *cut, uint32_t piece)
{
    return symm_least(work->count - piece * cut->piece, cut->piece);
}

/* Where a piece comes to, of a rank that is not the root. */
static unsigned char *place_of(const struct symm_work *work, const struct cut *cut, int rank,
                               uint32_t piece)
{
    return cut->by_slots
               ? (unsigned char *)work->scratches[rank] + piece % SLOTS * cut->piece
               : (unsigned char *)work->outputs[rank] + piece * cut->piece;
}

static bool has_arrived(const struct symm_work *work, uint32_t piece)
{
    return symm_rooted_is_root(work) ||
           symm_work_rank_reached(work, neighbour(work, -1),
                                  symm_pipeline_step_of_push(LEAD, piece));
}

static bool has_room(const struct symm_work *work, const struct cut *cut, uint32_t piece)
{
    return !cut->by_slots || piece < SLOTS ||
           symm_work_rank_reached(work, neighbour(work, 1),
                                  symm_pipeline_step_of_store(LEAD, cut->pieces, piece - SLOTS));
}

/* ---- moving the next piece, if it may; SYMM_PENDING if not ----------------------------------- */

/* To the next rank.  The last one has nobody to send to. */
static enum symm_status pass_start(struct symm_run *run, const struct cut *cut)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    uint32_t piece = pipeline->pushed;
    int next = neighbour(run->work, 1);
    bool is_last = next == run->work->root;
    if (piece == cut->pieces || piece == pipeline->landed + SYMM_PIPELINE_DEPTH ||
        !has_arrived(run->work, piece) || (!is_last && !has_room(run->work, cut, piece))) {
        return SYMM_PENDING;
    }
    const int lane = 0; /* engines lose time with every change between streams */
    struct symm_completion *completion = &pipeline->pushes[piece % SYMM_PIPELINE_DEPTH];
    const struct symm_cuda_push push = {
        symm_rooted_is_root(run->work)
            ? (const unsigned char *)run->work->input + piece * cut->piece
                                 : place_of(run->work, cut, run->work->team->rank, piece),
        place_of(run->work, cut, next, piece), is_last ? 0 : bytes_of(run->work, cut, piece)};
    enum symm_status status =
        symm_device_engine_start(run->work->device, &push, 1, lane, NULL, 0, completion);
    if (status == SYMM_OK) { /* PENDING: too much is under way, nothing was started */
        pipeline->pushed++;
        run->worked = true;
    }
    return status;
}

/* Out of a slot. */
static enum symm_status out_start(struct symm_run *run, const struct cut *cut)
{
    struct symm_kernel kernel;
    struct symm_pipeline *pipeline = &run->pipeline;
    uint32_t piece = pipeline->storing;
    if (!cut->by_slots || piece == cut->pieces ||
        piece == pipeline->stored + SYMM_PIPELINE_DEPTH || !has_arrived(run->work, piece)) {
        return SYMM_PENDING;
    }
    const struct symm_cuda_push copy = {
        place_of(run->work, cut, run->work->team->rank, piece),
        (unsigned char *)run->work->output + piece * cut->piece,
        symm_rooted_is_root(run->work) ? 0 : bytes_of(run->work, cut, piece)};
    enum symm_status status =
        symm_device_start(run->work->device,
                          symm_kernel_beside(&kernel, &copy, 1, run->work->block_limit),
                          &pipeline->stores[piece % SYMM_PIPELINE_DEPTH]);
    if (status == SYMM_OK) {
        pipeline->storing++;
        run->worked = true;
    }
    return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Count what has ended.  Without slots a piece is where it belongs when it is passed on. */
static enum symm_status landed_test(struct symm_run *run, const struct cut *cut)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    enum symm_status failure = SYMM_OK;
    symm_pipeline_test(run, pipeline->pushes, SYMM_PIPELINE_DEPTH, &pipeline->landed,
                       pipeline->pushed, &failure);
    if (cut->by_slots) {
        symm_pipeline_test(run, pipeline->stores, SYMM_PIPELINE_DEPTH, &pipeline->stored,
                           pipeline->storing, &failure);
    } else {
        pipeline->storing = pipeline->stored = pipeline->landed;
    }
    return failure;
}

/* The number of DEPARTING is the same as in steps.h: a run that is refused departs so. */
enum { BEGINNING, WORKING, DEPARTING = SYMM_CUDA_DEPARTING, DRAINING };

static enum symm_status working(struct symm_run *run, const struct cut *cut)
{
    enum symm_status status = landed_test(run, cut);
    if (status == SYMM_OK) {
        symm_pipeline_tell(run, LEAD, cut->pieces);
        status = pass_start(run, cut);
    }
    if (status == SYMM_OK || status == SYMM_PENDING) {
        status = out_start(run, cut);
    }
    if (status != SYMM_OK && status != SYMM_PENDING) {
        run->failure = status;
        run->stage = DRAINING;
    } else if (run->pipeline.told_stores == cut->pieces) {
        run->stage = DEPARTING;
    }
    return SYMM_PENDING;
}

static enum symm_status pass_step(struct symm_run *run, bool by_slots)
{
    const struct cut cut = cut_make(run->work, by_slots);
    switch (run->stage) {
    case BEGINNING:
        run->pipeline = (struct symm_pipeline){0};
        run->stage = WORKING;
        return SYMM_PENDING;
    case WORKING:
        return working(run, &cut);
    case DRAINING: /* what is under way goes to another rank's memory */
        (void)landed_test(run, &cut);
        if (run->pipeline.landed == run->pipeline.pushed &&
            run->pipeline.stored == run->pipeline.storing) {
            symm_run_raise(run, SYMM_CUDA_STEP_FAILED);
            run->stage = DEPARTING;
        }
        return SYMM_PENDING;
    default:
        if (!symm_run_reached(run, 2 * (uint64_t)cut.pieces)) {
            return SYMM_PENDING;
        }
        symm_cuda_failures_collect(run);
        return SYMM_OK;
    }
}

static enum symm_status step(struct symm_run *run)
{
    return pass_step(run, false);
}

enum symm_status symm_bcast_slots_step(struct symm_run *run)
{
    return pass_step(run, true);
}

const struct symm_algorithm_row symm_bcast_cuda_chain = {
    .number = SYMM_BCAST_CUDA_CHAIN,
    .name = "cuda_chain",
    .collective = SYMM_BCAST,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .spares_multiprocessors = true,
    .keeps_order = true,
    .step = step,
};
