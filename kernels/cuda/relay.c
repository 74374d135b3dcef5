/*
 * relay.c - see relay.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay.h"
#include "kernels/cuda/steps.h"

enum {
    PIECE_LEAST = 2 << 20,
    PIECE_MOST = 32 << 20,
    MEETING = 2 << 20, /* bytes that cross a link while ranks launch and meet, some 8 us */
};

const size_t symm_relay_early_most = 64 * 1024;

size_t symm_relay_piece(size_t bytes, unsigned fill)
{
    size_t piece = PIECE_LEAST;
    while (piece < PIECE_MOST && piece < bytes && piece / MEETING * piece * fill < bytes) {
        piece *= 2;
    }
    return symm_least(piece, bytes);
}

/* Copy to the beginning of the scratch.  The first piece is there, however the data are cut. */
void symm_run_start_early(struct symm_run *run, size_t bytes, void *scratch, size_t size)
{
    struct symm_kernel kernel;
    const struct symm_cuda_push copy = {run->work->input, scratch, bytes};
    run->early = bytes <= symm_least(symm_relay_early_most, size) &&
                 symm_device_start(run->work->device,
                                   symm_kernel_beside(&kernel, &copy, 1, run->work->block_limit),
                                   &run->completions[SYMM_STAGE_BESIDE]) == SYMM_OK;
}

void symm_run_settle_early(struct symm_run *run)
{
    while (run->early) {
        run->early = symm_completion_test(run->work->device,
                                          &run->completions[SYMM_STAGE_BESIDE]) ==
                     SYMM_PENDING;
    }
}

/* The numbers are the same as in steps.h, because a run that is refused departs as a failed one. */
enum {
    STARTING = SYMM_CUDA_STARTING,
    WORKING = SYMM_CUDA_WORKING,
    FAILED = SYMM_CUDA_DEPARTING,
    MEETING_OTHERS,
};

/* PENDING: the device has no room for more launches at present. */
static enum symm_status launches_start(struct symm_run *run,
                                      const symm_stage_make launches[SYMM_STAGE_LAUNCHES])
{
    struct symm_kernel kernel;
    for (; run->position < SYMM_STAGE_LAUNCHES; run->position++) {
        size_t launch = run->position;
        if (launch == SYMM_STAGE_BESIDE && run->early) {
            continue;
        }
        enum symm_status status = symm_device_start(
            run->work->device, launches[launch](run->work, run->piece, &kernel),
                &run->completions[launch]);
        if (status != SYMM_OK) {
            return status;
        }
    }
    return SYMM_OK;
}

/*
 * A failure is reported when everything else under way has ended, because that work uses other
 * ranks' scratch.
 */
static enum symm_status launches_test(struct symm_run *run)
{
    bool pending = false;
    for (int launch = 0; launch < SYMM_STAGE_LAUNCHES; launch++) {
        enum symm_status status = symm_completion_test(run->work->device,
                                                       &run->completions[launch]);
        pending |= status == SYMM_PENDING;
        if (status != SYMM_OK && status != SYMM_PENDING && run->failure == SYMM_OK) {
            run->failure = status;
        }
    }
    return pending ? SYMM_PENDING : SYMM_OK;
}

static void stage_begin(struct symm_run *run)
{
    run->position = 0;
    for (int launch = 0; launch < SYMM_STAGE_LAUNCHES; launch++) {
        if (launch != SYMM_STAGE_BESIDE || !run->early) {
            run->completions[launch] = (struct symm_completion){0};
        }
    }
}

static enum symm_status starting(struct symm_run *run,
                                 const symm_stage_make launches[SYMM_STAGE_LAUNCHES])
{
    if (run->position == 0) {
        stage_begin(run);
    }
    enum symm_status status = launches_start(run, launches);
    if (status != SYMM_PENDING) {
        run->failure = status;
        run->stage = WORKING;
    }
    return SYMM_PENDING;
}

static enum symm_status working(struct symm_run *run)
{
    if (launches_test(run) != SYMM_PENDING) {
        bool failed = run->failure != SYMM_OK;
        run->early = false;
        symm_run_raise(run, failed ? SYMM_CUDA_STEP_FAILED : run->piece + 1);
        run->stage = failed ? FAILED : MEETING_OTHERS;
    }
    return SYMM_PENDING;
}

static enum symm_status meeting(struct symm_run *run, uint64_t count)
{
    if (!symm_run_reached(run, run->stage == FAILED ? count : run->piece + 1)) {
        return SYMM_PENDING;
    }
    if (run->stage == FAILED || ++run->piece == count) {
        symm_cuda_failures_collect(run);
        return SYMM_OK;
    }
    run->stage = STARTING;
    run->position = 0;
    return symm_run_more(run);
}

enum symm_status symm_relay_step(struct symm_run *run, uint64_t count,
                                 const symm_stage_make launches[SYMM_STAGE_LAUNCHES])
{
    switch (run->stage) {
    case STARTING:
        return starting(run, launches);
    case WORKING:
        return working(run);
    default:
        return meeting(run, count);
    }
}
