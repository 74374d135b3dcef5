/*
 * allreduce_multimem.c - two-shot by multicast: each rank loads its slice, reduced on the way, and
 * stores the result, which goes to all outputs.
 *
 * Only the owner touches a slice, in any rank's memory, and it has loaded a block before it stores
 * that block.  So it is right in place as well.  There is one phase at the end: my output is
 * complete when all owners have stored.  In host memory this is no quicker than two-shot.  It
 * exists so that multicast can be tried everywhere.
 *
 * (PyTorch: multimem_all_reduce_.  NCCL: NVLS.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/host/multimem.h"
#include "kernels/host/steps.h"

static void reduce_block(struct symm_run *run, size_t block)
{
    size_t extent = run->work->reduction->extent, offset = run->position * extent;
    void *scratch = symm_scratch_take();
    symm_multimem_load(run, offset, scratch, block);
    symm_multimem_store(run, offset, scratch,
                        symm_result_bytes(run->work->reduction, block * extent));
    symm_scratch_give(scratch);
}

static enum symm_status step(struct symm_run *run)
{
    return symm_host_slice_step(run, reduce_block);
}

const struct symm_algorithm_row symm_allreduce_multimem = {
    .number = SYMM_ALLREDUCE_MULTIMEM,
    .name = "multimem",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUT_MULTICAST | SYMM_NEEDS_OUTPUT_MULTICAST,
    .keeps_order = true,
    .on_device = SYMM_ALLREDUCE_CUDA_MULTIMEM,
    .step = step,
};
