/*
 * cuda_sync_flag.h - the flag CU_CTX_SYNC_MEMOPS of contexts, and the times at which it was
 * missing.
 *
 * cudaMemset() and copies between device buffers return before their work is done, and our streams
 * wait for no other stream.  In a context with this flag, which came with CUDA 12.1, such functions
 * return after their work.  So primary contexts are given the flag as soon as the driver is seen in
 * the process, best before they exist: then nothing ever has to be waited for.
 *
 * A *lapse* is a time at which an active primary context has been found without the flag: because
 * the context existed before the driver was first seen, because cudaSetDeviceFlags() has
 * overwritten what was set, or because the driver does not know the flag.  cuda_memops.c waits
 * after each lapse.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_SYNC_FLAG_H
#define SYMM_HEAP_GPU_CUDA_SYNC_FLAG_H

#include "heap/gpu/cuda_driver.h"

/* Give the primary context the flag; if it is active without the flag, that is a lapse. */
void symm_cuda_flag_demand(const struct symm_cuda *cuda, int device);

/* symm_cuda_notice() for callers who know that the driver is there. */
void symm_cuda_flag_notice(const struct symm_cuda *cuda);

/* The primary context has been entered for the first time: there was no memory of ours before. */
void symm_cuda_flag_entered(int device);

/* The number of lapses so far; and as it was when the context was first entered. */
uint32_t symm_cuda_flag_lapses(int device);
uint32_t symm_cuda_flag_lapses_entered(int device);

/* ---- the context that is current here -------------------------------------------------------- */

/* One look at its legacy stream, unless that would end a capture. */
CUresult symm_cuda_legacy_ask(const struct symm_cuda *cuda);

/* Whether it has the flag. */
bool symm_cuda_flag_is_current(const struct symm_cuda *cuda);

/* Give it the flag, where the driver's function for primary contexts has not done it. */
void symm_cuda_flag_set_current(const struct symm_cuda *cuda);

#endif /* SYMM_HEAP_GPU_CUDA_SYNC_FLAG_H */
