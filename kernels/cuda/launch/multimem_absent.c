/*
 * multimem_absent.c - multimem.h and multimem_functions.h in a build without multicast.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/multimem.h"
#include "kernels/cuda/launch/multimem_functions.h"

bool symm_multimem_can_reduce(enum symm_cuda_type type, enum symm_cuda_op op, bool one_shot)
{
    (void)type;
    (void)op;
    (void)one_shot;
    return false;
}

enum symm_status symm_device_multimem_load(struct symm_device *device)
{
    (void)device;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_device_multimem_start(struct symm_device *device, enum symm_cuda_type type,
                                            enum symm_cuda_op op,
                                            const struct symm_cuda_multimem *arguments,
                                            unsigned block_limit,
                                            struct symm_completion *completion)
{
    (void)device;
    (void)type;
    (void)op;
    (void)arguments;
    (void)block_limit;
    (void)completion;
    return SYMM_ERR_ARGUMENT;
}

enum symm_status symm_device_multimem_copy_start(struct symm_device *device,
                                                 const struct symm_cuda_multimem_copy *arguments,
                                                 unsigned block_limit,
                                                 struct symm_completion *completion)
{
    (void)device;
    (void)arguments;
    (void)block_limit;
    (void)completion;
    return SYMM_ERR_ARGUMENT;
}

enum symm_status symm_multimem_renew(struct symm_device *device)
{
    (void)device;
    return SYMM_OK;
}

void symm_multimem_unload(struct symm_device *device, bool lives)
{
    (void)device;
    (void)lives;
}
