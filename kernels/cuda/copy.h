/*
 * copy.h - copies between host and device memory, and within it, that are done when they return.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_COPY_H
#define SYMM_KERNELS_CUDA_COPY_H

#include "heap/symm.h"

/*
 * Copy `bytes` from `source` to `target`, each anywhere in host memory or in memory that `device` reaches.
 * Does not wait for what the program has queued on its streams, nor does it make that wait.
 * Errors: NOT_FOUND, NO_MEMORY, SYSTEM; symm_cuda_last_failure() names the call.
 */
SYMM_API enum symm_status symm_cuda_copy(int device, void *target, const void *source,
                                         size_t bytes);

#endif /* SYMM_KERNELS_CUDA_COPY_H */
