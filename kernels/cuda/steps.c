/*
 * steps.c - see steps.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"

enum symm_status symm_cuda_start(struct symm_run *run, symm_kernel_maker *make,
                                 struct symm_completion *completion)
{
    struct symm_kernel kernel;
    return symm_device_start(run->work->device, make(run->work, &kernel), completion);
}

/* Behind a start that has returned `status`. */
static enum symm_status started(struct symm_run *run, enum symm_status status)
{
    if (status == SYMM_OK) {
        run->stage = SYMM_CUDA_WORKING;
    } else if (status != SYMM_PENDING) {
        symm_cuda_depart(run, status);
    }
    return SYMM_PENDING;
}

static enum symm_status end(struct symm_run *run)
{
    if (run->stage == SYMM_CUDA_WORKING) {
        enum symm_status status = symm_completion_test(run->work->device, &run->completion);
        if (status != SYMM_PENDING) {
            symm_cuda_depart(run, status);
        }
        return SYMM_PENDING;
    }
    if (!symm_run_reached(run, SYMM_CUDA_STEP_DEPART)) {
        return SYMM_PENDING;
    }
    symm_cuda_failures_collect(run);
    return SYMM_OK;
}

enum symm_status symm_cuda_step(struct symm_run *run, enum symm_status (*start)(struct symm_run *))
{
    return run->stage == SYMM_CUDA_STARTING ? started(run, start(run)) : end(run);
}

enum symm_status symm_cuda_make_step(struct symm_run *run, symm_kernel_maker *make)
{
    return run->stage == SYMM_CUDA_STARTING
               ? started(run, symm_cuda_start(run, make, &run->completion)) : end(run);
}

enum symm_status symm_cuda_kernel_step(struct symm_run *run)
{
    return symm_cuda_make_step(run, symm_algorithm_get(run->work->algorithm)->make);
}
