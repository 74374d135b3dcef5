/*
 * handover.c - see handover.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/handover.h"
#include "kernels/cuda/steps.h"

/* A run that is refused is DEPARTING at once, which has the same number in steps.h. */
enum { STARTING, FOLLOWING, DEPARTING = SYMM_CUDA_DEPARTING, WORKING, LATE, AGAIN, DRAINING };

enum { DONE = 1, ENDED }; /* what ranks raise: the first kernel has ended, or the second one */

/* ---- the second kernel ----------------------------------------------------------------------- */

/* A bit for each rank. */
static uint64_t awaited(const struct symm_run *run, const struct symm_handover *handover)
{
    uint64_t sources = 0;
    for (int source = 0; source < run->team->size; source++) {
        bool waits = source != run->team->rank && handover->waits(run, run->team->rank, source);
        sources |= (uint64_t)waits << source;
    }
    return sources;
}

/* `again`: the others have been told, and have done what this rank waits for. */
static enum symm_status second_start(struct symm_run *run, const struct symm_handover *handover,
                                     bool again)
{
    int me = run->team->rank;
    struct symm_cuda_handover arguments = {
        .words = symm_cuda_handover_words(run, me, 0),
        .sources = awaited(run, handover),
        .have_come = again,
        .patience = SYMM_HANDOVER_PATIENCE,
    };
    arguments.copy_count = handover->copies(run, arguments.copies);
    for (int rank = 0; rank < run->team->size && !again; rank++) {
        if (rank != me && handover->waits(run, rank, me)) {
            arguments.told[arguments.told_count++] = symm_cuda_handover_words(run, rank, me);
        }
    }
    run->tickets[0] = (struct symm_ticket){0};
    bool is_needless = arguments.copy_count == 0 && arguments.told_count == 0 &&
                       arguments.sources == 0;
    return is_needless ? SYMM_OK
                       : symm_device_handover_start(run->device, &arguments, run->block_limit,
                                                    &run->tickets[0]);
}

/* ---- the run --------------------------------------------------------------------------------- */

static void proceed(struct symm_run *run, enum symm_status status, unsigned stage)
{
    symm_cuda_proceed(run, status, stage, DRAINING);
}

static enum symm_status kernels_test(struct symm_run *run)
{
    enum symm_status status = symm_device_ticket_test(run->device, &run->ticket);
    return status == SYMM_OK ? symm_device_ticket_test(run->device, &run->tickets[0]) : status;
}

/* The kernels have ended, unless a look says otherwise. */
static void working(struct symm_run *run)
{
    enum symm_status status = kernels_test(run);
    bool is_late = run->stage == WORKING && run->tickets[0].late;
    if (status == SYMM_OK) {
        symm_run_raise(run, is_late ? DONE : ENDED);
    }
    proceed(run, status, is_late ? LATE : DEPARTING);
}

static void late(struct symm_run *run, const struct symm_handover *handover)
{
    if (symm_run_reached(run, DONE)) {
        proceed(run, symm_cuda_someone_has_failed(run) ? SYMM_ERR_SYSTEM
                                                       : second_start(run, handover, true), AGAIN);
    }
}

/* A rank that stops because of another one is not the one that has failed. */
static void draining(struct symm_run *run)
{
    if (symm_run_give_up(run) == SYMM_OK) {
        symm_run_raise(run, symm_cuda_someone_has_failed(run) ? ENDED : SYMM_CUDA_STEP_FAILED);
        run->stage = DEPARTING;
    }
}

enum symm_status symm_handover_step(struct symm_run *run, const struct symm_handover *handover)
{
    switch (run->stage) {
    case STARTING:
        if (handover->both_start != NULL) {
            proceed(run, handover->both_start(run, &run->tickets[0]), WORKING);
        } else {
            proceed(run, handover->start(run, &run->ticket), FOLLOWING);
        }
        break;
    case FOLLOWING:
        proceed(run, second_start(run, handover, false), WORKING);
        break;
    case WORKING:
    case AGAIN:
        working(run);
        break;
    case LATE:
        late(run, handover);
        break;
    case DRAINING: /* what is under way uses other ranks' memory */
        draining(run);
        break;
    default:
        if (!symm_run_reached(run, ENDED)) {
            return SYMM_PENDING;
        }
        symm_cuda_failures_collect(run);
        return SYMM_OK;
    }
    return SYMM_PENDING;
}
