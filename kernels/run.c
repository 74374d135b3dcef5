/*
 * run.c - the table of algorithms.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/run.h"

static const struct {
    const char *name;
    enum symm_status (*step)(struct symm_run *run);
} algorithms[SYMM_ALGORITHM_COUNT] = {
    [SYMM_ALLREDUCE_SLOT] = {"slot", symm_allreduce_slot_step},
    [SYMM_ALLREDUCE_STAGED] = {"staged", symm_allreduce_staged_step},
    [SYMM_ALLREDUCE_STAGED_ONE_SHOT] = {"staged_one_shot", symm_allreduce_staged_one_shot_step},
    [SYMM_ALLREDUCE_ONE_SHOT] = {"one_shot", symm_allreduce_one_shot_step},
    [SYMM_ALLREDUCE_TWO_SHOT] = {"two_shot", symm_allreduce_two_shot_step},
    [SYMM_ALLGATHER_SLOT] = {"slot", symm_allgather_slot_step},
    [SYMM_ALLGATHER_STAGED] = {"staged", symm_allgather_staged_step},
    [SYMM_ALLGATHER_PULL] = {"pull", symm_allgather_pull_step},
    [SYMM_ALLGATHER_PUSH] = {"push", symm_allgather_push_step},
    [SYMM_ALLREDUCE_CUDA_ONE_SHOT] = {"cuda_one_shot", symm_allreduce_cuda_one_shot_step},
    [SYMM_ALLREDUCE_CUDA_TWO_SHOT] = {"cuda_two_shot", symm_allreduce_cuda_two_shot_step},
    [SYMM_ALLGATHER_CUDA_COPY_ENGINE] = {"cuda_copy_engine", symm_allgather_cuda_copy_engine_step},
    [SYMM_ALLREDUCE_CUDA_COPY_ENGINE] = {"cuda_copy_engine",
                                         symm_allreduce_cuda_copy_engine_step},
    [SYMM_ALLREDUCE_CUDA_PUSH] = {"cuda_push", symm_allreduce_cuda_push_step},
    [SYMM_ALLGATHER_CUDA_KERNEL] = {"cuda_kernel", symm_allgather_cuda_kernel_step},
    [SYMM_ALLREDUCE_CUDA_SCRATCH] = {"cuda_scratch", symm_allreduce_cuda_scratch_step},
    [SYMM_ALLGATHER_CUDA_SCRATCH] = {"cuda_scratch", symm_allgather_cuda_scratch_step},
    [SYMM_ALLREDUCE_MULTIMEM] = {"multimem", symm_allreduce_multimem_step},
    [SYMM_ALLGATHER_MULTIMEM] = {"multimem", symm_allgather_multimem_step},
    [SYMM_ALLREDUCE_CUDA_MULTIMEM] = {"cuda_multimem", symm_allreduce_cuda_multimem_step},
    [SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT] = {"cuda_multimem_one_shot",
                                               symm_allreduce_cuda_multimem_one_shot_step},
    [SYMM_ALLGATHER_CUDA_MULTIMEM] = {"cuda_multimem", symm_allgather_cuda_multimem_step},
};

enum symm_status symm_run_step(struct symm_run *run)
{
    return algorithms[run->algorithm].step(run);
}

/* A ticket is all zero where nothing is under way. */
enum symm_status symm_run_give_up(struct symm_run *run)
{
    enum { LAUNCHES = sizeof(run->tickets) / sizeof(run->tickets[0]) };
    bool pending = symm_device_ticket_test(run->device, &run->ticket) == SYMM_PENDING;
    for (int i = 0; i < LAUNCHES; i++) {
        pending |= symm_device_ticket_test(run->device, &run->tickets[i]) == SYMM_PENDING;
    }
    for (int i = 0; i < SYMM_PIPELINE_DEPTH; i++) {
        struct symm_pipeline *pipeline = &run->pipeline;
        pending |= symm_device_ticket_test(run->device, &pipeline->pushes[i]) == SYMM_PENDING;
        pending |= symm_device_ticket_test(run->device, &pipeline->sums[i]) == SYMM_PENDING;
        pending |= symm_device_ticket_test(run->device, &pipeline->stores[i]) == SYMM_PENDING;
    }
    return pending ? SYMM_PENDING : SYMM_OK;
}

const char *symm_algorithm_name(enum symm_algorithm algorithm)
{
    return algorithms[algorithm].name;
}
