/*
 * multimem.c - starting the kernels of multicast on a device.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/multimem.h"

#include "kernels/cuda/launch/device_state.h"
#include "kernels/cuda/launch/multimem_functions.h"

enum { VECTOR = 16 };

/*
 * A start looks its kernel up twice.  It does so before symm_launch_begin(), so that a wrong
 * argument takes no slot.  It does so again afterwards, because symm_launch_begin() loads kernels
 * anew in a new context.
 */

/* Fewer blocks than other kernels have, because the switch does the work of the other blocks. */
static unsigned blocks_limit(unsigned block_limit)
{
    return block_limit != 0 ? block_limit : SYMM_MULTIMEM_BLOCKS;
}

static bool is_count(int count)
{
    return count >= 1 && count <= SYMM_CUDA_RANKS_MAX;
}

enum symm_status symm_device_multimem_start(struct symm_device *device, enum symm_cuda_type type,
                                            enum symm_cuda_op op,
                                            const struct symm_cuda_multimem *arguments,
                                            unsigned block_limit,
                                            struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    struct symm_cuda_multimem launched = *arguments;
    bool one_shot = arguments->output == NULL;
    *completion = (struct symm_completion){0};
    if (symm_multimem_function(device, type, op, one_shot) == NULL ||
        !is_count(arguments->unicast.ranks) || !is_count(arguments->unicast.output_count) ||
        (one_shot && arguments->unicast.output_count != 1)) {
        return SYMM_ERR_ARGUMENT;
    }
    size_t extent = symm_cuda_type_extent(type);
    uint64_t bytes = (arguments->unicast.end - arguments->unicast.begin) * extent;
    if (bytes == 0) {
        return SYMM_OK;
    }
    if (symm_multimem_counts_bytes(op)) {
        launched.unicast.begin *= extent;
        launched.unicast.end *= extent;
    }
    enum symm_status status = symm_launch_begin(device, completion, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    const struct symm_launch launch = {
        .function = symm_multimem_function(device, type, op, one_shot),
        .arguments = &launched,
        .finish = &launched.finish,
        .units = (bytes + VECTOR - 1) / VECTOR,
        .block_limit = blocks_limit(block_limit),
    };
    status = symm_launch_kernel(device, device->kernels, &launch, completion);
    return symm_launch_end(device, completion, &scope, status);
}

enum symm_status symm_device_multimem_copy_start(struct symm_device *device,
                                                 const struct symm_cuda_multimem_copy *arguments,
                                                 unsigned block_limit,
                                                 struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    struct symm_cuda_multimem_copy launched = *arguments;
    *completion = (struct symm_completion){0};
    if (symm_multimem_copy_function(device) == NULL ||
        !is_count(arguments->unicast.output_count)) {
        return SYMM_ERR_ARGUMENT;
    }
    if (arguments->unicast.bytes == 0) {
        return SYMM_OK;
    }
    enum symm_status status = symm_launch_begin(device, completion, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    const struct symm_launch launch = {
        .function = symm_multimem_copy_function(device),
        .arguments = &launched,
        .finish = &launched.finish,
        .units = (arguments->unicast.bytes + VECTOR - 1) / VECTOR,
        .block_limit = blocks_limit(block_limit),
    };
    status = symm_launch_kernel(device, device->kernels, &launch, completion);
    return symm_launch_end(device, completion, &scope, status);
}
