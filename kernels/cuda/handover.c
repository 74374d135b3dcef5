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
enum { STARTING, WORKING, DEPARTING = SYMM_CUDA_DEPARTING, LATE, AGAIN, DRAINING };

enum { DONE = 1, ENDED }; /* what ranks raise: the others are told; this rank has copied as well */

static void proceed(struct symm_run *run, enum symm_status status, unsigned stage)
{
    symm_cuda_proceed(run, status, stage, DRAINING);
}

/* The kernel has ended, unless a look says otherwise. */
static void working(struct symm_run *run)
{
    enum symm_status status = symm_completion_test(run->work->device, &run->completion);
    bool is_late = run->stage == WORKING && run->completion.late;
    if (status == SYMM_OK) {
        symm_run_raise(run, is_late ? DONE : ENDED);
    }
    proceed(run, status, is_late ? LATE : DEPARTING);
}

/* All ranks are done with their kernels: nobody tells this one any more. */
static enum symm_status copies_start(struct symm_run *run, const struct symm_handover *handover)
{
    struct symm_kernel kernel;
    struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX];
    int count = handover->copies(run->work, copies), me = run->work->team->rank;
    copies[count++] = (struct symm_cuda_push){
        symm_cuda_head_words(run->work, me, SYMM_HEAD_ZEROS),
            symm_cuda_handover_words(run->work, me, 0),
        (size_t)run->work->team->size * SYMM_HEAD_HANDOVER_RANK};
    return symm_device_start(run->work->device,
                             symm_kernel_push(&kernel, copies, count, false,
                                              run->work->block_limit),
                             &run->completion);
}

static void late(struct symm_run *run, const struct symm_handover *handover)
{
    if (symm_run_reached(run, DONE)) {
        proceed(run, symm_cuda_someone_has_failed(run->work) ? SYMM_ERR_SYSTEM
                                                       : copies_start(run, handover), AGAIN);
    }
}

/* A rank that stops because of another one is not the one that has failed. */
static void draining(struct symm_run *run)
{
    if (symm_run_give_up(run) == SYMM_OK) {
        symm_run_raise(run,
                       symm_cuda_someone_has_failed(run->work) ? ENDED : SYMM_CUDA_STEP_FAILED);
        run->stage = DEPARTING;
    }
}

enum symm_status symm_handover_step(struct symm_run *run, const struct symm_handover *handover)
{
    switch (run->stage) {
    case STARTING:
        proceed(run, symm_cuda_start(run, handover->make, &run->completion), WORKING);
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
