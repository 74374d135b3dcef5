/*
 * device_absent.c - device.h in a build without CUDA: there are no devices.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/device.h"
#include "kernels/cuda/launch/multimem.h"

enum symm_status symm_device_get(int number, struct symm_device **device)
{
    (void)number;
    *device = NULL;
    return SYMM_ERR_NOT_FOUND;
}

void symm_device_close_all(void)
{
}

enum symm_status symm_device_multimem_load(struct symm_device *device)
{
    (void)device;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_device_start(struct symm_device *device, struct symm_kernel *kernel,
                                   struct symm_completion *completion)
{
    (void)device;
    (void)kernel;
    (void)completion;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_device_engine_start(struct symm_device *device,
                                          const struct symm_cuda_push *pushes, int count,
                                          int lane, const struct symm_cuda_push *own,
                                          unsigned block_limit, struct symm_completion *completion)
{
    (void)device;
    (void)pushes;
    (void)count;
    (void)lane;
    (void)own;
    (void)block_limit;
    (void)completion;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_completion_test(struct symm_device *device,
                                      struct symm_completion *completion)
{
    (void)device;
    (void)completion;
    return SYMM_ERR_NOT_FOUND;
}

void symm_device_use_graphs(bool used)
{
    (void)used;
}
