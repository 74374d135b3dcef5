/*
 * cuda_memops.h - what the program has begun by cudaMemset() and by copies between device buffers,
 * and what is done so that it need not be waited for.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_MEMOPS_H
#define SYMM_HEAP_GPU_CUDA_MEMOPS_H

#include "heap/private.h"
#include "heap/symm.h"

/*
 * If the driver is in this process and initialised, tell it, once, that cudaMemset() and copies
 * between device buffers are to have done their work when they return.  The earlier the driver is
 * told, the less has to be waited for in calls.  Nothing is loaded, initialised or made.  Cheap.
 */
SYMM_PRIVATE void symm_cuda_notice(void);

/*
 * Wait until what the program has begun by such functions is done, in the device's context and in
 * the context that is current here: then its buffers can be read on streams of ours.  Mostly there
 * is nothing to wait for (cuda_memops.c).  For calls on memory of this library.
 */
SYMM_PRIVATE void symm_cuda_sync_memops(int device);

/*
 * symm_cuda_sync_memops() for memory that need not be of this library: a memset or a copy within
 * the device may have begun before the device was first used here.
 */
SYMM_PRIVATE void symm_cuda_memory_settle(int device);

#endif /* SYMM_HEAP_GPU_CUDA_MEMOPS_H */
