/*
 * cuda_plain.h - device memory that other processes cannot map.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_PLAIN_H
#define SYMM_HEAP_GPU_CUDA_PLAIN_H

#include <stddef.h>

#include "heap/private.h"
#include "heap/symm.h"

/*
 * Memory of a device that has a driver, but whose memory cannot be shared (symm_kind_of_device()).
 * Errors: those of symm_kind_of_device(); FOREIGN (no such block).
 */
SYMM_PRIVATE enum symm_status symm_cuda_plain_alloc(int device, size_t size, void **address);
SYMM_PRIVATE enum symm_status symm_cuda_plain_free(void *address);

/*
 * The device on which a block with this address has been allocated so; -1: there is no such block.
 * One load where there is none at all.
 */
SYMM_PRIVATE int symm_cuda_plain_device(const void *address);

#endif /* SYMM_HEAP_GPU_CUDA_PLAIN_H */
