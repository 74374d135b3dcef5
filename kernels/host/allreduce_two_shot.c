/*
 * allreduce_two_shot.c - each rank owns a slice: it reads the slice from all inputs, reduces it,
 * and stores the result to all outputs.
 *
 * Only the owner touches a slice, in any rank's memory, and it reads a block from everywhere before
 * it stores that block anywhere.  So it is right in place as well, even if only some ranks are in
 * place.  There is one phase at the end: my output is complete when all owners have stored their
 * slices.
 *
 * Blocks of 16 KiB stay in the first-level cache between the reduction and the stores.  Out of
 * place the reduction goes straight into my own output.  In place my output still holds my input,
 * so the reduction goes through scratch.
 *
 * (PyTorch: two_shot_all_reduce_.  NCCL: AllReduce_RSxLD_AGxST.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/host/steps.h"

static void reduce_block(struct symm_run *run, size_t block)
{
    const struct symm_team *team = run->work->team;
    size_t offset = run->position * run->work->reduction->extent;
    size_t bytes = symm_result_bytes(run->work->reduction, block * run->work->reduction->extent);
    bool in_place = run->work->input == run->work->output;
    unsigned char *own = run->work->output;
    void *result = in_place ? symm_scratch_take() : own + offset;
    symm_fold(run->work->reduction, team, run->work->inputs, offset, result, block);
    for (int turn = 1; turn < team->size; turn++) {
        unsigned char *output = run->work->outputs[symm_work_rotate(run->work, turn)];
        memcpy(output + offset, result, bytes);
    }
    if (in_place) {
        memcpy(own + offset, result, bytes);
        symm_scratch_give(result);
    }
}

static enum symm_status step(struct symm_run *run)
{
    return symm_host_slice_step(run, reduce_block);
}

const struct symm_algorithm_row symm_allreduce_two_shot = {
    .number = SYMM_ALLREDUCE_TWO_SHOT,
    .name = "two_shot",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .on_device = SYMM_ALLREDUCE_CUDA_TWO_SHOT,
    .step = step,
};
