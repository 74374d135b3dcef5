/*
 * copy.h - copies between host and device memory, and within it, that are done when they return.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_COPY_H
#define SYMM_KERNELS_CUDA_LAUNCH_COPY_H

#include "heap/private.h"
#include "heap/symm.h"

/*
 * Copy `bytes` from `source` to `target`, each anywhere in host memory or in memory that `device`
 * reaches.  The copy does not wait for work that the program has queued on its streams, and this
 * work does not wait for the copy.  Errors: NOT_FOUND, NO_MEMORY, SYSTEM; symm_cuda_last_failure()
 * names the call.
 */
enum symm_status symm_cuda_copy(int device, void *target, const void *source,
                                size_t bytes);

/*
 * Queue copies of `rows` runs of `bytes` each.  On both sides, each run begins `pitch` bytes after
 * the one before; with several runs, pitch is at least `bytes`.  The copies are done when
 * symm_cuda_rows_finish() has returned.  It has to be called before the memory is given back, also
 * after a failure.  Errors: as symm_cuda_copy().
 */
SYMM_PRIVATE enum symm_status symm_cuda_rows_copy(int device, void *target, const void *source,
                                                  size_t bytes, size_t pitch, size_t rows);
SYMM_PRIVATE enum symm_status symm_cuda_rows_finish(int device);

/*
 * The same without waiting: SYMM_PENDING while copies are under way, also such that others have
 * queued since.  After an error none are.
 */
SYMM_PRIVATE enum symm_status symm_cuda_rows_test(int device);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_COPY_H */
