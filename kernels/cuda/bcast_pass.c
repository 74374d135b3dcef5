/*
 * bcast_pass.c - broadcast of large arrays: copy engines of the root's device send the array to the
 * next rank, and each rank passes on to the next what it got.
 *
 * So the array leaves each device once at most, and enters it once.  It moves in pieces.  A rank
 * passes a piece on when the rank before it has said, by its phase, that the piece has landed,
 * while the next one arrives.  The root waits for nobody.  Whoever sends a slice to each of several
 * others meets the copies of third ranks at one device, while other links are idle.  So did a
 * scatter and all-gather in pieces: 1 GiB on four H100 took 5020 us by kernels and 4000 to 4890 us
 * by engines (bench/results/gpu-h100-4-ranks-engines.txt).
 *
 * Only outputs have to be within reach.  A byte of an output is written by one rank.
 *
 * Each piece needs the host.  So beside a computation the root's engines store to all outputs
 * instead (rooted_copy_engine.c): one start, and nothing waits for a call of MPI.
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
};

/* Such that all starts take about as long as the last piece takes to reach the last rank. */
static size_t piece_bytes(const struct symm_run *run)
{
    size_t piece = PIECE_LEAST, hops = (size_t)run->team->size - 1;
    while (piece < PIECE_MOST && piece * piece / START * hops < run->count) {
        piece *= 2;
    }
    return piece;
}

static uint32_t pieces_of(const struct symm_run *run)
{
    size_t piece = piece_bytes(run);
    return run->count == 0 ? 1 : (uint32_t)((run->count + piece - 1) / piece);
}

/* The rank before this one, or after it; the ranks are in a circle. */
static int neighbour(const struct symm_run *run, int step)
{
    return symm_run_rotate(run, step < 0 ? run->team->size - 1 : 1);
}

/* PENDING if the next piece cannot be sent yet. */
static enum symm_status piece_start(struct symm_run *run)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    uint32_t piece = pipeline->pushed;
    bool is_root = symm_rooted_is_root(run);
    if (piece == pieces_of(run) || piece == pipeline->landed + SYMM_PIPELINE_DEPTH ||
        (!is_root && !symm_run_rank_reached(run, neighbour(run, -1), (uint64_t)piece + 1))) {
        return SYMM_PENDING;
    }
    const int lane = 0; /* engines lose time with every change between streams */
    struct symm_ticket *ticket = &pipeline->pushes[piece % SYMM_PIPELINE_DEPTH];
    const unsigned char *from = is_root ? run->input : run->output;
    size_t first = piece * piece_bytes(run);
    int next = neighbour(run, 1);
    const struct symm_cuda_push push = {
        from + first, (unsigned char *)run->outputs[next] + first,
        next == run->root ? 0 : symm_least(run->count - first, piece_bytes(run))};
    enum symm_status status =
        symm_device_engine_start(run->device, &push, 1, lane, NULL, 0, ticket);
    if (status == SYMM_OK) { /* PENDING: too much is under way, nothing was started */
        pipeline->pushed++;
        run->worked = true;
    }
    return status;
}

static enum symm_status landed_test(struct symm_run *run)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    enum symm_status failure = SYMM_OK;
    symm_pipeline_test(run, pipeline->pushes, SYMM_PIPELINE_DEPTH, &pipeline->landed,
                       pipeline->pushed, &failure);
    return failure;
}

/* The number of DEPARTING is the same as in steps.h: a run that is refused departs so. */
enum { BEGINNING, WORKING, DEPARTING = SYMM_CUDA_DEPARTING, DRAINING };

static enum symm_status working(struct symm_run *run)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    uint32_t before = pipeline->landed;
    enum symm_status status = landed_test(run);
    if (status == SYMM_OK && pipeline->landed > before) {
        symm_run_raise(run, pipeline->landed);
    }
    if (status == SYMM_OK) {
        status = piece_start(run);
    }
    if (status != SYMM_OK && status != SYMM_PENDING) {
        run->failure = status;
        run->stage = DRAINING;
    } else if (pipeline->landed == pieces_of(run)) {
        run->stage = DEPARTING;
    }
    return SYMM_PENDING;
}

static enum symm_status step(struct symm_run *run)
{
    switch (run->stage) {
    case BEGINNING:
        run->pipeline = (struct symm_pipeline){0};
        run->stage = WORKING;
        return SYMM_PENDING;
    case WORKING:
        return working(run);
    case DRAINING: /* what is under way goes to another rank's memory */
        (void)landed_test(run);
        if (run->pipeline.landed == run->pipeline.pushed) {
            symm_run_raise(run, SYMM_CUDA_STEP_FAILED);
            run->stage = DEPARTING;
        }
        return SYMM_PENDING;
    default:
        if (!symm_run_reached(run, pieces_of(run))) {
            return SYMM_PENDING;
        }
        symm_cuda_failures_collect(run);
        return SYMM_OK;
    }
}

const struct symm_algorithm_row symm_bcast_cuda_pass = {
    .number = SYMM_BCAST_CUDA_PASS,
    .name = "cuda_pass",
    .collective = SYMM_BCAST,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .step = step,
};
