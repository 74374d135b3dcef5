/*
 * run.c - see run.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/device.h"
#include "kernels/run.h"

enum symm_status symm_run_step(struct symm_run *run)
{
    return symm_algorithm_get(run->work->algorithm)->step(run);
}

/* A completion is all zero where nothing is under way. */
enum symm_status symm_run_give_up(struct symm_run *run)
{
    enum { LAUNCHES = sizeof(run->completions) / sizeof(run->completions[0]) };
    bool pending = symm_completion_test(run->work->device, &run->completion) == SYMM_PENDING;
    for (int i = 0; i < LAUNCHES; i++) {
        pending |= symm_completion_test(run->work->device, &run->completions[i]) == SYMM_PENDING;
    }
    for (int i = 0; i < SYMM_PIPELINE_DEPTH; i++) {
        struct symm_pipeline *pipeline = &run->pipeline;
        pending |= symm_completion_test(run->work->device, &pipeline->pushes[i]) == SYMM_PENDING;
        pending |= symm_completion_test(run->work->device, &pipeline->sums[i]) == SYMM_PENDING;
        pending |= symm_completion_test(run->work->device, &pipeline->stores[i]) == SYMM_PENDING;
    }
    return pending ? SYMM_PENDING : SYMM_OK;
}
