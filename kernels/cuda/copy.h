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
 * Copy `bytes` from `source` to `target`, each anywhere in host memory or in memory that `device`
 * reaches.  Does not wait for what the program has queued on its streams, nor does it make that
 * wait.  Errors: NOT_FOUND, NO_MEMORY, SYSTEM; symm_cuda_last_failure() names the call.
 */
SYMM_API enum symm_status symm_cuda_copy(int device, void *target, const void *source,
                                         size_t bytes);

/*
 * Queue copies of `rows` runs of `bytes` each, one `pitch` bytes after the other on both sides;
 * pitch is at least `bytes` where there are several.  They are done when symm_cuda_rows_finish()
 * has returned, which has to be called also after a failure, before the memory is given back.
 * Errors: as above.
 */
SYMM_API enum symm_status symm_cuda_rows_copy(int device, void *target, const void *source,
                                              size_t bytes, size_t pitch, size_t rows);
SYMM_API enum symm_status symm_cuda_rows_finish(int device);

#endif /* SYMM_KERNELS_CUDA_COPY_H */
