/*
 * allreduce_multimem.c - two-shot by NVLink multicast: each rank loads its slice, which the switch reduces,
 * and stores the result, which the switch sends to all outputs, in one launch.
 *
 * Only the owner touches a slice, in anybody's memory, and each of its threads has loaded a vector before
 * it stores it: so it is right in place as well.  Each element is loaded once in all, by its owner, so the
 * ranks get the same bits however the switch rounds.  The few elements outside of vectors are reduced as in
 * two-shot by loads and stores, in rank order.
 *
 * (PyTorch: multimem_all_reduce_.  NCCL: AllReduce_RSxLDMC_AGxSTMC.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/multimem.h"
#include "kernels/cuda/steps.h"

static enum symm_status start(struct symm_run *run)
{
    int ranks = run->team->size;
    size_t begin, end;
    symm_slice(run->count, symm_cuda_type_extent(run->cuda_type), run->team->rank, ranks, &begin,
               &end);
    struct symm_cuda_multimem arguments = {
        .unicast = {.begin = begin, .end = end, .ranks = ranks, .output_count = ranks},
        .input = symm_multimem_pointer(&run->multicast_input, run->input),
        .output = symm_multimem_pointer(&run->multicast_output, run->output),
    };
    for (int rank = 0; rank < ranks; rank++) {
        arguments.unicast.inputs[rank] = run->inputs[rank];
        arguments.unicast.outputs[rank] = run->outputs[rank];
    }
    return symm_device_multimem_start(run->device, run->cuda_type, run->cuda_op, &arguments,
                                      run->block_limit, &run->ticket);
}

enum symm_status symm_allreduce_cuda_multimem_step(struct symm_run *run)
{
    return symm_cuda_step(run, start);
}
