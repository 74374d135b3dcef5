/*
 * copy_absent.c - copy.h and host_memory.h in a build without CUDA: there is nothing to copy.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/copy.h"
#include "kernels/cuda/launch/host_memory.h"

enum symm_status symm_cuda_copy(int device, void *target, const void *source, size_t bytes)
{
    (void)device;
    (void)target;
    (void)source;
    (void)bytes;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_cuda_rows_copy(int device, void *target, const void *source, size_t bytes,
                                     size_t pitch, size_t rows)
{
    (void)device;
    (void)target;
    (void)source;
    (void)bytes;
    (void)pitch;
    (void)rows;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_cuda_rows_finish(int device)
{
    (void)device;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_cuda_rows_test(int device)
{
    (void)device;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_host_block_get(int device, size_t size, struct symm_host_block *block)
{
    (void)device;
    (void)size;
    (void)block;
    return SYMM_ERR_NO_MEMORY;
}

void symm_host_block_put(struct symm_host_block *block)
{
    (void)block;
}

void symm_host_blocks_limit(size_t bytes)
{
    (void)bytes;
}

void symm_host_blocks_close(void)
{
}
